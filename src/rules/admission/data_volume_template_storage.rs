//! A DataVolume template has neither `pvc` nor `storage`, or both.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports an entry of `dataVolumeTemplates` that does not have exactly one of `pvc` and `storage`.
    ///
    /// ## Why it matters
    ///
    /// Both describe the claim to make: `pvc` states every field, `storage` lets CDI fill in what the storage class
    /// decides.
    ///
    /// KubeVirt's check: [`validateDataVolume`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/storage/admitters/data-volume-template.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   dataVolumeTemplates:
    ///     - metadata:
    ///         name: web-root
    ///       spec:
    ///         storage:
    ///           resources:
    ///             requests:
    ///               storage: 10Gi
    ///         source:
    ///           registry:
    ///             url: docker://example.com/fedora:42
    ///         pvc:
    ///           accessModes:
    ///             - ReadWriteOnce
    ///           resources:
    ///             requests:
    ///               storage: 10Gi
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           dataVolume:
    ///             name: web-root
    /// ```
    ///
    /// ```text
    /// spec.dataVolumeTemplate[0].PVC.Storage: Duplicate storage definition, both target storage and target pvc defined
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   dataVolumeTemplates:
    ///     - metadata:
    ///         name: web-root
    ///       spec:
    ///         storage:
    ///           resources:
    ///             requests:
    ///               storage: 10Gi
    ///         source:
    ///           registry:
    ///             url: docker://example.com/fedora:42
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           dataVolume:
    ///             name: web-root
    /// ```
    "data-volume-template-storage": "a DataVolume template has neither `pvc` nor `storage`, or both"
}

/// Whether the template is in order so far.
pub(in crate::rules) fn check(template: Item<'_>, causes: &mut Causes) -> bool {
    let has = |key: &str| template.path(&format!("spec.{key}")).is_some();
    let message = match (has("pvc"), has("storage")) {
        (false, false) => "Missing Data volume PVC or Storage",
        (true, true) => "Duplicate storage definition, both target storage and target pvc defined",
        _ => return true,
    };
    let field = FieldPath::from("spec.dataVolumeTemplate").index(template.index);
    RULE.refuse(causes, field.then("PVC.Storage"))
        .because(message)
        .at(template.at("spec"))
        .help("describe the claim in `storage`, and only there");
    false
}
