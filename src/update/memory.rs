//! Guest memory: when it can be plugged, and what its handler does to the running guest.

use super::{Flow, Situation, Step, template_spec};
use crate::resource::quantity::Quantity;
use crate::yaml::Node;

const BLOCK: i64 = 2 << 20;
const BLOCK_OF_1GI_HUGEPAGES: i64 = 1 << 30;
const LEAST: i64 = 1 << 30;

/// A quantity at a path of a VMI spec.
pub fn quantity(spec: &Node, path: &str) -> Option<Quantity> {
    spec.path(path).and_then(Quantity::from_node)
}

/// Why memory cannot be plugged into such a guest, in KubeVirt's words.
///
/// Mirrors ValidateLiveUpdateMemory, pkg/liveupdate/memory/memory.go.
pub fn refusal(spec: &Node, most: Option<&Quantity>) -> Option<&'static str> {
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
    if spec.str_at("architecture") != "amd64" {
        return Some("Memory hotplug is only available for x86_64 VMs");
    }
    if guest.value() < LEAST {
        return Some("Memory hotplug is only available for VMs with at least 1Gi of guest memory");
    }
    None
}

/// Runs the memory handler. Mirrors handleMemoryHotplugRequest, pkg/virt-controller/watch/vm/vm.go.
pub fn handle(situation: &Situation, current: &Node, flow: &mut Flow) {
    const FIELD: &str = "spec.template.spec.domain.memory.guest";
    let wanted = template_spec(current);
    let (Some(to), Some(from)) = (
        quantity(wanted, "domain.memory.guest"),
        quantity(&situation.guest.spec, "domain.memory.guest"),
    ) else {
        return;
    };
    if to == from {
        return;
    }
    let most = quantity(&situation.guest.spec, "domain.memory.maxGuest");
    let mut restart = |message: String, because: String| {
        flow.require_restart(message);
        flow.handler_fields.push((FIELD, because));
    };
    let Some(most) = most else {
        restart(
            "memory updated in template spec. Memory-hotplug is not available for this VM configuration".to_owned(),
            "the guest was started without room for memory hotplug".to_owned(),
        );
        return;
    };
    if let Some(refusal) = refusal(wanted, Some(&most)) {
        restart(
            format!("memory hotplug not supported, {refusal}"),
            format!("{to} cannot be plugged into the running guest (at most {most})"),
        );
        return;
    }
    if to < from {
        restart(
            "memory updated in template spec to a value lower than what the VM started with"
                .to_owned(),
            format!("the guest started with {from}, {to} is less"),
        );
        return;
    }
    flow.live.push(Step::Memory);
}
