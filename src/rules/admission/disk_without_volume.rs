//! A disk has no volume.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a disk whose name no volume has. From 1.6 on a CD-ROM without a volume is an empty drive, which
    /// `empty-cdrom-without-gate` checks.
    ///
    /// ## Why it matters
    ///
    /// Disks and volumes are paired by name; a disk alone has nothing to show to the guest.
    ///
    /// KubeVirt's check: [`validateBootOrder`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
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
    ///             - name: ghost
    ///               disk:
    ///                 bus: virtio
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.disks[0].name: spec.template.spec.domain.devices.disks[0].Name 'ghost' not found.
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
    "disk-without-volume": "a disk has no volume"
}

pub(super) fn check(guest: AdmittedGuest<'_>, disk: Item<'_>, causes: &mut Causes) {
    let name = disk.str_at("name");
    let empty_drive = disk.get("cdrom").is_some() && guest.does(Behaviour::EmptyCdromNeedsGate);
    if guest.volume(name).is_none() && !empty_drive {
        let field = disk.place();
        RULE.refuse(causes, field.field("name"))
            .because(format!("{field}.Name '{name}' not found."))
            .help(format!("add a volume named `{name}`, or remove the disk"));
    }
}
