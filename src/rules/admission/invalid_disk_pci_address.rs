//! A disk's PCI address is malformed or not on virtio.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `disk.pciAddress` that does not have the form `0000:81:00.1`, and one on a disk whose bus is not
    /// `virtio`.
    ///
    /// ## Why it matters
    ///
    /// Only virtio disks are PCI devices of their own.
    ///
    /// KubeVirt's check: [`validatePciAddress`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/storage/admitters/disks.go).
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
    ///                 bus: sata
    ///                 pciAddress: 0000:81:00.1
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.disks.domain.devices.disks.disk[0].pciAddress: disk spec.template.spec.domain.devices.disks.domain.devices.disks.disk[0].name - setting a PCI address is only possible with bus type virtio.
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
    ///                 pciAddress: 0000:81:00.1
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    "invalid-disk-pci-address": "a disk's PCI address is malformed or not on virtio"
}

pub(super) fn check(guest: AdmittedGuest<'_>, disk: Item<'_>, causes: &mut Causes) {
    let address = disk.str_at("disk.pciAddress");
    if address.is_empty() {
        return;
    }
    let base = guest.at("domain.devices.disks.domain.devices.disks.disk");
    let field = base.index(disk.index).field("pciAddress");
    let place = disk.at("disk.pciAddress");
    if disk.str_at("disk.bus") != "virtio" {
        RULE.refuse(causes, &field)
            .because(format!("disk {base}[{}].name - setting a PCI address is only possible with bus type virtio.", disk.index))
            .at(&place)
            .help("use `bus: virtio`, or leave the address out");
    }
    if !names::is_pci_address(address) {
        RULE.refuse(causes, &field)
            .because(format!(
                "disk {base}[{}].name has malformed PCI address ({address}).",
                disk.index
            ))
            .at(&place)
            .help("write domain, bus, slot and function, such as `0000:81:00.1`");
    }
}
