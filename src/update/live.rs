//! The controller's chain: the comparison of the template, the synchronizers that run under every rollout strategy, then the handlers.

use super::{Flow, Situation, Step, cpu, hotplug, memory, network, template_spec, volumes};
use crate::diff::{self, Lists};
use crate::field_path::FieldPath;
use crate::release::Behaviour;
use crate::yaml::Node;

const SPEC: &str = "spec.template.spec";
const DISKS: &str = "spec.template.spec.domain.devices.disks";
const VOLUMES: &str = "spec.template.spec.volumes";

/// Runs the chain once.
pub fn flow(situation: &Situation) -> (Flow, volumes::Handled) {
    let mut flow = Flow::default();
    compare_templates(situation, &mut flow);
    if flow.crash.is_some() {
        return (flow, volumes::Handled::default());
    }
    network::synchronize(situation, &mut flow);
    hotplug::synchronize(situation, &mut flow);
    let mut handled = volumes::Handled::default();
    if situation.is_live_update() && !flow.restart_required {
        match situation.current {
            Err(error) => flow.error = Some(error.clone().into()),
            Ok(current) => {
                cpu::handle_sockets(situation, current, &mut flow);
                if flow.error.is_some() {
                    return (flow, handled);
                }
                cpu::handle_affinity(situation, current, &mut flow);
                cpu::handle_tolerations(situation, current, &mut flow);
                memory::handle(situation, current, &mut flow);
                handled = volumes::run(situation, &mut flow);
            }
        }
    }
    if let Some(owed) = situation.owed {
        keep_from_guest(owed, &mut flow, &mut handled);
    }
    (flow, handled)
}

/// Takes back what the gated handlers do: they do not run while RestartRequired stands. What they would have done waits for
/// the restart that is owed.
fn keep_from_guest(owed: &str, flow: &mut Flow, handled: &mut volumes::Handled) {
    let gated = |step: &Step| !matches!(step, Step::Network | Step::Hotplug);
    let waits = flow.live.iter().any(gated)
        || !flow.handler_fields.is_empty()
        || !handled.migrates.is_empty()
        || handled.waits.is_some()
        || handled.restart.is_some();
    if !waits {
        return;
    }
    flow.live.retain(|step| !gated(step));
    flow.handler_fields.clear();
    *handled = volumes::Handled::default();
    owed.clone_into(&mut flow.message);
    flow.restart_required = true;
}

/// Decides RestartRequired from the two templates. Mirrors syncRestartRequired, vm.go (addRestartRequiredIfNeeded in 1.5).
///
/// Types that cannot be applied to either VM mean that nothing is compared.
fn compare_templates(situation: &Situation, flow: &mut Flow) {
    let (Ok(last_seen), Ok(current)) = (situation.last_seen, situation.current) else {
        return;
    };
    let mut seen = last_seen.clone();
    if situation.is_live_update() || situation.release.has(Behaviour::JudgesHotplugUnderStage) {
        if volumes::volumes_are_live(situation, &seen, current) {
            copy(&mut seen, current, VOLUMES);
        }
        match volumes::disks_are_live(situation, &seen, current) {
            Ok(true) => copy(&mut seen, current, DISKS),
            Ok(false) => {}
            Err(crash) => {
                flow.crash = Some(crash);
                return;
            }
        }
    } else if runs_already(situation, current) {
        copy(&mut seen, current, VOLUMES);
        copy(&mut seen, current, DISKS);
    }
    if situation.is_live_update() {
        let cpu = "spec.template.spec.domain.cpu";
        if seen.path(cpu).is_some() && current.path(cpu).is_some() {
            copy(&mut seen, current, "spec.template.spec.domain.cpu.sockets");
        }
        let guest = "spec.template.spec.domain.memory.guest";
        if current.path(guest).is_some() {
            copy(&mut seen, current, guest);
        }
        for field in ["nodeSelector", "affinity", "tolerations"] {
            copy(&mut seen, current, &format!("{SPEC}.{field}"));
        }
    }
    if !network::needs_restart(situation, current) {
        copy(
            &mut seen,
            current,
            "spec.template.spec.domain.devices.interfaces",
        );
        copy(&mut seen, current, "spec.template.spec.networks");
    }
    if situation.release.has(Behaviour::IgnoresEqualFirmwareUuid) {
        let uuid = "domain.firmware.uuid";
        let guest = &situation.guest.spec;
        if template_spec(current).path("domain.firmware").is_some()
            && guest.path("domain.firmware").is_some()
            && guest.str_at(uuid) == template_spec(current).str_at(uuid)
        {
            let firmware = "spec.template.spec.domain.firmware";
            if seen.path(firmware).is_none() {
                seen.set(firmware, Node::map());
            }
            copy(
                &mut seen,
                current,
                "spec.template.spec.domain.firmware.uuid",
            );
        }
    }
    let of = "v1.VirtualMachineInstanceSpec";
    let (before, after) = (template_spec(&seen), template_spec(current));
    let positional = diff::differences(situation.release, of, before, after, Lists::ByPosition);
    if positional.is_empty() {
        return;
    }
    flow.template_differs = true;
    flow.require_restart("a non-live-updatable field was changed in the template spec");
    let by_key = diff::differences(situation.release, of, before, after, Lists::ByKey);
    // A list in another order differs for KubeVirt though every item is the same.
    let shown = if by_key.is_empty() {
        positional
    } else {
        by_key
    };
    let base = FieldPath::parse(SPEC);
    flow.forcing = shown
        .into_iter()
        .map(|mut difference| {
            difference.path = base.join(&difference.path);
            difference
        })
        .collect();
}

/// Whether the guest already runs the new VM's volumes and disks.
fn runs_already(situation: &Situation, current: &Node) -> bool {
    let list = |items: &[Node]| Node::new(crate::yaml::Value::Seq(items.to_vec()));
    let guest = &situation.guest.spec;
    let wanted = template_spec(current);
    let equal = |of: &str, a: &[Node], b: &[Node]| {
        diff::same(situation.release, of, Some(&list(a)), Some(&list(b)))
    };
    equal(
        "[]v1.Volume",
        hotplug::volumes(wanted),
        hotplug::volumes(guest),
    ) && equal("[]v1.Disk", hotplug::disks(wanted), hotplug::disks(guest))
}

fn copy(to: &mut Node, from: &Node, path: &str) {
    match from.path(path) {
        Some(node) => to.set(path, node.clone()),
        None => {
            to.remove(path);
        }
    }
}
