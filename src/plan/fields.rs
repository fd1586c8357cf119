//! Every changed field of a VM, with what its change does.

use super::{Effect, FieldChange};
use crate::diff::{Difference, Lists, differences};
use crate::field_path::FieldPath;
use crate::release::Release;
use crate::update::decide::Decision;
use crate::update::words::shown;
use crate::update::{Action, Situation};
use crate::yaml::Node;

/// The fields a decision is about: the values of the guest, and what differs outside the template.
pub(super) fn of(situation: &Situation, decision: &Decision) -> Vec<FieldChange> {
    let outside = vm_differences(situation.release, situation.old, situation.vm);
    decision
        .values
        .iter()
        .map(|value| {
            let effect = if decision.action == Action::Rejected {
                Effect::None
            } else {
                value.effect
            };
            change(&value.difference, effect)
        })
        .chain(
            outside
                .iter()
                .filter(|difference| !is_template(&difference.path))
                .map(|difference| change(difference, Effect::None)),
        )
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
