//! Guests of arm64 do not have the disk's bus.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a disk, CD-ROM or LUN of a guest of arm64 whose bus is neither `virtio` nor `scsi`.
    ///
    /// ## Why it matters
    ///
    /// SATA and USB disks are not emulated there, and a CD-ROM cannot be on virtio: it needs `scsi`.
    ///
    /// KubeVirt's check: [`validateDiskBus`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/arm64.go).
    ///
    /// ## Example
    ///
    /// ```yaml,configuration
    /// developerConfiguration:
    ///   featureGates: [MultiArchitecture]
    /// ```
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       architecture: arm64
    ///       domain:
    ///         devices:
    ///           disks:
    ///             - name: root
    ///               disk:
    ///                 bus: sata
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    ///
    /// ```text
    /// spec.domain.devices.disks[0].disk.bus: Arm64 not support this disk bus type, please use virtio or scsi
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       architecture: arm64
    ///       domain:
    ///         devices:
    ///           disks:
    ///             - name: root
    ///               disk:
    ///                 bus: scsi
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    "disk-bus-on-arm64": "guests of arm64 do not have the disk's bus"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if guest.str("architecture") != "arm64" {
        return;
    }
    for disk in guest.each("domain.devices.disks") {
        for target in ["disk", "cdrom", "lun"] {
            let Some(node) = disk.get(target) else {
                continue;
            };
            if !matches!(node.str_at("bus"), "" | "virtio" | "scsi") {
                RULE.refuse(causes, disk.place().field(target).field("bus"))
                    .because("Arm64 not support this disk bus type, please use virtio or scsi")
                    .help(if target == "cdrom" {
                        "use `bus: scsi`"
                    } else {
                        "use `bus: virtio` or `bus: scsi`"
                    });
            }
        }
    }
}
