//! Two volumes have the same name.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports volumes that share a name.
    ///
    /// ## Why it matters
    ///
    /// Disks find their volume by name.
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
    ///           containerDisk:
    ///             image: example.com/fedora:42
    ///         - name: root
    ///           emptyDisk:
    ///             capacity: 1Gi
    ///       domain:
    ///         devices:
    ///           disks:
    ///             - name: root
    ///               disk:
    ///                 bus: virtio
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[1].name: spec.template.spec.volumes[1] and spec.template.spec.volumes[0] must not have the same Name.
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    ///         - name: scratch
    ///           emptyDisk:
    ///             capacity: 1Gi
    /// ```
    "repeated-volume-name": "two volumes have the same name"
}

pub(super) fn check(guest: AdmittedGuest<'_>, volume: Item<'_>, causes: &mut Causes) {
    let mut earlier = guest.each("volumes").take(volume.index);
    if let Some(first) = earlier.find(|other| named(other, volume.str_at("name"))) {
        let (field, first) = (volume.place(), first.place());
        RULE.refuse(causes, field.field("name"))
            .because(format!("{field} and {first} must not have the same Name."))
            .help("give each volume a name of its own");
    }
}
