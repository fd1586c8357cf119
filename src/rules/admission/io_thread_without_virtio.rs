//! A disk with a dedicated I/O thread is not on the virtio bus.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `dedicatedIOThread: true` on a disk whose bus is set and not `virtio`.
    ///
    /// ## Why it matters
    ///
    /// Only virtio disks can have a thread of their own.
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
    ///               dedicatedIOThread: true
    ///               disk:
    ///                 bus: sata
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.disks.domain.devices.disks[0]: IOThreads are not supported for disks on a sata bus
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
    ///               dedicatedIOThread: true
    ///               disk:
    ///                 bus: virtio
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    "io-thread-without-virtio": "a disk with a dedicated I/O thread is not on the virtio bus"
}

pub(super) fn check(disk: Item<'_>, causes: &mut Causes) {
    let (_, bus) = super::unsupported_disk_bus::bus(&disk);
    if disk.bool_at("dedicatedIOThread") && !matches!(bus, "" | "virtio") {
        RULE.refuse(causes, disk.doubled_place())
            .because(format!(
                "IOThreads are not supported for disks on a {bus} bus"
            ))
            .at(disk.at("dedicatedIOThread"))
            .help("use `bus: virtio`, or leave `dedicatedIOThread` out");
    }
}
