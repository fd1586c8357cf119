//! SCSI reservations are not enabled.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `lun.reservation: true` where the cluster has not enabled persistent reservations: up to 1.8 with the
    /// feature gate `PersistentReservation`, from 1.9 on with `persistentReservationConfiguration.enabled` or the gate.
    ///
    /// ## Why it matters
    ///
    /// Reservations need a helper daemon on the nodes.
    ///
    /// KubeVirt's check: [`validatePersistentReservation`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
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
    ///             - name: shared
    ///               lun:
    ///                 bus: scsi
    ///                 reservation: true
    ///       volumes:
    ///         - name: shared
    ///           persistentVolumeClaim:
    ///             claimName: shared
    /// ```
    ///
    /// ```text,kubevirt=..=1.8
    /// spec.template.spec.domain.devices.disks.luns.reservation: PersistentReservation feature gate is not enabled in kubevirt-config
    /// ```
    ///
    /// ```text,kubevirt=1.9..
    /// spec.template.spec.domain.devices.disks.luns.reservation: persistent reservation is not enabled in kubevirt config
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           disks:
    ///             - name: shared
    ///               lun:
    ///                 bus: scsi
    ///       volumes:
    ///         - name: shared
    ///           persistentVolumeClaim:
    ///             claimName: shared
    /// ```
    ///
    /// ## Limits
    ///
    /// Without a known configuration the finding is `depends-on-configuration`.
    "persistent-reservation-without-gate": "SCSI reservations are not enabled"
}

const GATE: &str = "PersistentReservation";

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let mut disks = guest.each("domain.devices.disks");
    let Some(disk) = disks.find(|disk| disk.bool_at("lun.reservation")) else {
        return;
    };
    if guest.config.persistent_reservation_enabled(guest.release) {
        return;
    }
    let message = if guest.does(Behaviour::PersistentReservationIsAField) {
        "persistent reservation is not enabled in kubevirt config".to_owned()
    } else {
        format!("{GATE} feature gate is not enabled in kubevirt-config")
    };
    RULE.refuse(causes, guest.at("domain.devices.disks.luns.reservation"))
        .because(message)
        .at(disk.at("lun.reservation"))
        .gate(GATE);
}
