//! A DataVolume asks for no access mode, several, or an unknown one.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a DataVolume, or an entry of `dataVolumeTemplates`, whose `pvc` does not have exactly one access mode, or whose `pvc` or
    /// `storage` has one that Kubernetes does not know.
    ///
    /// ## Why it matters
    ///
    /// `pvc` is taken as it is written, so that the mode has to be stated. `storage` may leave it to the storage profile.
    ///
    /// CDI's check: [`validateDataVolumeSpec`](https://github.com/kubevirt/containerized-data-importer/blob/v1.66.0/pkg/apiserver/webhooks/datavolume-validate.go).
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
    ///     blank: {}
    ///   pvc:
    ///     resources:
    ///       requests:
    ///         storage: 10Gi
    /// ```
    ///
    /// ```text
    /// spec.PVC.accessModes: Required value: at least 1 access mode is required
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: DataVolume
    /// metadata:
    ///   name: root
    /// spec:
    ///   source:
    ///     blank: {}
    ///   pvc:
    ///     accessModes:
    ///       - ReadWriteOnce
    ///     resources:
    ///       requests:
    ///         storage: 10Gi
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: DataVolume
    /// metadata:
    ///   name: root
    /// spec:
    ///   source:
    ///     blank: {}
    ///   storage:
    ///     resources:
    ///       requests:
    ///         storage: 10Gi
    /// ```
    "invalid-access-mode": "a DataVolume asks for no access mode, several, or an unknown one"
}

pub(super) fn check(volume: &Volume<'_>, causes: &mut Causes) {
    let Some((key, claim)) = volume.claim() else {
        return;
    };
    let modes = claim.items_at("accessModes");
    let is_known = |mode: &Node| {
        let mode = mode.as_str().unwrap_or_default();
        MODES.contains(&mode) || mode == ONE_POD && volume.cdi.has(CdiBehaviour::ReadWriteOncePod)
    };
    let first = modes.first().and_then(Node::as_str).unwrap_or_default();
    let (message, help) = match (key, modes.len()) {
        ("pvc", 0) => (
            "Required value: at least 1 access mode is required".to_owned(),
            "name one under `accessModes`, or write `storage` in place of `pvc`",
        ),
        ("pvc", 2..) => (
            "PVC multiple accessModes".to_owned(),
            "keep one, or write `storage` in place of `pvc`",
        ),
        _ if modes.iter().all(is_known) => return,
        // CDI names the first mode, whichever is the unknown one.
        _ => {
            let more = if volume.cdi.has(CdiBehaviour::ReadWriteOncePod) {
                ", \"ReadWriteOncePod\""
            } else {
                ""
            };
            (
                format!(
                    "Unsupported value: \"{first}\": supported values: \"ReadOnlyMany\", \"ReadWriteMany\", \"ReadWriteOnce\"{more}"
                ),
                "write the mode in full: `ReadWriteOnce`, `ReadWriteMany`, `ReadOnlyMany`",
            )
        }
    };
    let place = format!("{key}.accessModes");
    volume
        .refuse(&RULE, causes, "PVC.accessModes", &place, message)
        .help(help);
}

const MODES: [&str; 3] = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"];
const ONE_POD: &str = "ReadWriteOncePod";

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::super::review::tests::said;

    fn modes(cdi: &str, key: &str, modes: &Json) -> Vec<String> {
        let mut spec = json!({"source": {"blank": {}}});
        spec[key] = json!({"accessModes": modes, "resources": {"requests": {"storage": "1Gi"}}});
        said(cdi, &spec)
    }

    #[test]
    fn a_claim_has_one_mode() {
        assert!(modes("1.66", "pvc", &json!(["ReadWriteOnce"])).is_empty());
        let none = "Required value: at least 1 access mode is required";
        assert_eq!(modes("1.66", "pvc", &json!([])), [none]);
        let two = json!(["ReadWriteOnce", "ReadWriteMany"]);
        assert_eq!(modes("1.66", "pvc", &two), ["PVC multiple accessModes"]);
        assert!(modes("1.66", "storage", &two).is_empty());
        assert!(modes("1.66", "storage", &json!([])).is_empty());
    }

    #[test]
    fn a_mode_is_one_of_the_release() {
        let supported = "supported values: \"ReadOnlyMany\", \"ReadWriteMany\", \"ReadWriteOnce\"";
        for key in ["pvc", "storage"] {
            assert!(modes("1.59", key, &json!(["ReadWriteOncePod"])).is_empty());
            assert_eq!(
                modes("1.58", key, &json!(["ReadWriteOncePod"])),
                [format!(
                    "Unsupported value: \"ReadWriteOncePod\": {supported}"
                )]
            );
        }
        assert_eq!(
            modes("1.66", "storage", &json!(["ReadWriteOnce", "RWX"])),
            [format!(
                "Unsupported value: \"ReadWriteOnce\": {supported}, \"ReadWriteOncePod\""
            )]
        );
    }
}
