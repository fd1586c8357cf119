//! What is created, deleted and renamed, and what dies with it.

use super::admission;
use super::power::{Runs, runs};
use super::row::{blank, causes};
use super::stage::Stage;
use super::{Action, Change, Loss, Lost, Power, Reason, Rejection, VmPlan};
use crate::source::Sources;
use crate::yaml::Node;

/// A VM that is only in the head.
pub(super) fn added(head: &Stage, sources: &Sources) -> VmPlan {
    let mut out = blank(&head.subject, Change::Added);
    out.causes = causes(sources, [head.resource()]);
    out.after = Some(head.expanded().clone());
    let mut answer = admission::review(&head.subject, None);
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
    } else {
        out.action = Action::Rejected;
        out.rejected = Some(Rejection::Admission);
        out.reasons = refused;
    }
    out
}

/// A VM that is only in the base.
pub(super) fn removed(base: &Stage, sources: &Sources) -> VmPlan {
    let mut out = blank(&base.subject, Change::Removed);
    out.causes = causes(sources, [base.resource()]);
    out.before = Some(base.expanded().clone());
    if let Some(kept) = kept_by(base.written()) {
        out.reasons.push(Reason::new(format!(
            "the VM stays in the cluster, unmanaged: {kept}"
        )));
        return out;
    }
    out.action = Action::Delete;
    if runs(base.written()) != Runs::No {
        out.power = Power::Stop;
        out.down = 1;
    }
    out.loses = losses(base.written());
    if out.loses.iter().any(|loss| loss.what == Lost::Disk) {
        out.reasons.push(
            Reason::new("data volumes made from the VM's templates are deleted with it")
                .at("spec.dataVolumeTemplates"),
        );
    }
    out
}

/// The same VM under another name or namespace: for the cluster a delete and a create.
pub(super) fn renamed(base: &Stage, head: &Stage, sources: &Sources) -> VmPlan {
    let mut out = blank(&head.subject, Change::Renamed);
    out.causes = causes(sources, [base.resource(), head.resource()]);
    out.before = Some(base.expanded().clone());
    out.after = Some(head.expanded().clone());
    let from = format!("{}/{}", base.namespace(), base.resource().id.name);
    let to = format!("{}/{}", head.namespace(), head.resource().id.name);
    let mut reason = Reason {
        from: Some(from),
        to: Some(to),
        ..Reason::new(
            "a VM cannot be renamed or moved: the cluster deletes the old one and creates a new one",
        )
    };
    reason = reason.at(if base.resource().id.name == head.resource().id.name {
        "metadata.namespace"
    } else {
        "metadata.name"
    });
    out.reasons.push(reason);
    let mut answer = admission::review(&head.subject, None);
    out.assumptions.append(&mut answer.assumed);
    let refused = answer.refused;
    if !refused.is_empty() {
        out.action = Action::Rejected;
        out.rejected = Some(Rejection::Admission);
        out.reasons.extend(refused);
        return out;
    }
    if let Some(kept) = kept_by(base.written()) {
        out.reasons.push(Reason::new(format!(
            "the old VM stays in the cluster, unmanaged, and both exist: {kept}"
        )));
        out.action = Action::Create;
        return out;
    }
    out.down = usize::from(runs(base.written()) != Runs::No);
    out.was = Some((
        base.namespace().to_owned(),
        base.resource().id.name.to_string(),
    ));
    out.loses = losses(base.written());
    out.action = if out.loses.iter().any(|loss| loss.what == Lost::Disk) {
        out.reasons.push(
            Reason::new("data volumes made from the old VM's templates are deleted with it; the new VM starts on new, empty ones")
                .at("spec.dataVolumeTemplates"),
        );
        Action::DataLoss
    } else if runs(base.written()) == Runs::No {
        Action::NextStart
    } else {
        Action::Restart
    };
    let kept = |loss: &Loss| {
        loss.what != Lost::Disk && losses(head.written()).iter().any(|other| other == loss)
    };
    out.loses.retain(|loss| !kept(loss));
    out.power = match (runs(base.written()), runs(head.written())) {
        (Runs::No, Runs::Yes) => Power::Start,
        (Runs::Yes | Runs::Perhaps, Runs::No) => Power::Stop,
        _ => Power::Unchanged,
    };
    out
}

/// Why a GitOps controller leaves an object that is gone from Git.
fn kept_by(vm: &Node) -> Option<&'static str> {
    let annotations = vm.path("metadata.annotations")?;
    let value = |key: &str| annotations.get(key).and_then(Node::as_str);
    if let Some(options) = value("argocd.argoproj.io/sync-options") {
        for option in options.split(',').map(str::trim) {
            match option {
                "Prune=false" => return Some("`argocd.argoproj.io/sync-options: Prune=false`"),
                "Delete=false" => return Some("`argocd.argoproj.io/sync-options: Delete=false`"),
                _ => {}
            }
        }
    }
    let disabled = value("kustomize.toolkit.fluxcd.io/prune")
        .is_some_and(|value| value.eq_ignore_ascii_case("disabled"));
    disabled.then_some("`kustomize.toolkit.fluxcd.io/prune: disabled`")
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
