//! Every check of an instance, in the order in which the API server and KubeVirt run them.

use super::prelude::*;
#[allow(
    clippy::wildcard_imports,
    reason = "every rule of the family has its place here"
)]
use super::*;
use crate::rules::Rule;
use crate::rules::admission;
use crate::rules::admission::order::Part;

/// Who creates the instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requester {
    /// KubeVirt's controller.
    Controller,
    /// Somebody else.
    User,
}

/// Rules that look at the guest's architecture.
pub(super) const BY_ARCHITECTURE: [&Rule; 8] = [
    &unknown_architecture::RULE,
    &unsupported_watchdog::RULE,
    &unsupported_video_type::RULE,
    &bios_on_arm64::RULE,
    &secure_boot_on_arm64::RULE,
    &cpu_model_on_arm64::RULE,
    &disk_bus_on_arm64::RULE,
    &sound_on_arm64::RULE,
];

/// What the API server asks of the metadata of an object, and cannot ask of a template.
/// Mirrors `ValidateObjectMeta`, k8s.io/apimachinery/pkg/api/validation/objectmeta.go.
pub(super) fn check_metadata(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    guest_resource_version::check(guest, causes);
    invalid_guest_label::check(guest, causes);
    invalid_guest_annotation::check(guest, causes);
    invalid_guest_finalizer::check(guest, causes);
}

/// What the webhook of instances checks, without the parts that the webhook of virtual machines has passed. It runs the
/// network's checks twice.
/// Mirrors VMICreateAdmitter.Admit, vmi-create-admitter.go @ v1.9.0.
pub(super) fn check(
    guest: AdmittedGuest<'_>,
    part: Part,
    requester: Requester,
    causes: &mut Causes,
) {
    let before = causes.len();
    if part == Part::Whole {
        admission::discontinued_binding::check_gates(guest, causes);
        admission::order::check_networks(guest, causes);
    }
    // What passes once passes twice.
    let again = if causes.len() == before {
        |_: AdmittedGuest<'_>, _: &mut Causes| ()
    } else {
        admission::order::check_networks
    };
    admission::order::check_guest_and(guest, part, again, causes);
    container_path_without_filesystem::check(guest, causes);
    guest_without_memory::check(guest, causes);
    if requester == Requester::User {
        admission::reserved_guest_label::check(guest, causes);
    }
    admission::ignition_without_gate::check(guest, causes);
    admission::sidecar_without_gate::check(guest, causes);
    admission::invalid_migration_threads::check(guest, causes);
    admission::grace_gpu_requirements::check_annotations(guest, causes);
    hyperv_requirement_disabled::check(guest, causes);
    evmcs_without_vmx::check(guest, causes);
    hyperv_with_passthrough::check(guest, causes);
    unknown_architecture::check(guest, causes);
    unsupported_watchdog::check(guest, causes);
    bios_on_arm64::check(guest, causes);
    secure_boot_on_arm64::check(guest, causes);
    cpu_model_on_arm64::check(guest, causes);
    disk_bus_on_arm64::check(guest, causes);
    sound_on_arm64::check(guest, causes);
    unsupported_video_type::check(guest, causes);
}
