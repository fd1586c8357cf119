//! An import in several stages names no claim.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a VolumeImportSource with `checkpoints` and a `vddk` or `imageio` source that has no `targetClaim`.
    ///
    /// ## Why it matters
    ///
    /// Each stage adds to the disk that the stage before it wrote, so that the claim has to be known.
    ///
    /// CDI's check: [`validateVolumeImportSourceSpec`](https://github.com/kubevirt/containerized-data-importer/blob/v1.66.0/pkg/apiserver/webhooks/populators-validate.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: VolumeImportSource
    /// metadata:
    ///   name: moved
    /// spec:
    ///   checkpoints:
    ///     - previous: ""
    ///       current: first
    ///   source:
    ///     imageio:
    ///       url: https://ovirt.example.com/ovirt-engine/api
    ///       diskId: "1"
    ///       secretRef: ovirt
    ///       certConfigMap: ovirt
    /// ```
    ///
    /// ```text
    /// spec.targetClaim: Unable to do multi-stage import without specifying a target claim
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: VolumeImportSource
    /// metadata:
    ///   name: moved
    /// spec:
    ///   targetClaim: moved
    ///   checkpoints:
    ///     - previous: ""
    ///       current: first
    ///   source:
    ///     imageio:
    ///       url: https://ovirt.example.com/ovirt-engine/api
    ///       diskId: "1"
    ///       secretRef: ovirt
    ///       certConfigMap: ovirt
    /// ```
    "import-without-target-claim": "an import in several stages names no claim"
}

/// Whether the import names its claim, or has one stage.
pub(super) fn check(volume: &Volume<'_>, causes: &mut Causes) -> bool {
    let node = volume.node;
    let is_staged = !node.items_at("checkpoints").is_empty()
        && ["vddk", "imageio"]
            .into_iter()
            .any(|kind| volume.source(kind).is_some());
    if !is_staged || !node.str_at("targetClaim").is_empty() {
        return true;
    }
    let message = "Unable to do multi-stage import without specifying a target claim";
    volume
        .refuse(&RULE, causes, "targetClaim", "targetClaim", message)
        .help("name the claim that the import fills");
    false
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::super::review::tests::object_said;

    #[test]
    fn stages_need_a_claim() {
        let of = |change: Json| {
            let vddk = json!({"url": "https://a", "uuid": "u", "backingFile": "f", "thumbprint": "t", "secretRef": "s"});
            let mut spec = json!({"source": {"vddk": vddk}});
            for (key, value) in change.as_object().unwrap() {
                spec[key] = value.clone();
            }
            object_said(
                "1.66",
                "VolumeImportSource",
                &json!({"metadata": {"name": "a"}, "spec": spec}),
            )
        };
        let stages = json!([{"current": "a", "previous": ""}]);
        assert!(of(json!({})).is_empty());
        assert!(of(json!({"checkpoints": stages, "targetClaim": "a"})).is_empty());
        assert_eq!(
            of(json!({"checkpoints": stages})),
            ["Unable to do multi-stage import without specifying a target claim"]
        );
        assert_eq!(of(json!({"source": {}})), ["Missing VolumeImport source"]);
    }
}
