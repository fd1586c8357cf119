//! Two disks have the same name.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports disks that share a name.
    ///
    /// ## Why it matters
    ///
    /// Disks are paired with volumes by name.
    ///
    /// KubeVirt's check: [`validateDiskName`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/storage/admitters/disks.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           disks:
    ///             - &id001
    ///               name: root
    ///               disk:
    ///                 bus: virtio
    ///             - *id001
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.disks[1].name: spec.template.spec.domain.devices.disks[1] and spec.template.spec.domain.devices.disks[0] must not have the same Name.
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           disks:
    ///             - name: root
    ///               disk:
    ///                 bus: virtio
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    "repeated-disk-name": "two disks have the same name"
}

pub(super) fn check(guest: AdmittedGuest<'_>, disk: Item<'_>, causes: &mut Causes) {
    let earlier = guest.each("domain.devices.disks").take(disk.index);
    for other in earlier.filter(|other| named(other, disk.str_at("name"))) {
        let (field, other) = (disk.place(), other.place());
        RULE.refuse(causes, field.field("name"))
            .because(format!("{field} and {other} must not have the same Name."))
            .help("give each disk a name of its own");
    }
}
