//! A disk is more than one of `disk`, `lun` and `cdrom`.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a disk with more than one of `disk`, `lun` and `cdrom`.
    ///
    /// ## Why it matters
    ///
    /// The guest sees a disk as one of them.
    ///
    /// KubeVirt's check: [`validateDeviceTarget`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/storage/admitters/disks.go).
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
    ///             - name: root
    ///               disk:
    ///                 bus: virtio
    ///               cdrom:
    ///                 bus: sata
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.disks[0]: spec.template.spec.domain.devices.disks[0] can only have a single target type defined
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
    "several-disk-targets": "a disk is more than one of `disk`, `lun` and `cdrom`"
}

pub(super) fn check(disk: Item<'_>, causes: &mut Causes) {
    if count(&disk, &["disk", "lun", "cdrom"]) > 1 {
        RULE.refuse(causes, disk.place())
            .because_it("can only have a single target type defined")
            .help("keep one of `disk`, `lun` and `cdrom`");
    }
}
