//! What is created, deleted and renamed, and what is lost with it.

use super::claims::Around;
use super::power::{self, Runs, runs};
use super::row::{blank, causes};
use super::stage::Stage;
use super::start;
use super::{Action, Change, Loss, Lost, Power, Reason, Rejection, VmPlan};
use super::{admission, objects};
use crate::source::Sources;
use crate::yaml::Node;

/// A VM that is only in the head.
pub(super) fn added(head: &Stage, sources: &Sources) -> VmPlan {
    let mut out = blank(&head.subject, Change::Added);
    out.causes = causes(sources, [head.resource()]);
    out.after = Some(head.expanded().clone());
    let mut answer = admission::review(head, None);
    out.assumptions.append(&mut answer.assumed);
    let mut refused = answer.refused;
    if refused.is_empty() {
        refused = head.refused().to_vec();
    }
    if refused.is_empty() {
        out.action = Action::Create;
        if runs(head.written()) == Runs::Yes {
            out.power = Power::Start;
        }
        start::note(answer.start, None, &mut out);
    } else {
        out.action = Action::Rejected;
        out.rejected = Some(Rejection::Admission);
        out.reasons = refused;
    }
    out
}

/// A VM that is only in the base.
pub(super) fn removed(base: &Stage, around: &Around<'_>) -> VmPlan {
    let mut out = blank(&base.subject, Change::Removed);
    out.causes = causes(around.sources, [base.resource()]);
    out.before = Some(base.expanded().clone());
    if let Some(kept) = kept_by(base.written()) {
        out.reasons.push(Reason::new(format!(
            "the VM stays in the cluster, unmanaged: {kept}"
        )));
        objects::gone_with(base, around, &mut out);
        return out;
    }
    if runs(base.written()) != Runs::No {
        out.power = Power::Stop;
    }
    out.loses = losses(base.written());
    deleted(base, &mut out);
    let owns_disks = out.holds(Action::DataLoss);
    objects::gone_with(base, around, &mut out);
    if owns_disks {
        out.reasons.push(
            Reason::new("data volumes made from the VM's templates are deleted with it")
                .at("spec.dataVolumeTemplates"),
        );
    } else if !out.holds(Action::DataLoss) {
        out.reasons.push(Reason::new(
            "the VM is deleted; claims and data volumes of their own stay",
        ));
    }
    out
}

/// What the deletion of the base's VM takes along.
fn deleted(base: &Stage, out: &mut VmPlan) {
    out.hold(Action::Delete);
    if out.loses.iter().any(|loss| loss.what == Lost::Disk) {
        out.hold(Action::DataLoss);
    }
    if runs(base.written()) != Runs::No {
        out.down = 1;
        out.assumptions.extend(power::assumption(base.written()));
    }
    if sync_options(base.written()).any(|option| option == "Prune=confirm") {
        out.assumptions
            .push("Argo CD asks before it deletes (`Prune=confirm`): somebody says yes".to_owned());
    }
}

