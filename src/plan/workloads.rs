//! Objects that make guests and are no virtual machines: pools, replica sets and bare instances, as their controllers treat
//! a change of them.

use super::lifecycle::kept_by;
use super::power::{self, Runs};
use super::row::{blank, causes};
use super::start;
use super::{Action, Change, Effect, Loss, Lost, Power, Reason, Rejection, VmPlan, fields};
use crate::change::{Pair, Sided};
use crate::diff::{Difference, Lists, differences};
use crate::field_path::FieldPath;
use crate::release::Behaviour;
use crate::source::Sources;
use crate::yaml::{Node, Value};

/// The resources that make guests by themselves and are no virtual machines.
pub(super) fn among<'a>(side: &[Sided<'a>]) -> Vec<Sided<'a>> {
    side.iter()
        .filter(|subject| is_workload(subject))
        .copied()
        .collect()
}

fn is_workload(subject: &Sided) -> bool {
    let resource = subject.resource;
    resource.is("pool.kubevirt.io", "VirtualMachinePool")
        || resource.is("kubevirt.io", "VirtualMachineInstanceReplicaSet")
        || resource.is("kubevirt.io", "VirtualMachineInstance")
}

/// Judges one pair; `None` where nothing differs.
pub(super) fn judge(pair: &Pair<'_>, sources: &Sources) -> Option<VmPlan> {
    match (pair.base, pair.head) {
        (Some(base), None) => Some(removed(&base, sources)),
        (None, Some(head)) => Some(added(&head, sources)),
        (Some(base), Some(head)) => {
            let found = differences_of(&base, &head);
            (!found.is_empty()).then(|| modified(&base, &head, &found, sources))
        }
        (None, None) => None,
    }
}

/// How many guests an object runs.
fn guests(node: &Node, kind: &str) -> usize {
    if kind == "VirtualMachineInstance" {
        return 1;
    }
    let runs = kind != "VirtualMachinePool"
        || node
            .path("spec.virtualMachineTemplate")
            .is_none_or(|template| power::runs(template) != Runs::No);
    if runs { replicas(node) } else { 0 }
}

fn replicas(node: &Node) -> usize {
    node.path("spec.replicas")
        .and_then(Node::as_i64)
        .map_or(1, |count| usize::try_from(count).unwrap_or(0))
}

/// The disks that the VMs of a pool own, by the name of their template.
fn disks(node: &Node) -> Vec<Loss> {
    node.items_at("spec.virtualMachineTemplate.spec.dataVolumeTemplates")
        .iter()
        .map(|template| Loss {
            what: Lost::Disk,
            name: template.str_at("metadata.name").to_owned(),
        })
        .collect()
}

fn added(head: &Sided, sources: &Sources) -> VmPlan {
    let mut out = blank(head, Change::Added);
    out.causes = causes(sources, [head.resource]);
    out.hold(Action::Create);
    if guests(&head.resource.node, &out.kind) > 0 {
        out.power = Power::Start;
    }
    start::note_workload(head, None, &mut out);
    out
}

fn removed(base: &Sided, sources: &Sources) -> VmPlan {
    let node = &base.resource.node;
    let mut out = blank(base, Change::Removed);
    out.causes = causes(sources, [base.resource]);
    if let Some(kept) = kept_by(node) {
        out.reasons.push(Reason::new(format!(
            "it stays in the cluster with its guests, unmanaged: {kept}"
        )));
        return out;
    }
    out.hold(Action::Delete);
    out.down = guests(node, &out.kind);
    if out.down > 0 {
        out.power = Power::Stop;
    }
    out.loses = disks(node);
    if !out.loses.is_empty() {
        out.hold(Action::DataLoss);
    }
    out.reasons.push(Reason::new(format!(
        "its {} guests are deleted with it{}",
        out.down,
        if out.loses.is_empty() {
            ""
        } else {
            ", and the disks that their virtual machines own"
        }
    )));
    out
}

/// What differs beyond status, by the object's root.
fn differences_of(base: &Sided, head: &Sided) -> Vec<Difference> {
    let plain = |subject: &Sided| {
        let mut node = subject.resource.node.clone();
        node.remove("status");
        node
    };
    let (before, after) = (plain(base), plain(head));
    if before.same_value(&after) {
        return Vec::new();
    }
    let kind = format!("v1.{}", head.resource.id.kind);
    differences(
        head.resolver.release(),
        &kind,
        &before,
        &after,
        Lists::ByKey,
    )
}

fn modified(base: &Sided, head: &Sided, found: &[Difference], sources: &Sources) -> VmPlan {
    let mut out = blank(head, Change::Modified);
    out.causes = causes(sources, [base.resource, head.resource]);
    out.fields = fields::all(found, Effect::None);
    match out.kind.as_str() {
        "VirtualMachinePool" => pool(base, head, &mut out),
        "VirtualMachineInstanceReplicaSet" => {
            scaled(base, head, &[], &mut out);
            if touches(found, "spec.template") {
                out.hold(Action::NextStart);
                out.reasons.push(
                    Reason::new(
                        "guests that run stay as they are, new ones are made from the new template",
                    )
                    .at("spec.template"),
                );
            }
        }
        _ => {
            if touches(found, "spec") {
                out.hold(Action::Rejected);
                out.rejected = Some(Rejection::Admission);
                out.reasons.push(
                    Reason::new("the spec of a running instance cannot be updated: delete it and create it anew, or use a VirtualMachine")
                        .at("spec"),
                );
            }
        }
    }
    if !out.holds(Action::Rejected) {
        start::note_workload(head, Some(base), &mut out);
    }
    out
}

