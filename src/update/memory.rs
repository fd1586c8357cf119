//! Guest memory: when it can be plugged, and what its handler does to the running guest.

use super::{Flow, Situation, Step, template_spec};
use crate::transform::start::hotplug::{memory_refusal, quantity};
use crate::yaml::Node;

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
    if let Some(refusal) = memory_refusal(situation.release, wanted, Some(&most)) {
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
