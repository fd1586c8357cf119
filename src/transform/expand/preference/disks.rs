//! What a preference says of disks, by the device each is.

use super::fill;
use crate::yaml::Node;

/// Mirrors applyDiskPreferences, pkg/instancetype/preference/apply/disk.go @ v1.9.0.
pub(super) fn apply(preferred: &Node, spec: &mut Node) {
    let Some(disks) = spec
        .path_mut("domain.devices.disks")
        .and_then(Node::items_mut)
    else {
        return;
    };
    for disk in disks {
        let is = |device| disk.get(device).is_some();
        if is("disk") || !(is("cdrom") || is("lun")) {
            disk.ensure_map("disk", disk.origin);
            apply_to_disk(preferred, disk);
        } else if is("cdrom") {
            fill(disk, "cdrom.bus", preferred.get("preferredCdromBus"));
        } else {
            fill(disk, "lun.bus", preferred.get("preferredLunBus"));
        }
    }
}

fn apply_to_disk(preferred: &Node, disk: &mut Node) {
    fill(disk, "disk.bus", preferred.get("preferredDiskBus"));
    fill(disk, "blockSize", preferred.get("preferredDiskBlockSize"));
    fill(disk, "cache", preferred.get("preferredDiskCache"));
    fill(disk, "io", preferred.get("preferredDiskIO"));
    // The bus is looked at after it was preferred.
    if disk.str_at("disk.bus") == "virtio" {
        fill(
            disk,
            "dedicatedIOThread",
            preferred.get("preferredDiskDedicatedIoThread"),
        );
    }
}