fn touches(found: &[Difference], field: &str) -> bool {
    let field = FieldPath::parse(field);
    found
        .iter()
        .any(|difference| difference.path.overlaps(&field))
}

/// Fewer replicas: the guests above the new number are deleted, with their disks.
fn scaled(base: &Sided, head: &Sided, disks: &[Loss], out: &mut VmPlan) {
    let (before, after) = (&base.resource.node, &head.resource.node);
    let (from, to) = (replicas(before), replicas(after));
    let reason = |words: String| {
        Reason {
            from: Some(from.to_string()),
            to: Some(to.to_string()),
            ..Reason::new(words)
        }
        .at("spec.replicas")
    };
    if to > from {
        out.hold(Action::Create);
        out.reasons
            .push(reason(format!("{} guests are created", to - from)));
    } else if to < from {
        let gone = from - to;
        out.hold(Action::Delete);
        if guests(before, &out.kind) > 0 {
            out.down += gone;
        }
        if !disks.is_empty() {
            out.hold(Action::DataLoss);
            out.loses.extend_from_slice(disks);
        }
        out.reasons
            .push(reason(format!("{gone} guests are deleted")));
    }
}

/// Mirrors update, proactiveUpdate and isOutdatedVMI, pkg/virt-controller/watch/pool/pool.go: a changed template updates
/// every VM; Proactive, the default, deletes each guest that was made from the old one, so that it starts anew, and, where
/// data volume templates differ, the whole VM.
fn pool(base: &Sided, head: &Sided, out: &mut VmPlan) {
    const TEMPLATE: &str = "spec.virtualMachineTemplate";
    let release = head.resolver.release();
    let (before, after) = (&base.resource.node, &head.resource.node);
    if after.bool_at("spec.paused") {
        out.reasons.push(
            Reason::new("the pool is paused: nothing happens until it is resumed")
                .at("spec.paused"),
        );
        return;
    }
    let has_strategies = release.has(Behaviour::PoolsHaveStrategies);
    let strategy = |path: &str| has_strategies && after.path(path).is_some();
    let scale_in = "spec.scaleInStrategy";
    let kept_disks = ["proactive", "opportunistic"].iter().any(|way| {
        let state = after.str_at(&format!("{scale_in}.{way}.statePreservation"));
        has_strategies && !state.is_empty() && state != "Disabled"
    });
    if replicas(before) > replicas(after) && strategy(&format!("{scale_in}.unmanaged")) {
        out.reasons.push(
            Reason::new("the pool deletes no guest by itself (`scaleInStrategy.unmanaged`)")
                .at("spec.replicas"),
        );
    } else {
        let lost = if kept_disks {
            Vec::new()
        } else {
            disks(before)
        };
        scaled(base, head, &lost, out);
    }
    let empty = Node::map();
    let at = |node: &Node, path: &str| {
        let found = node.path(&format!("{TEMPLATE}.{path}"));
        found.cloned().unwrap_or_else(|| empty.clone())
    };
    let list = |node: &Node| {
        let items = node.items_at(&format!("{TEMPLATE}.spec.dataVolumeTemplates"));
        Node::new(Value::Seq(items.to_vec()))
    };
    let differs = |of: &str, from: &Node, to: &Node| {
        !differences(release, of, from, to, Lists::ByPosition).is_empty()
    };
    let new_disks = differs("[]v1.DataVolumeTemplateSpec", &list(before), &list(after));
    let new_guest = differs(
        "v1.VirtualMachineInstanceTemplateSpec",
        &at(before, "spec.template"),
        &at(after, "spec.template"),
    );
    if !new_disks && !new_guest {
        return;
    }
    if strategy("spec.updateStrategy.unmanaged") {
        out.reasons.push(
            Reason::new("the pool updates no VM by itself (`updateStrategy.unmanaged`)")
                .at(TEMPLATE),
        );
        return;
    }
    if strategy("spec.updateStrategy.opportunistic") {
        out.hold(Action::NextStart);
        out.reasons.push(
            Reason::new("every VM of the pool is updated, its guest gets it at the next start (`updateStrategy.opportunistic`)")
                .at(TEMPLATE),
        );
        return;
    }
    let running = guests(before, &out.kind).min(replicas(after));
    if new_disks && release.has(Behaviour::PoolsDeleteForNewDisks) {
        out.down += running;
        out.loses = disks(before);
        out.hold(Action::Delete);
        if !out.loses.is_empty() {
            out.hold(Action::DataLoss);
        }
        out.reasons.push(
            Reason::new("other data volume templates: the pool deletes every VM whose guest runs, its disks with it, and makes a new one")
                .at("spec.virtualMachineTemplate.spec.dataVolumeTemplates"),
        );
    } else if new_guest {
        out.down += running;
        if running > 0 {
            out.hold(Action::Restart);
            out.hold_beside(Action::Stop);
        } else {
            out.hold(Action::NextStart);
        }
        out.reasons.push(
            Reason::new(format!(
                "the pool deletes its {running} running guests by itself, within `maxUnavailable`, and starts them anew from the new template"
            ))
            .at("spec.virtualMachineTemplate.spec.template"),
        );
    } else {
        out.hold(Action::NextStart);
        out.reasons.push(
            Reason::new("every VM of the pool is updated; disks that exist stay")
                .at("spec.virtualMachineTemplate.spec.dataVolumeTemplates"),
        );
    }
}
