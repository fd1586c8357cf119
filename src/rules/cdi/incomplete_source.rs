//! A source lacks what CDI needs to read from it.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `vddk` source without `secretRef`, `uuid`, `backingFile` or `thumbprint`, an `imageio` source without `secretRef`,
    /// `diskId` or, unless `insecureSkipVerify` is true (from CDI 1.64 on), `certConfigMap`, and a `pvc` or `snapshot` source whose
    /// `name` or `namespace` is empty.
    ///
    /// ## Why it matters
    ///
    /// Without them the importer cannot log in, or does not know which disk is meant.
    ///
    /// CDI's check: [`validateVDDKSource`](https://github.com/kubevirt/containerized-data-importer/blob/v1.66.0/pkg/apiserver/webhooks/util.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: DataVolume
    /// metadata:
    ///   name: root
    /// spec:
    ///   source:
    ///     vddk:
    ///       url: https://vcenter.example.com
    ///       uuid: 52260566-b032-36cb-55b1-79bf29e30490
    ///       backingFile: "[data] vm/disk.vmdk"
    ///       thumbprint: 20:6C:8A:5D:44:40:B3:79:4B:28:EA:76:13:60:90:6E:49:D9:D9:A3
    ///   storage:
    ///     resources:
    ///       requests:
    ///         storage: 10Gi
    /// ```
    ///
    /// ```text
    /// spec.source.VDDK: spec.source.VDDK source VDDK is not valid
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: DataVolume
    /// metadata:
    ///   name: root
    /// spec:
    ///   source:
    ///     vddk:
    ///       url: https://vcenter.example.com
    ///       uuid: 52260566-b032-36cb-55b1-79bf29e30490
    ///       backingFile: "[data] vm/disk.vmdk"
    ///       thumbprint: 20:6C:8A:5D:44:40:B3:79:4B:28:EA:76:13:60:90:6E:49:D9:D9:A3
    ///       secretRef: vcenter
    ///   storage:
    ///     resources:
    ///       requests:
    ///         storage: 10Gi
    /// ```
    "incomplete-source": "a source lacks what CDI needs to read from it"
}

/// Whether the source is whole.
pub(super) fn check(volume: &Volume<'_>, kind: &str, causes: &mut Causes) -> bool {
    let Some(source) = volume.source(kind) else {
        return true;
    };
    let lacks = |keys: &[&str]| {
        let lacking: Vec<String> = keys
            .iter()
            .filter(|key| source.str_at(key).is_empty())
            .map(|key| format!("`{key}`"))
            .collect();
        (!lacking.is_empty()).then(|| lacking.join(", "))
    };
    let unverified = volume.cdi.has(CdiBehaviour::UnverifiedImageIo);
    let (word, said, needed): (_, _, &[&str]) = match kind {
        "vddk" => (
            "VDDK",
            "VDDK is not valid",
            &["secretRef", "uuid", "backingFile", "thumbprint"],
        ),
        "imageio" if unverified => ("Imageio", "Imageio is not valid", &["secretRef", "diskId"]),
        "imageio" => (
            "Imageio",
            "Imageio is not valid",
            &["secretRef", "certConfigMap", "diskId"],
        ),
        "pvc" => ("PVC", "PVC is not valid", &["namespace", "name"]),
        "snapshot" => ("Snapshot", "snapshot is not valid", &["namespace", "name"]),
        _ => return true,
    };
    let (said, lacking) = match lacks(needed) {
        Some(lacking) => (said, lacking),
        None if kind == "imageio"
            && unverified
            && source.str_at("certConfigMap").is_empty()
            && !source.bool_at("insecureSkipVerify") =>
        {
            let said = "Imageio requires CertConfigMap or InsecureSkipVerify";
            (said, "`certConfigMap`".to_owned())
        }
        None => return true,
    };
    let name = format!("source.{word}");
    let message = format!("{}.{name} source {said}", volume.field);
    volume
        .refuse(&RULE, causes, &name, &format!("source.{kind}"), message)
        .help(format!("add {lacking}"));
    false
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::super::review::tests::said;

    fn of(cdi: &str, source: &Json) -> String {
        let claim = json!({"resources": {"requests": {"storage": "1Gi"}}});
        said(cdi, &json!({"source": source, "storage": claim})).join("")
    }

    #[test]
    fn a_clone_names_its_source_whole() {
        assert_eq!(
            of("1.66", &json!({"pvc": {"name": "a", "namespace": "b"}})),
            ""
        );
        assert_eq!(
            of("1.66", &json!({"pvc": {"name": "a", "namespace": ""}})),
            "spec.source.PVC source PVC is not valid"
        );
        assert_eq!(
            of("1.66", &json!({"snapshot": {"name": "", "namespace": "b"}})),
            "spec.source.Snapshot source snapshot is not valid"
        );
    }

    #[test]
    fn imageio_takes_a_certificate_or_says_that_it_goes_without() {
        let imageio = |more: Json| {
            let mut source = json!({"url": "https://a", "secretRef": "s", "diskId": "d"});
            for (key, value) in more.as_object().unwrap() {
                source[key] = value.clone();
            }
            json!({"imageio": source})
        };
        assert_eq!(of("1.66", &imageio(json!({"certConfigMap": "c"}))), "");
        assert_eq!(
            of("1.66", &imageio(json!({"insecureSkipVerify": true}))),
            ""
        );
        assert_eq!(
            of("1.66", &imageio(json!({"insecureSkipVerify": false}))),
            "spec.source.Imageio source Imageio requires CertConfigMap or InsecureSkipVerify"
        );
        let old = "spec.source.Imageio source Imageio is not valid";
        assert_eq!(
            of("1.63", &imageio(json!({"insecureSkipVerify": true}))),
            old
        );
        assert_eq!(of("1.66", &imageio(json!({"diskId": ""}))), old);
        assert_eq!(
            of("1.66", &imageio(json!({"url": "", "certConfigMap": "c"}))),
            "spec.source source URL is empty"
        );
    }
}
