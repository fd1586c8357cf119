//! A volume does not name its DataVolume.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `dataVolume` volume with an empty `name`.
    ///
    /// ## Why it matters
    ///
    /// The name says which DataVolume, or which claim of that name, the disk is.
    ///
    /// KubeVirt's check: [`validateVolumes`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           dataVolume:
    ///             name: ''
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[0].name: DataVolume 'name' must be set
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           dataVolume:
    ///             name: web-root
    /// ```
    "data-volume-without-name": "a volume does not name its DataVolume"
}

pub(super) fn check(volume: Item<'_>, causes: &mut Causes) {
    let data_volume = volume.get("dataVolume");
    if data_volume.is_some_and(|source| source.str_at("name").is_empty()) {
        let field = volume.place();
        RULE.refuse(causes, field.field("name"))
            .because("DataVolume 'name' must be set")
            .at(field.then("dataVolume.name"))
            .help("name the DataVolume");
    }
}
