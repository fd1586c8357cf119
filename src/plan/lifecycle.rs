//! What starts, what stops, and what dies with a VM.

use super::admission;
use super::judge::{blank, causes, expanded};
use super::{Action, Change, Loss, Lost, Power, Reason, Rejection, VmPlan};
use crate::change::Subject;
use crate::diff::spelling::canonical;
use crate::source::Sources;
use crate::yaml::Node;

/// Whether a VM runs, by what its manifest says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runs {
    /// KubeVirt keeps it running.
    Yes,
    /// KubeVirt keeps it stopped.
    No,
    /// The manifest does not say.
    Perhaps,
}

/// The run strategy; `running` read as one.
pub(super) fn strategy(vm: &Node) -> String {
    canonical("kubevirt.io", "VirtualMachine", vm)
        .str_at("spec.runStrategy")
        .to_owned()
}

/// Whether a VM runs.
pub(super) fn runs(vm: &Node) -> Runs {
    match strategy(vm).as_str() {
        "Always" | "RerunOnFailure" => Runs::Yes,
        "Halted" => Runs::No,
        _ => Runs::Perhaps,
    }
}

/// Whether the guest starts or stops.
pub(super) fn power(old: &Node, new: &Node) -> Power {
    let starts = |vm: &Node| matches!(strategy(vm).as_str(), "Always" | "RerunOnFailure" | "Once");
    match (runs(old), runs(new)) {
        (Runs::No, _) if starts(new) => Power::Start,
        (Runs::Yes | Runs::Perhaps, Runs::No) => Power::Stop,
        _ => Power::Unchanged,
    }
}

/// A VM that is only in the head.
pub(super) fn added(head: &Subject, sources: &Sources) -> VmPlan {
    let mut out = blank(head, Change::Added);
    out.causes = causes(sources, [head.resource]);
    out.after = Some(expanded(head));
    let stored = admission::store(head);
    let mut answer = admission::review(head, None);
    out.assumptions.append(&mut answer.assumed);
    let mut refused = answer.refused;
    if refused.is_empty() {
        refused = stored.refused;
    }
    if refused.is_empty() {
        out.action = Action::Create;
        if matches!(
            strategy(&head.resource.node).as_str(),
            "Always" | "RerunOnFailure" | "Once"
        ) {
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
pub(super) fn removed(base: &Subject, sources: &Sources) -> VmPlan {
    let mut out = blank(base, Change::Removed);
    out.causes = causes(sources, [base.resource]);
    out.before = Some(expanded(base));
    if let Some(kept) = kept_by(&base.resource.node) {
        out.reasons.push(Reason::new(format!(
            "the VM stays in the cluster, unmanaged: {kept}"
        )));
        return out;
    }
    out.action = Action::Delete;
    if runs(&base.resource.node) != Runs::No {
        out.power = Power::Stop;
        out.down = 1;
    }
    out.loses = losses(&base.resource.node);
    if out.loses.iter().any(|loss| loss.what == Lost::Disk) {
        out.reasons.push(
            Reason::new("data volumes made from the VM's templates are deleted with it")
                .at("spec.dataVolumeTemplates"),
        );
    }
    out
}

/// The same VM under another name or namespace: for the cluster a delete and a create.
pub(super) fn renamed(base: &Subject, head: &Subject, sources: &Sources) -> VmPlan {
    let mut out = blank(head, Change::Renamed);
    out.causes = causes(sources, [base.resource, head.resource]);
    out.before = Some(expanded(base));
    out.after = Some(expanded(head));
    let from = format!("{}/{}", base.namespace(), base.resource.id.name);
    let to = format!("{}/{}", head.namespace(), head.resource.id.name);
    let mut reason = Reason {
        from: Some(from),
        to: Some(to),
        ..Reason::new(
            "a VM cannot be renamed or moved: the cluster deletes the old one and creates a new one",
        )
    };
    reason = reason.at(if base.resource.id.name == head.resource.id.name {
        "metadata.namespace"
    } else {
        "metadata.name"
    });
    out.reasons.push(reason);
    let mut answer = admission::review(head, None);
    out.assumptions.append(&mut answer.assumed);
    let refused = answer.refused;
    if !refused.is_empty() {
        out.action = Action::Rejected;
        out.rejected = Some(Rejection::Admission);
        out.reasons.extend(refused);
        return out;
    }
    if let Some(kept) = kept_by(&base.resource.node) {
        out.reasons.push(Reason::new(format!(
            "the old VM stays in the cluster, unmanaged, and both exist: {kept}"
        )));
        out.action = Action::Create;
        return out;
    }
    out.down = usize::from(runs(&base.resource.node) != Runs::No);
    out.was = Some((
        base.namespace().to_owned(),
        base.resource.id.name.to_string(),
    ));
    out.loses = losses(&base.resource.node);
    out.action = if out.loses.iter().any(|loss| loss.what == Lost::Disk) {
        out.reasons.push(
            Reason::new("data volumes made from the old VM's templates are deleted with it; the new VM starts on new, empty ones")
                .at("spec.dataVolumeTemplates"),
        );
        Action::DataLoss
    } else if runs(&base.resource.node) == Runs::No {
        Action::NextStart
    } else {
        Action::Restart
    };
    let kept = |loss: &Loss| {
        loss.what != Lost::Disk
            && losses(&head.resource.node)
                .iter()
                .any(|other| other == loss)
    };
    out.loses.retain(|loss| !kept(loss));
    out.power = match (runs(&base.resource.node), runs(&head.resource.node)) {
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
