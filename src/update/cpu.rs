//! Sockets, node selector, affinity and tolerations: what their handlers do to the running guest.

use super::{Flow, Situation, Step, SyncError, template_spec};
use crate::diff::same;
use crate::release::Behaviour;
use crate::yaml::Node;

/// Runs the socket handler. Mirrors handleCPUChangeRequest, pkg/virt-controller/watch/vm/vm.go.
pub fn handle_sockets(situation: &Situation, current: &Node, flow: &mut Flow) {
    const FIELD: &str = "spec.template.spec.domain.cpu.sockets";
    let wanted = template_spec(current);
    let guest = &situation.guest.spec;
    if wanted.path("domain.cpu").is_none() || guest.path("domain.cpu").is_none() {
        return;
    }
    let from = guest.int_at("domain.cpu.sockets");
    let to = wanted.int_at("domain.cpu.sockets");
    if from == to {
        return;
    }
    let most = guest.int_at("domain.cpu.maxSockets");
    let refused = if to > most {
        Some((
            "CPU sockets updated in template spec to a value higher than what's available",
            format!("the guest was started with at most {most} sockets, {to} are wanted"),
        ))
    } else if to < from {
        Some((
            "Reduction of CPU socket count requires a restart",
            format!("sockets cannot be taken away from a running guest ({from} to {to})"),
        ))
    } else if template_spec(situation.vm).str_at("architecture") == "arm64"
        && !situation.release.has(Behaviour::PlugsIntoArmGuests)
    {
        Some((
            "ARM doesn't support CPU hotplug",
            "sockets cannot be added to a running arm64 guest".to_owned(),
        ))
    } else {
        None
    };
    match refused {
        Some((message, because)) => {
            flow.require_restart(message);
            flow.handler_fields.push((FIELD, because));
        }
        // The patch tests the guest's count first, which is not written where the VM gave cores or threads alone.
        None if from == 0 => flow.error = Some(SyncError::NoSocketsToPatch),
        None => flow.live.push(Step::Cpu),
    }
}

/// Runs the handler of node selector and affinity.
pub fn handle_affinity(situation: &Situation, current: &Node, flow: &mut Flow) {
    if differs(situation, current, "map[]string", "nodeSelector")
        || differs(situation, current, "k8s.Affinity", "affinity")
    {
        flow.live.push(Step::Affinity);
    }
}

/// Runs the handler of tolerations.
pub fn handle_tolerations(situation: &Situation, current: &Node, flow: &mut Flow) {
    if differs(situation, current, "[]k8s.Toleration", "tolerations") {
        flow.live.push(Step::Tolerations);
    }
}

fn differs(situation: &Situation, current: &Node, of: &str, field: &str) -> bool {
    let present = |spec: &Node| {
        spec.get(field)
            .filter(|node| {
                field == "affinity" || !(node.items().is_empty() && node.entries().is_empty())
            })
            .cloned()
    };
    let guest = present(&situation.guest.spec);
    let wanted = present(template_spec(current));
    !same(situation.release, of, guest.as_ref(), wanted.as_ref())
}
