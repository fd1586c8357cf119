//! Room to plug processors and memory into the running guest.

use crate::release::{Behaviour, Release};
use crate::resource::cluster::ClusterConfig;
use crate::resource::quantity::{Quantity, QuantityFormat};
use crate::yaml::{Node, Value};

/// Most vCPUs a default maximum of sockets may reach.
const MOST_VCPUS: u32 = 512;
const BLOCK: i64 = 2 << 20;
const BLOCK_OF_1GI_HUGEPAGES: i64 = 1 << 30;
const LEAST: i64 = 1 << 30;

/// The maximum of sockets. Mirrors setupCPUHotplug, pkg/defaults/defaults.go @ v1.9.0, in its 32-bit arithmetic.
pub(crate) fn set_most_sockets(configuration: &ClusterConfig, spec: &mut Node) {
    let count = |part: &str| {
        let count = spec.int_at(&format!("domain.cpu.{part}"));
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    if count("maxSockets") != 0 {
        return;
    }
    let sockets = count("sockets");
    let configured = configuration.max_cpu_sockets();
    let most = if configured != 0 {
        configured.max(sockets)
    } else {
        let per_socket = count("cores").wrapping_mul(count("threads"));
        let most = sockets.wrapping_mul(configuration.max_hotplug_ratio());
        if most.wrapping_mul(per_socket) > MOST_VCPUS {
            (MOST_VCPUS / per_socket).max(sockets)
        } else {
            most
        }
    };
    if most != 0 {
        let most = Node::written(Value::Int(i64::from(most)), &"setupCPUHotplug");
        spec.set("domain.cpu.maxSockets", most);
    }
}

/// The maximum of memory, where the guest can grow. Mirrors setupMemoryHotplug, pkg/defaults/defaults.go @ v1.9.0.
pub(crate) fn set_most_memory(release: Release, configuration: &ClusterConfig, spec: &mut Node) {
    if spec.path("domain.memory.maxGuest").is_some() {
        return;
    }
    let most = configuration.max_guest().or_else(|| {
        let guest = quantity(spec, "domain.memory.guest")?.value();
        let most = guest.wrapping_mul(i64::from(configuration.max_hotplug_ratio()));
        Some(Quantity::from_value(most, QuantityFormat::BinarySI))
    });
    let Some(most) = most else { return };
    if memory_refusal(release, spec, Some(&most)).is_none() {
        let most = Node::written_text(most.to_string(), &"setupMemoryHotplug");
        spec.set("domain.memory.maxGuest", most);
    }
}

/// The quantity at a path of a VMI spec.
pub(crate) fn quantity(spec: &Node, path: &str) -> Option<Quantity> {
    spec.path(path).and_then(Quantity::from_node)
}

/// Why memory cannot be plugged into guests of this architecture.
pub(crate) fn architecture_refusal(release: Release, spec: &Node) -> Option<&'static str> {
    match spec.str_at("architecture") {
        "amd64" => None,
        "arm64" if release.has(Behaviour::PlugsIntoArmGuests) => None,
        _ if release.has(Behaviour::PlugsIntoArmGuests) => {
            Some("Memory hotplug is only available for x86_64 and arm64 VMs")
        }
        _ => Some("Memory hotplug is only available for x86_64 VMs"),
    }
}

/// Why memory cannot be plugged into such a guest, in KubeVirt's words.
///
/// Mirrors ValidateLiveUpdateMemory, pkg/liveupdate/memory/memory.go.
pub(crate) fn memory_refusal(
    release: Release,
    spec: &Node,
    most: Option<&Quantity>,
) -> Option<&'static str> {
    if spec.path("domain.cpu.realtime").is_some() {
        return Some("Memory hotplug is not compatible with realtime VMs");
    }
    if spec
        .path("domain.cpu.numa.guestMappingPassthrough")
        .is_some()
    {
        return Some("Memory hotplug is not compatible with guest mapping passthrough");
    }
    if spec.path("domain.launchSecurity").is_some() {
        return Some("Memory hotplug is not compatible with encrypted VMs");
    }
    let huge = spec.str_at("domain.memory.hugepages.pageSize") == "1Gi";
    let block = if huge { BLOCK_OF_1GI_HUGEPAGES } else { BLOCK };
    let Some(guest) = quantity(spec, "domain.memory.guest") else {
        return Some("Guest memory must be configured when memory hotplug is enabled");
    };
    let Some(most) = most else {
        return Some("Max guest memory must be configured when memory hotplug is enabled");
    };
    if guest > *most {
        return Some("Guest memory is greater than the configured maxGuest memory");
    }
    if guest.value() % block != 0 {
        return Some(if huge {
            "Guest memory must be 1Gi aligned"
        } else {
            "Guest memory must be 2Mi aligned"
        });
    }
    if most.value() % block != 0 {
        return Some(if huge {
            "MaxGuest must be 1Gi aligned"
        } else {
            "MaxGuest must be 2Mi aligned"
        });
    }
    if let Some(refusal) = architecture_refusal(release, spec) {
        return Some(refusal);
    }
    if guest.value() < LEAST {
        return Some("Memory hotplug is only available for VMs with at least 1Gi of guest memory");
    }
    None
}
