//! A name is longer than CDI takes.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a storage class whose name has more than 253 characters, and a name of a DataImportCron, of its `managedDataSource`, of a
    /// VolumeImportSource or of a VolumeUploadSource with more than 63.
    ///
    /// ## Why it matters
    ///
    /// CDI makes labels and other objects of these names.
    ///
    /// CDI's check: [`validateNameLength`](https://github.com/kubevirt/containerized-data-importer/blob/v1.66.0/pkg/apiserver/webhooks/datavolume-validate.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: VolumeUploadSource
    /// metadata:
    ///   name: an-upload-of-the-nightly-image-of-the-windows-machines-in-building-nine
    /// spec: {}
    /// ```
    ///
    /// ```text
    /// Name cannot be longer than 63 characters
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: VolumeUploadSource
    /// metadata:
    ///   name: nightly
    /// spec: {}
    /// ```
    "name-too-long": "a name is longer than CDI takes"
}

/// Characters of a label: `DNS1035LabelMaxLength`.
pub(super) const LABEL: usize = 63;

/// Characters of a name with dots: `DNS1123SubdomainMaxLength`.
pub(super) const SUBDOMAIN: usize = 253;

/// Whether the name is short enough.
pub(super) fn check(name: &str, most: usize, place: FieldPath, causes: &mut Causes) -> bool {
    if name.len() <= most {
        return true;
    }
    RULE.refuse(causes, place)
        .because(format!("Name cannot be longer than {most} characters"))
        .named("")
        .help("choose a shorter name");
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_a_limit() {
        for most in [LABEL, SUBDOMAIN] {
            let mut causes = Causes::default();
            assert!(check(
                &"a".repeat(most),
                most,
                FieldPath::root(),
                &mut causes
            ));
            assert!(!check(
                &"a".repeat(most + 1),
                most,
                FieldPath::root(),
                &mut causes
            ));
            assert_eq!(causes.len(), 1);
        }
    }
}
