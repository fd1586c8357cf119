//! The running guest: the VMI that KubeVirt built from the VM when it started.

use crate::release::Release;
use crate::resource::cluster::ClusterConfig;
use crate::resource::quantity::{Format, Quantity};
use crate::transform::expand::defaults;
use crate::update::types::{Types, TypesError};
use crate::update::{memory, template_spec};
use crate::yaml::{Node, Origin};

/// A running guest, as far as the controller's decisions read it.
#[derive(Clone, Debug)]
pub struct RunningGuest {
    /// The VMI's spec.
    pub spec: Node,
    /// Whether its pod names interfaces by number, as old ones did: none can then be unplugged.
    pub has_ordinal_interfaces: bool,
}

/// Most vCPUs a default maximum of sockets may reach.
const MOST_VCPUS: i64 = 512;

impl RunningGuest {
    /// Starts a guest from an admitted VM with its instance type and preference.
    ///
    /// Mirrors startVMI, vm.go, and the mutating webhook of VMIs, pkg/defaults/defaults.go.
    pub fn start(
        release: Release,
        configuration: &ClusterConfig,
        vm: &Node,
        types: &Types,
    ) -> Result<Self, TypesError> {
        let mut vm = vm.clone();
        let attach = types.apply(release, &vm)?;
        let attach = template_spec(&attach)
            .path("domain.devices.autoattachPodInterface")
            .and_then(Node::as_bool);
        vm.ensure_map("spec.template.spec.domain", Origin::None);
        if let Some(spec) = vm.path_mut("spec.template.spec") {
            defaults::volume_disks(spec);
            if attach != Some(false) {
                defaults::network_interface(configuration, spec).map_err(TypesError::NoGuest)?;
            }
        }
        let mut spec = template_spec(&types.apply(release, &vm)?).clone();
        if spec.str_at("domain.firmware.uuid").is_empty() {
            let name = vm.str_at("metadata.name");
            spec.set("domain.firmware.uuid", Node::string(legacy_uuid(name)));
        }
        defaults::vmi_spec(release, configuration, &mut spec).map_err(TypesError::NoGuest)?;
        set_disk_buses(&mut spec);
        if spec.str_at("architecture") != "arm64" && configuration.rolls_out_live(release) {
            set_most_sockets(configuration, &mut spec);
            set_most_memory(configuration, &mut spec);
        }
        Ok(Self {
            spec,
            has_ordinal_interfaces: false,
        })
    }
}

/// The firmware UUID KubeVirt derives from a VM's name: version 5 in its own namespace.
pub fn legacy_uuid(name: &str) -> String {
    use std::fmt::Write as _;

    use sha1::{Digest, Sha1};
    const NAMESPACE: [u8; 16] = [
        0x6a, 0x1a, 0x24, 0xa1, 0x40, 0x61, 0x46, 0x07, 0x8b, 0xf4, 0xa3, 0x96, 0x3d, 0x0c, 0x58,
        0x95,
    ];
    let mut hash = Sha1::new();
    hash.update(NAMESPACE);
    hash.update(name.as_bytes());
    let mut bytes: Vec<u8> = hash.finalize().iter().copied().take(16).collect();
    bytes[6] = (bytes[6] & 0x0f) | 0x50;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        write!(text, "{byte:02x}").expect("a string takes all text");
    }
    text
}

fn set_disk_buses(spec: &mut Node) {
    let bus = match spec.str_at("architecture") {
        "arm64" | "s390x" => "virtio",
        _ => "sata",
    };
    let disks = spec
        .path_mut("domain.devices.disks")
        .and_then(Node::items_mut);
    for disk in disks.into_iter().flatten() {
        let device = ["disk", "cdrom", "lun"]
            .into_iter()
            .find(|device| disk.get(device).is_some());
        let path = format!("{}.bus", device.unwrap_or("disk"));
        if disk.str_at(&path).is_empty() {
            disk.set(&path, Node::string(bus));
        }
    }
}

/// Mirrors setupCPUHotplug.
fn set_most_sockets(configuration: &ClusterConfig, spec: &mut Node) {
    if spec.int_at("domain.cpu.maxSockets") != 0 {
        return;
    }
    let sockets = spec.int_at("domain.cpu.sockets");
    let configured = i64::from(configuration.max_cpu_sockets());
    let most = if configured != 0 {
        configured.max(sockets)
    } else {
        let per_socket = spec.int_at("domain.cpu.cores") * spec.int_at("domain.cpu.threads");
        let most = sockets.saturating_mul(i64::from(configuration.max_hotplug_ratio()));
        if per_socket > 0 && most.saturating_mul(per_socket) > MOST_VCPUS {
            (MOST_VCPUS / per_socket).max(sockets)
        } else {
            most
        }
    };
    spec.set("domain.cpu.maxSockets", Node::from(most));
}

/// Mirrors setupMemoryHotplug.
fn set_most_memory(configuration: &ClusterConfig, spec: &mut Node) {
    if spec.path("domain.memory.maxGuest").is_some() {
        return;
    }
    let most = configuration.max_guest().or_else(|| {
        let guest = memory::quantity(spec, "domain.memory.guest")?.value();
        let most = guest.wrapping_mul(i64::from(configuration.max_hotplug_ratio()));
        Some(Quantity::from_value(most, Format::BinarySI))
    });
    let Some(most) = most else { return };
    if memory::refusal(spec, Some(&most)).is_none() {
        spec.set("domain.memory.maxGuest", Node::string(most.to_string()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_legacy_uuid_is_of_version_5_in_the_namespace_of_kubevirt() {
        // Known vectors: another implementation of version 5, over the namespace in pkg/virt-controller/watch/vm/firmware.go.
        for (name, uuid) in [
            ("testvm", "5a9fc181-957e-5c32-9e5a-2de5e9673531"),
            ("web", "d32ff544-f682-571b-8677-3762f07ab8a4"),
        ] {
            assert_eq!(legacy_uuid(name), uuid);
        }
    }

    #[test]
    fn a_default_maximum_of_sockets_stops_at_512_vcpus() {
        let most = |sockets: i64, cores: i64| {
            let mut spec = Node::map();
            spec.set("domain.cpu.sockets", Node::from(sockets));
            spec.set("domain.cpu.cores", Node::from(cores));
            spec.set("domain.cpu.threads", Node::from(1));
            set_most_sockets(&ClusterConfig::default(), &mut spec);
            spec.int_at("domain.cpu.maxSockets")
        };
        assert_eq!(most(127, 1), 508);
        assert_eq!(most(128, 1), 512, "exactly the limit");
        assert_eq!(most(129, 1), 512, "one step beyond it");
        assert_eq!(most(64, 2), 256);
        assert_eq!(most(65, 2), 256);
        assert_eq!(most(300, 2), 300, "never less than the sockets it has");
    }
}
