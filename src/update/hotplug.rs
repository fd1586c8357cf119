//! Volumes plugged and unplugged while the guest runs, because Git declares them so. Network interfaces are in `network`.

use super::{Flow, Situation, Step, named, template_spec};
use crate::diff::same;
use crate::release::Behaviour;
use crate::yaml::{Node, Value};

/// The volumes of a VMI spec.
pub fn volumes(spec: &Node) -> &[Node] {
    spec.items_at("volumes")
}

/// The disks of a VMI spec.
pub fn disks(spec: &Node) -> &[Node] {
    spec.items_at("domain.devices.disks")
}

/// Whether a volume is a claim or data volume that may be plugged while the guest runs.
pub fn is_declarative(volume: &Node) -> bool {
    volume.bool_at("persistentVolumeClaim.hotpluggable")
        || volume.bool_at("dataVolume.hotpluggable")
}

/// Whether a volume may be plugged while the guest runs, memory dumps included.
pub fn is_hotplug(volume: &Node) -> bool {
    is_declarative(volume) || volume.bool_at("memoryDump.hotpluggable")
}

/// Whether the cluster plugs what Git declares.
pub fn is_enabled(situation: &Situation) -> bool {
    let configuration = situation.configuration;
    situation.release.has(Behaviour::DeclarativeHotplug)
        && !configuration.lists_gate("HotplugVolumes")
        && configuration.gate_enabled("DeclarativeHotplugVolumes", situation.release)
}

/// Runs declarative hotplug. Mirrors HandleDeclarativeVolumes, pkg/storage/hotplug/hotplug.go.
pub fn synchronize(situation: &Situation, flow: &mut Flow) {
    if !is_enabled(situation) || situation.volumes_strategy() == "Migration" {
        return;
    }
    let release = situation.release;
    let guest = &situation.guest.spec;
    let wanted = template_spec(situation.vm);
    let kept = volumes(guest).iter().filter(|volume| {
        !is_declarative(volume)
            || named(volumes(wanted), volume.str_at("name")).is_some_and(|other| {
                !is_declarative(other) || same(release, "v1.Volume", Some(other), Some(volume))
            })
    });
    let added = volumes(wanted).iter().filter(|volume| {
        is_declarative(volume) && named(volumes(guest), volume.str_at("name")).is_none()
    });
    let new_volumes: Vec<Node> = kept.chain(added).cloned().collect();
    let kept = disks(guest).iter().filter(|disk| {
        let name = disk.str_at("name");
        if named(&new_volumes, name).is_some() {
            return true;
        }
        let Some(other) = named(disks(wanted), name) else {
            return false;
        };
        let stays_drive = disk.get("cdrom").is_some() && other.get("cdrom").is_some();
        named(volumes(wanted), name).is_none() || stays_drive
    });
    let added = disks(wanted).iter().filter(|disk| {
        let name = disk.str_at("name");
        named(&new_volumes, name).is_some_and(is_declarative) && named(disks(guest), name).is_none()
    });
    let new_disks: Vec<Node> = kept.chain(added).cloned().collect();
    let list = |items: &[Node]| Node::new(Value::Seq(items.to_vec()));
    let equal = |of: &str, before: &[Node], after: &[Node]| {
        same(release, of, Some(&list(before)), Some(&list(after)))
    };
    if equal("[]v1.Volume", volumes(guest), &new_volumes)
        && equal("[]v1.Disk", disks(guest), &new_disks)
    {
        return;
    }
    flow.live.push(Step::Hotplug);
    if let Some(refusal) = refusal(situation, &new_volumes, &new_disks) {
        flow.denied.push((Step::Hotplug, refusal));
    }
}

/// What the VMI webhook says to the patched guest. Mirrors storagehotplug.go of the storage admitters.
fn refusal(situation: &Situation, new_volumes: &[Node], new_disks: &[Node]) -> Option<String> {
    let guest = &situation.guest.spec;
    let declared = new_volumes
        .iter()
        .filter(|volume| volume.get("memoryDump").is_none())
        .count();
    let required = guest.items_at("domain.devices.filesystems").len()
        + new_disks
            .iter()
            .filter(|disk| {
                disk.get("cdrom").is_none() || named(new_volumes, disk.str_at("name")).is_some()
            })
            .count();
    if declared != required {
        return Some(format!(
            "mismatch between volumes declared ({declared}) and required ({required})"
        ));
    }
    new_disks
        .iter()
        .filter(|disk| named(disks(guest), disk.str_at("name")).is_none())
        .find_map(disk_refusal)
}

fn disk_refusal(disk: &Node) -> Option<String> {
    let name = disk.str_at("name");
    let bus = if disk.get("disk").is_some() {
        let bus = disk.str_at("disk.bus");
        if !matches!(bus, "scsi" | "virtio") {
            return Some(format!(
                "Hotplug configuration for disk [{name}] requires bus to be 'scsi' or 'virtio'. [{bus}] is not permitted."
            ));
        }
        bus
    } else if disk.get("lun").is_some() {
        let bus = disk.str_at("lun.bus");
        if bus != "scsi" {
            return Some(format!(
                "Hotplug configuration for LUN [{name}] requires bus to be 'scsi'. [{bus}] is not permitted."
            ));
        }
        bus
    } else {
        return Some(format!(
            "Hotplug configuration for [{name}] requires diskDevice of type 'disk' or 'lun' to be used."
        ));
    };
    (disk.bool_at("dedicatedIOThread") && bus != "virtio")
        .then(|| format!("Hotplug configuration for [{name}] requires virtio bus for IOThreads."))
}
