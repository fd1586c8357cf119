//! An empty CD-ROM drive needs a feature gate.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a CD-ROM disk without a volume where the feature gate `DeclarativeHotplugVolumes` is off.
    ///
    /// ## Why it matters
    ///
    /// An empty drive lets you insert media while the guest runs. The feature gate must be enabled from 1.6 to 1.8 and
    /// is on by default from 1.9.
    ///
    /// KubeVirt's check: [`validateBootOrder`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.6..=1.8
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           disks:
    ///             - name: root
    ///               disk:
    ///                 bus: virtio
    ///             - name: drive
    ///               cdrom:
    ///                 bus: sata
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.disks[1].name: DeclarativeHotplugVolumes feature gate not enabled, cannot define an empty CD-ROM disk
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
    ///
    /// ## Limits
    ///
    /// Without a known configuration the finding is `depends-on-configuration`.
    "empty-cdrom-without-gate": "an empty CD-ROM drive needs a feature gate"
}

pub(super) fn check(guest: AdmittedGuest<'_>, disk: Item<'_>, causes: &mut Causes) {
    let absent = guest.volume(disk.str_at("name")).is_none();
    if absent
        && disk.get("cdrom").is_some()
        && guest.does(Behaviour::EmptyCdromNeedsGate)
        && !guest.gate("DeclarativeHotplugVolumes")
    {
        RULE.refuse(causes, disk.at("name"))
            .because("DeclarativeHotplugVolumes feature gate not enabled, cannot define an empty CD-ROM disk")
            .gate("DeclarativeHotplugVolumes")
            .help("add a volume of the drive's name, or enable the feature gate `DeclarativeHotplugVolumes`");
    }
}
