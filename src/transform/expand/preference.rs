//! A preference on a VMI: it sets what the VM leaves unset and never conflicts.

mod clock;
mod cpu;
mod devices;
mod disks;
mod features;
mod firmware;
mod interfaces;

use super::part;
use crate::cause::Refusal;
use crate::release::Release;
use crate::yaml::Node;

/// Applies a preference's decoded spec to `target`, a tree with `metadata` and `spec`.
/// Mirrors Apply, pkg/instancetype/preference/apply/vmi.go @ v1.9.0.
pub(crate) fn apply(release: Release, preference: &Node, target: &mut Node) -> Result<(), Refusal> {
    let spec = part(target, "spec");
    cpu::apply(preference, spec)?;
    devices::apply(release, preference, spec);
    features::apply(preference, spec);
    firmware::apply(preference, spec);
    apply_machine_type(preference, spec);
    clock::apply(preference, spec);
    let pairs = [
        ("subdomain", "preferredSubdomain"),
        (
            "terminationGracePeriodSeconds",
            "preferredTerminationGracePeriodSeconds",
        ),
    ];
    fill_all(spec, preference, &pairs);
    apply_architecture(preference, spec);
    apply_annotations(preference, target);
    let pairs = [("domain.launchSecurity", "preferredLaunchSecurity")];
    fill_all(part(target, "spec"), preference, &pairs);
    Ok(())
}

/// What a preference says of devices, where it is applied to them alone.
pub(crate) fn apply_devices(release: Release, preference: &Node, spec: &mut Node) {
    devices::apply(release, preference, spec);
}

/// What a preference attaches by itself.
pub(crate) fn apply_autoattach(preference: &Node, spec: &mut Node) {
    devices::apply_autoattach(preference, spec);
}

/// `preferredMachineType`, where the VM names none.
/// Mirrors applyMachinePreferences, pkg/instancetype/preference/apply/machine.go @ v1.9.0.
pub fn apply_machine_type(preference: &Node, spec: &mut Node) {
    let preferred = preference.path("machine.preferredMachineType");
    fill(spec, "domain.machine.type", preferred);
}

/// `preferredArchitecture`, where the VM names none; the field exists from 1.7 on.
/// Mirrors ApplyArchitecturePreferences, pkg/instancetype/preference/apply/architecture.go @ v1.9.0.
pub fn apply_architecture(preference: &Node, spec: &mut Node) {
    fill_all(
        spec,
        preference,
        &[("architecture", "preferredArchitecture")],
    );
}

/// Mirrors applyPreferenceAnnotations, pkg/instancetype/preference/apply/annotations.go @ v1.9.0.
fn apply_annotations(preference: &Node, target: &mut Node) {
    for entry in preference
        .get("annotations")
        .map(Node::entries)
        .unwrap_or_default()
    {
        let held = target
            .path("metadata.annotations")
            .is_some_and(|annotations| annotations.get(&entry.key).is_some());
        if !held {
            super::annotations::add(target, entry);
        }
    }
}

/// As [`fill`], for each path with the key of `preferred` that holds what it prefers.
fn fill_all(node: &mut Node, preferred: &Node, pairs: &[(&str, &str)]) {
    for (path, key) in pairs {
        fill(node, path, preferred.get(key));
    }
}

/// Sets what the VM leaves open to what is preferred; an empty text prefers nothing.
fn fill(node: &mut Node, path: &str, preferred: Option<&Node>) {
    if let Some(preferred) = preferred
        && preferred.as_str() != Some("")
        && node.path(path).is_none()
    {
        node.set(path, preferred.clone());
    }
}
