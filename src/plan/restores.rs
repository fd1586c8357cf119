//! Restores of snapshots: one that arrives replaces the disks of its VM.

use std::collections::BTreeMap;

use super::names;
use super::power::{self, Runs};
use super::row::{blank, causes};
use super::{Action, Change, Loss, Lost, Power, Reason, Rejection, VmPlan};
use crate::change::{Pair, Sided};
use crate::resolve::named::Kind;
use crate::source::Sources;

/// Whether a resource restores a snapshot.
pub(super) fn is_restore(subject: &Sided<'_>) -> bool {
    let resource = subject.resource;
    resource.is("snapshot.kubevirt.io", "VirtualMachineRestore")
}

/// The VMs of the base, for restores to find theirs.
pub(super) struct Machines<'a>(BTreeMap<(&'a str, &'a str, &'a str), Sided<'a>>);

impl<'a> Machines<'a> {
    /// The VMs of the base.
    pub(super) fn of(pairs: &[Pair<'a>]) -> Self {
        let bases = pairs.iter().filter_map(|pair| pair.base);
        Self(
            bases
                .map(|vm| ((vm.target(), vm.namespace(), &*vm.resource.id.name), vm))
                .collect(),
        )
    }
}

/// Judges one pair; `None` where nothing is restored.
pub(super) fn judge(pair: &Pair<'_>, machines: &Machines<'_>, sources: &Sources) -> Option<VmPlan> {
    match (pair.base, pair.head) {
        (None, Some(head)) => Some(added(&head, machines, sources)),
        (Some(base), Some(head)) => {
            let spec = |subject: &Sided<'_>| subject.resource.node.get("spec").cloned();
            let is_same = match (spec(&base), spec(&head)) {
                (Some(base), Some(head)) => base.same_value(&head),
                (base, head) => base.is_none() && head.is_none(),
            };
            if is_same {
                return None;
            }
            let mut out = blank(&head, Change::Modified);
            out.causes = causes(sources, [base.resource, head.resource]);
            out.hold(Action::Rejected);
            out.rejected = Some(Rejection::Admission);
            // Mirrors VMRestoreAdmitter.Admit, pkg/storage/admitters/vmrestore.go.
            out.reasons.push(
                Reason::new("a restore cannot be changed: make a new one")
                    .at("spec")
                    .saying("spec in immutable after creation"),
            );
            Some(out)
        }
        _ => None,
    }
}

/// Mirrors handleVMRestoreTargetNotReady and deleteObsoleteVolumes, pkg/storage/snapshot/restore.go.
fn added(head: &Sided<'_>, machines: &Machines<'_>, sources: &Sources) -> VmPlan {
    let node = &head.resource.node;
    let mut out = blank(head, Change::Added);
    out.causes = causes(sources, [head.resource]);
    let target = node.str_at("spec.target.name");
    let vm = machines
        .0
        .get(&(head.target(), head.namespace(), target))
        .copied();
    let namespace = Some(head.namespace());
    if vm.is_none()
        && head
            .resolver
            .target()
            .holds("VirtualMachine", namespace, target)
    {
        out.hold(Action::Create);
        out.reasons.push(
            Reason::new(format!(
                "VM `{target}` does not exist: it is made from the snapshot"
            ))
            .at("spec.target"),
        );
        return out;
    }
    out.hold(Action::DataLoss);
    out.reasons.push(
        Reason::new(format!(
            "the disks of VM `{target}` are replaced by those of snapshot `{}`: what was written since is gone",
            node.str_at("spec.virtualMachineSnapshotName")
        ))
        .at("spec.target"),
    );
    let runs = vm.is_none_or(|vm| power::runs(&vm.resource.node) != Runs::No);
    if let Some(vm) = vm {
        let vm = &vm.resource.node;
        for name in names::of(vm) {
            let loss = Loss {
                what: Lost::Disk,
                name: name.name.to_owned(),
            };
            if name.kind == Kind::Claim && !out.loses.contains(&loss) {
                out.loses.push(loss);
            }
        }
        out.assumptions.extend(power::assumption(vm));
    }
    if !runs {
        return out;
    }
    match node.str_at("spec.targetReadinessPolicy") {
        "StopTarget" => {
            out.hold(Action::Stop);
            out.power = Power::Stop;
            out.down = 1;
            out.reasons.push(
                Reason::new("the running guest is stopped for it")
                    .at("spec.targetReadinessPolicy"),
            );
        }
        "FailImmediate" => {
            out.reasons.push(
                Reason::new("it fails at once where the guest runs")
                    .at("spec.targetReadinessPolicy"),
            );
        }
        _ => out.reasons.push(Reason::new(
            "it waits until the guest is stopped, and fails after a few minutes unless `targetReadinessPolicy` says otherwise",
        )),
    }
    out
}
