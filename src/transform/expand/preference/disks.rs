//! What a preference says of disks, by the device each is.

use super::{fill, fill_all};
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
    let pairs = [
        ("disk.bus", "preferredDiskBus"),
        ("blockSize", "preferredDiskBlockSize"),
        ("cache", "preferredDiskCache"),
        ("io", "preferredDiskIO"),
    ];
    fill_all(disk, preferred, &pairs);
    // The bus is looked at after it was preferred.
    if disk.str_at("disk.bus") == "virtio" {
        let pairs = [("dedicatedIOThread", "preferredDiskDedicatedIoThread")];
        fill_all(disk, preferred, &pairs);
    }
}
