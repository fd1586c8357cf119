//! A LUN is not backed by a claim.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `lun` disk whose volume is neither a `persistentVolumeClaim` nor a `dataVolume`.
    ///
    /// ## Why it matters
    ///
    /// A LUN passes SCSI commands through to the device, so there must be a device.
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
    ///             - name: root
    ///               lun:
    ///                 bus: scsi
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.disks[0].lun: spec.template.spec.domain.devices.disks[0].lun can only be mapped to a DataVolume or PersistentVolumeClaim volume.
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
    ///               lun:
    ///                 bus: scsi
    ///       volumes:
    ///         - name: root
    ///           persistentVolumeClaim:
    ///             claimName: lun
    /// ```
    "lun-without-claim": "a LUN is not backed by a claim"
}

pub(super) fn check(guest: AdmittedGuest<'_>, disk: Item<'_>, causes: &mut Causes) {
    let volume = guest.volume(disk.str_at("name"));
    let fits = volume.is_none_or(|volume| {
        volume.get("persistentVolumeClaim").is_some() || volume.get("dataVolume").is_some()
    });
    if disk.get("lun").is_some() && !fits {
        RULE.refuse(causes, disk.at("lun"))
            .because_it("can only be mapped to a DataVolume or PersistentVolumeClaim volume.")
            .help("use `disk`, or a claim as the volume");
    }
}
