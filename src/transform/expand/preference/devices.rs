//! Devices a preference fills in or adds.

use super::super::set_plain;
use super::{disks, fill, fill_all, interfaces};
use crate::release::{Behaviour, Release};
use crate::yaml::{Node, Value};

/// Mirrors ApplyDevicePreferences, pkg/instancetype/preference/apply/device.go @ v1.9.0.
pub(super) fn apply(release: Release, preference: &Node, spec: &mut Node) {
    let Some(preferred) = preference.get("devices") else {
        return;
    };
    let pairs = [
        (
            "domain.devices.useVirtioTransitional",
            "preferredUseVirtioTransitional",
        ),
        ("domain.devices.blockMultiQueue", "preferredBlockMultiQueue"),
        (
            "domain.devices.networkInterfaceMultiqueue",
            "preferredNetworkInterfaceMultiQueue",
        ),
        ("domain.devices.rng", "preferredRng"),
        ("domain.devices.tpm", "preferredTPM"),
    ];
    fill_all(spec, preferred, &pairs);
    // Go cannot tell a false that was written from none, so the preference wins.
    if let Some(disable) = preferred.get("preferredDisableHotplug") {
        set_plain(spec, "domain.devices.disableHotplug", disable.clone());
    }
    if spec.path("domain.devices.sound").is_some() {
        let pairs = [("domain.devices.sound.model", "preferredSoundModel")];
        fill_all(spec, preferred, &pairs);
    }
    if let Some(video) = preferred.get("preferredVideoType") {
        spec.ensure_map("domain.devices.video", video.origin);
        fill(spec, "domain.devices.video.type", Some(video));
    }
    apply_autoattach(preference, spec);
    disks::apply(preferred, spec);
    interfaces::apply(preferred, spec);
    apply_inputs(preferred, spec);
    apply_panic_devices(release, preferred, spec);
}

/// What a preference attaches by itself.
/// Mirrors ApplyAutoAttachPreferences, pkg/instancetype/preference/apply/device.go @ v1.9.0.
pub(super) fn apply_autoattach(preference: &Node, spec: &mut Node) {
    let Some(preferred) = preference.get("devices") else {
        return;
    };
    for device in [
        "GraphicsDevice",
        "MemBalloon",
        "PodInterface",
        "SerialConsole",
        "InputDevice",
    ] {
        let path = format!("domain.devices.autoattach{device}");
        fill(
            spec,
            &path,
            preferred.get(&format!("preferredAutoattach{device}")),
        );
    }
}

fn apply_inputs(preferred: &Node, spec: &mut Node) {
    let Some(inputs) = spec
        .path_mut("domain.devices.inputs")
        .and_then(Node::items_mut)
    else {
        return;
    };
    for input in inputs {
        fill(input, "bus", preferred.get("preferredInputBus"));
        fill(input, "type", preferred.get("preferredInputType"));
    }
}

/// Mirrors applyPanicDevicePreferences, pkg/instancetype/preference/apply/device.go @ v1.9.0 and v1.6.6; the field exists
/// from 1.6 on.
fn apply_panic_devices(release: Release, preferred: &Node, spec: &mut Node) {
    let Some(model) = preferred.get("preferredPanicDeviceModel") else {
        return;
    };
    let devices = spec
        .path_mut("domain.devices.panicDevices")
        .and_then(Node::items_mut);
    match devices {
        Some(devices) if !devices.is_empty() => {
            for device in devices {
                if device.get("model").is_none() {
                    device.set("model", model.clone());
                }
            }
        }
        _ if release.has(Behaviour::PreferenceAddsPanicDevice) => {
            let mut device = Node::map().with_origin(model.origin);
            device.set("model", model.clone());
            let devices = Node::new(Value::Seq(vec![device])).with_origin(model.origin);
            spec.set("domain.devices.panicDevices", devices);
        }
        _ => {}
    }
}
