//! A DataVolume has neither `pvc` nor `storage`, or both.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a DataVolume, or the template of a DataImportCron, that does not have exactly one of `pvc` and `storage`.
    ///
    /// ## Why it matters
    ///
    /// Both describe the claim to make: `pvc` states every field, `storage` lets CDI fill in what the storage class decides.
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
    /// ```
    ///
    /// ```text
    /// spec.PVC: Missing Data volume PVC
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
    "volume-without-one-storage": "a DataVolume has neither `pvc` nor `storage`, or both"
}

/// Whether the DataVolume describes one claim.
pub(super) fn check(volume: &Volume<'_>, causes: &mut Causes) -> bool {
    let has = |key: &str| volume.node.get(key).is_some();
    let (name, message) = match (has("pvc"), has("storage")) {
        (false, false) => ("PVC", "Missing Data volume PVC"),
        (true, true) => (
            "PVC.Storage",
            "Duplicate storage definition, both target storage and target pvc defined",
        ),
        _ => return true,
    };
    volume
        .refuse(&RULE, causes, name, "", message)
        .help("describe the claim in `storage`, and only there");
    false
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::review::tests::said;

    #[test]
    fn a_claim_is_described_once() {
        let one = json!({"resources": {"requests": {"storage": "1Gi"}}});
        let blank = json!({"blank": {}});
        assert!(said("1.66", &json!({"source": blank, "storage": one})).is_empty());
        assert_eq!(
            said("1.66", &json!({"source": blank})),
            ["Missing Data volume PVC"]
        );
        assert_eq!(
            said(
                "1.66",
                &json!({"source": blank, "storage": one, "pvc": one})
            ),
            ["Duplicate storage definition, both target storage and target pvc defined"]
        );
    }
}
