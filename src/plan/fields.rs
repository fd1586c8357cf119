//! Every changed field of a VM, with what its change does.

use super::{Effect, FieldChange};
use crate::diff::{Difference, Lists, differences};
use crate::field_path::FieldPath;
use crate::release::Release;
use crate::update::decide::{Decision, expanded_differences};
use crate::update::words::shown;
use crate::update::{Action, Situation, Step};
use crate::yaml::Node;

/// The fields a decision is about.
pub(super) fn of(situation: &Situation, decision: &Decision) -> Vec<FieldChange> {
    let mut found = expanded_differences(situation);
    found.extend(
        vm_differences(situation.release, situation.old, situation.vm)
            .into_iter()
            .filter(|difference| !is_template(&difference.path)),
    );
    found
        .iter()
        .map(|difference| change(difference, effect(&difference.path, decision)))
        .collect()
}

/// The fields of a change that is refused: none reaches anything.
pub(super) fn unapplied(release: Release, old: &Node, new: &Node) -> Vec<FieldChange> {
    all(&vm_differences(release, old, new), Effect::None)
}

/// The fields of a change to a VM that does not run.
pub(super) fn waiting(release: Release, old: &Node, new: &Node) -> Vec<FieldChange> {
    vm_differences(release, old, new)
        .iter()
        .map(|difference| {
            let effect = if is_template(&difference.path) {
                Effect::NextStart
            } else {
                Effect::None
            };
            change(difference, effect)
        })
        .collect()
}

/// Differences that all do the same.
pub(super) fn all(differences: &[Difference], effect: Effect) -> Vec<FieldChange> {
    differences
        .iter()
        .map(|difference| change(difference, effect))
        .collect()
}

fn vm_differences(release: Release, old: &Node, new: &Node) -> Vec<Difference> {
    let plain = |vm: &Node| {
        let mut vm = vm.clone();
        vm.remove("status");
        vm
    };
    differences(
        release,
        "v1.VirtualMachine",
        &plain(old),
        &plain(new),
        Lists::ByKey,
    )
}

fn change(difference: &Difference, effect: Effect) -> FieldChange {
    let reason = shown(difference);
    FieldChange {
        path: difference.path.clone(),
        from: reason.from,
        to: reason.to,
        effect,
    }
}

fn is_template(path: &FieldPath) -> bool {
    path.to_string().starts_with("spec.template")
}

fn effect(path: &FieldPath, decision: &Decision) -> Effect {
    let text = path.to_string();
    if !is_template(path) || decision.action == Action::Rejected {
        return Effect::None;
    }
    let flow = &decision.flow;
    let forces = flow.forcing.iter().any(|other| other.path.overlaps(path))
        || flow.handler_fields.iter().any(|(field, _)| *field == text);
    if forces {
        return Effect::Restart;
    }
    let reached = flow.live.iter().any(|step| {
        let fields: &[&str] = match step {
            Step::Network => &["domain.devices.interfaces", "networks"],
            Step::Hotplug => &["domain.devices.disks", "volumes"],
            Step::Cpu => &["domain.cpu.sockets"],
            Step::Affinity => &["affinity", "nodeSelector"],
            Step::Tolerations => &["tolerations"],
            Step::Memory => &["domain.memory.guest"],
        };
        fields
            .iter()
            .any(|field| text.starts_with(&format!("spec.template.spec.{field}")))
    });
    let migrates =
        decision.action == Action::MigrateVolumes && text.starts_with("spec.template.spec.volumes");
    if reached || migrates {
        Effect::Live
    } else {
        Effect::NextStart
    }
}
