//! What a guest of an architecture gets where it says nothing: bus, boot loader, watchdog, processor.

use super::or_default;
use crate::release::{Behaviour, Release};
use crate::transform::expand::part;
use crate::yaml::{Node, Value};

/// Mirrors setDefaultCPUArch, pkg/defaults/defaults.go, and amd64.go, arm64.go and s390x.go beside it @ v1.9.0.
pub(super) fn set_defaults(release: Release, spec: &mut Node) {
    match spec.str_at("architecture") {
        "arm64" => arm64(release, spec),
        "s390x" => {
            set_buses(spec, "virtio", &"SetS390xDefaults");
            if release.has(Behaviour::KnowsWatchdogs) {
                set_watchdog(spec, "diag288", &"SetS390xDefaults");
            }
        }
        _ => {
            set_buses(spec, "sata", &"SetAmd64Defaults");
            if release.has(Behaviour::KnowsWatchdogs) {
                set_watchdog(spec, "i6300esb", &"SetAmd64Defaults");
            }
        }
    }
    if !release.has(Behaviour::KnowsWatchdogs) {
        set_watchdog(spec, "i6300esb", &"SetDefaults_Watchdog");
    }
}

fn arm64(release: Release, spec: &mut Node) {
    const WRITER: &&str = &"SetArm64Defaults";
    let domain = part(spec, "domain");
    let model = Node::written_text("host-passthrough", WRITER);
    or_default(part(domain, "cpu"), "model", model);
    let off = Node::written(Value::Bool(false), WRITER);
    let firmware = domain.ensure("firmware", off.origin);
    let is_new = firmware.get("bootloader").is_none();
    if is_new {
        firmware.ensure_map("bootloader.efi", off.origin);
    }
    if (is_new || release.has(Behaviour::TurnsArmSecureBootOff))
        && let Some(efi) = firmware.path_mut("bootloader.efi")
    {
        or_default(efi, "secureBoot", off);
    }
    set_buses(spec, "virtio", WRITER);
}

fn set_buses(spec: &mut Node, bus: &str, writer: &'static &'static str) {
    let disks = spec
        .path_mut("domain.devices.disks")
        .and_then(Node::items_mut);
    for disk in disks.into_iter().flatten() {
        for target in ["disk", "cdrom", "lun"] {
            if let Some(target) = disk.get_mut(target) {
                or_default(target, "bus", Node::written_text(bus, writer));
            }
        }
    }
}

fn set_watchdog(spec: &mut Node, device: &str, writer: &'static &'static str) {
    if let Some(watchdog) = spec.path_mut("domain.devices.watchdog") {
        let action = Node::written_text("reset", writer);
        or_default(watchdog.ensure(device, action.origin), "action", action);
    }
}
