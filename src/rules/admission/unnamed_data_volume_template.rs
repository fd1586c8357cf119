//! A DataVolume template has no name.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports an entry of `dataVolumeTemplates` without `metadata.name`.
    ///
    /// ## Why it matters
    ///
    /// The name is how a volume refers to the template, and what the claim will be called.
    ///
    /// KubeVirt's check: [`validateDataVolume`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/storage/admitters/data-volume-template.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   dataVolumeTemplates:
    ///     - metadata: {}
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
    ///
    /// ```text
    /// spec.dataVolumeTemplate[0].name: 'name' field must not be empty for DataVolumeTemplate entry spec.dataVolumeTemplate[0].name.
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
    "unnamed-data-volume-template": "a DataVolume template has no name"
}

/// Whether the template is in order so far.
pub(super) fn check(template: Item<'_>, causes: &mut Causes) -> bool {
    let named = !template.str_at("metadata.name").is_empty();
    if !named {
        let list = FieldPath::from("spec.dataVolumeTemplate");
        let field = list.index(template.index).field("name");
        RULE.refuse(causes, &field)
            .because(format!(
                "'name' field must not be empty for DataVolumeTemplate entry {field}."
            ))
            .at(template.at("metadata.name"))
            .help("set `metadata.name`");
    }
    named
}
