//! A disk's bus is unknown or does not fit the disk.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a disk `bus` other than `virtio`, `scsi`, `sata` and `usb`; `ide` in particular; `virtio` on a CD-ROM;
    /// and `sata` on a read-only disk.
    ///
    /// ## Why it matters
    ///
    /// q35 machines have no IDE, a guest does not see a virtio CD-ROM as a CD-ROM, and SATA hard disks cannot be
    /// read-only.
    ///
    /// KubeVirt's check: [`validateBusSupport`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/storage/admitters/disks.go).
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
    ///                 bus: ide
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.disks[0].disk.bus: IDE bus is not supported
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
    "unsupported-disk-bus": "a disk's bus is unknown or does not fit the disk"
}

/// The bus of a disk and its kind, by the first of its targets.
pub(super) fn bus(disk: &Node) -> (&'static str, &str) {
    ["disk", "lun", "cdrom"]
        .into_iter()
        .find_map(|kind| disk.get(kind).map(|target| (kind, target.str_at("bus"))))
        .unwrap_or_default()
}

pub(super) fn check(disk: Item<'_>, causes: &mut Causes) {
    let (kind, bus) = bus(&disk);
    if bus.is_empty() {
        return;
    }
    let (message, help) = match bus {
        "ide" => (
            "IDE bus is not supported".to_owned(),
            "use `sata`, or `virtio` where the guest has its driver",
        ),
        "virtio" if kind == "cdrom" => (
            "Bus type virtio is invalid for CD-ROM device".to_owned(),
            "use `sata` or `scsi`",
        ),
        "sata" if disk.bool_at("disk.readonly") => (
            "sata hard-disks do not support read-only.".to_owned(),
            "use `virtio` or `scsi`",
        ),
        "virtio" | "sata" | "scsi" | "usb" => return,
        _ => (
            format!(
                "{} is set with an unrecognized bus {bus}, must be one of: [virtio scsi sata usb]",
                disk.place()
            ),
            "use `virtio`, `scsi`, `sata` or `usb`",
        ),
    };
    RULE.refuse(causes, disk.place().field(kind).field("bus"))
        .because(message)
        .help(help);
}
