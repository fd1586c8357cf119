//! A volume does not name its DataVolume.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::AdmittedGuest;
use crate::yaml::Node;

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

pub(super) fn check(guest: AdmittedGuest<'_>, at: usize, volume: &Node, causes: &mut Causes) {
    let data_volume = volume.get("dataVolume");
    if data_volume.is_some_and(|source| source.str_at("name").is_empty()) {
        let field = guest.at("volumes").index(at);
        causes
            .push(&RULE, field.field("name"), "DataVolume 'name' must be set")
            .at(field.then("dataVolume.name"))
            .help("name the DataVolume");
    }
}
