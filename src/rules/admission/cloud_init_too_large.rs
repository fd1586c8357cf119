//! Cloud-init data is larger than 2048 bytes.

use super::invalid_cloud_init::DataKind;
use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports user data or network data in the manifest over 2048 bytes (base64 is counted decoded).
    ///
    /// ## Why it matters
    ///
    /// The data is part of the VM object, which goes to many nodes; KubeVirt keeps it small. Larger data belongs in a
    /// Secret.
    ///
    /// KubeVirt's check: [`validateVolumes`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// `<2049 bytes>` stands for a text of that length.
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: ci
    ///           cloudInitNoCloud:
    ///             userData: |
    ///               #cloud-config
    ///               # <2049 bytes>
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[0].cloudInitNoCloud: spec.template.spec.volumes[0].cloudInitNoCloud userdata exceeds 2048 byte limit. Should use UserDataSecretRef for larger data.
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: ci
    ///           cloudInitNoCloud:
    ///             secretRef:
    ///               name: web-cloud-init
    /// ```
    ///
    /// ## Limits
    ///
    /// The size of data in a Secret is not known.
    "cloud-init-too-large": "cloud-init data is larger than 2048 bytes"
}

const MOST: usize = 2048;

pub(super) fn check(field: &FieldPath, kind: &DataKind, data: &Node, causes: &mut Causes) {
    if kind.len(data) > MOST {
        RULE.refuse(causes, field)
            .because_it(format!(
                "{} exceeds {MOST} byte limit. Should use {} for larger data.",
                kind.name, kind.reference
            ))
            .help(
                "put the data into a Secret and name it in `secretRef` or `networkDataSecretRef`",
            );
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::edges;

    #[test]
    fn user_data_has_2048_bytes_at_most() {
        edges(
            &RULE,
            "domain: {devices: {disks: [{name: root, disk: {bus: virtio}, bootOrder: 1}]}}\nvolumes: [{name: root, cloudInitNoCloud: {userData: \"$\"}}]",
            &[(&"a".repeat(2048), false), (&"a".repeat(2049), true)],
        );
    }

    #[test]
    fn network_data_has_2048_bytes_at_most() {
        edges(
            &RULE,
            "domain: {devices: {disks: [{name: root, disk: {bus: virtio}, bootOrder: 1}]}}\nvolumes: [{name: root, cloudInitNoCloud: {userData: a, networkData: \"$\"}}]",
            &[(&"a".repeat(2048), false), (&"a".repeat(2049), true)],
        );
    }
}