/// The same VM under another name or namespace: for the cluster a delete and a create.
pub(super) fn renamed(base: &Stage, head: &Stage, around: &Around<'_>) -> VmPlan {
    let mut out = blank(&head.subject, Change::Renamed);
    out.causes = causes(around.sources, [base.resource(), head.resource()]);
    out.before = Some(base.expanded().clone());
    out.after = Some(head.expanded().clone());
    out.was = Some((
        base.namespace().to_owned(),
        base.resource().id.name.to_string(),
    ));
    let reason = Reason {
        from: Some(format!("{}/{}", base.namespace(), base.resource().id.name)),
        to: Some(format!("{}/{}", head.namespace(), head.resource().id.name)),
        ..Reason::new(
            "a VM cannot be renamed or moved: the cluster deletes the old one and creates a new one",
        )
    };
    let is_moved = base.resource().id.name == head.resource().id.name;
    out.reasons.push(reason.at(if is_moved {
        "metadata.namespace"
    } else {
        "metadata.name"
    }));
    let mut answer = admission::review(head, None);
    out.assumptions.append(&mut answer.assumed);
    let mut refused = answer.refused;
    if refused.is_empty() {
        refused = head.refused().to_vec();
    }
    if let Some(kept) = kept_by(base.written()) {
        out.reasons.push(Reason::new(format!(
            "the old VM stays in the cluster, unmanaged, and both exist: {kept}"
        )));
        out.hold(if refused.is_empty() {
            Action::Create
        } else {
            Action::Rejected
        });
    } else {
        out.loses = losses(base.written());
        deleted(base, &mut out);
        if out.holds(Action::DataLoss) {
            out.reasons.push(
                Reason::new(what_the_new_disks_hold(head.written())).at("spec.dataVolumeTemplates"),
            );
        }
        objects::gone_with(base, around, &mut out);
        let kept = losses(head.written());
        out.loses
            .retain(|loss| loss.what == Lost::Disk || !kept.contains(loss));
        out.power = match (runs(base.written()), runs(head.written())) {
            (Runs::No, Runs::Yes) => Power::Start,
            (Runs::Yes | Runs::Perhaps, Runs::No) => Power::Stop,
            _ => Power::Unchanged,
        };
    }
    start::note(answer.start, Some(&base.subject), &mut out);
    if !refused.is_empty() {
        // That the new one is refused does not bring the old one back.
        out.hold_beside(Action::Rejected);
        out.rejected = Some(Rejection::Admission);
        out.reasons.extend(refused);
    }
    out
}

/// What the disks of a VM that is created anew hold.
fn what_the_new_disks_hold(vm: &Node) -> &'static str {
    let mut filled = false;
    let mut empty = false;
    for template in vm.items_at("spec.dataVolumeTemplates") {
        let has_source = template.path("spec.sourceRef").is_some()
            || template.path("spec.source").is_some_and(|source| {
                !source.entries().is_empty() && source.get("blank").is_none()
            });
        filled |= has_source;
        empty |= !has_source;
    }
    match (filled, empty) {
        (true, false) => {
            "data volumes made from the old VM's templates are deleted with it; the new VM starts on fresh copies of their sources"
        }
        (true, true) => {
            "data volumes made from the old VM's templates are deleted with it; the new VM starts on new ones: fresh copies of their sources, or empty"
        }
        (false, _) => {
            "data volumes made from the old VM's templates are deleted with it; the new VM starts on new, empty ones"
        }
    }
}

/// Why a GitOps controller leaves an object that is gone from Git. `Delete=false` is about the deletion of an Application,
/// and `Prune=confirm` deletes once somebody says yes.
pub(super) fn kept_by(vm: &Node) -> Option<&'static str> {
    if sync_options(vm).any(|option| option == "Prune=false") {
        return Some("`argocd.argoproj.io/sync-options: Prune=false`");
    }
    let disabled = vm
        .path("metadata.annotations")
        .and_then(|annotations| annotations.get("kustomize.toolkit.fluxcd.io/prune"))
        .and_then(Node::as_str)
        .is_some_and(|value| value.eq_ignore_ascii_case("disabled"));
    disabled.then_some("`kustomize.toolkit.fluxcd.io/prune: disabled`")
}

/// Argo CD's options for one object.
fn sync_options(vm: &Node) -> impl Iterator<Item = &str> {
    vm.path("metadata.annotations")
        .and_then(|annotations| annotations.get("argocd.argoproj.io/sync-options"))
        .and_then(Node::as_str)
        .into_iter()
        .flat_map(|options| options.split(','))
        .map(str::trim)
}

/// Disks, MAC addresses and firmware UUID that belong to the VM.
fn losses(vm: &Node) -> Vec<Loss> {
    let mut out = Vec::new();
    let mut lose = |what, name: &str| {
        if !name.is_empty() {
            out.push(Loss {
                what,
                name: name.to_owned(),
            });
        }
    };
    for template in vm.items_at("spec.dataVolumeTemplates") {
        lose(Lost::Disk, template.str_at("metadata.name"));
    }
    for interface in vm.items_at("spec.template.spec.domain.devices.interfaces") {
        lose(Lost::Mac, interface.str_at("macAddress"));
    }
    lose(
        Lost::Uuid,
        vm.str_at("spec.template.spec.domain.firmware.uuid"),
    );
    out
}
