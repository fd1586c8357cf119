//! One VM across both sides: which kind of change it is.

use super::claims::Around;
use super::modified::modified;
use super::stage::Stage;
use super::{Apply, VmPlan, delivery, fan_out, lifecycle, moved, objects, upgrade};
use crate::change::{Pair, Relation, Sided};
use crate::diff::spelling::canonical;
use crate::diff::{Lists, differences};
use crate::source::Sources;
use crate::yaml::Node;

/// Judges one pair; `None` where the change does not touch the VM.
pub(super) fn judge<'a>(
    pair: &Pair<'a>,
    before_migration: Option<Sided<'a>>,
    apply: Apply,
    around: &Around<'a>,
) -> Option<VmPlan> {
    let sources = around.sources;
    let machine = pair.base.filter(|_| pair.head.is_some()).and_then(|base| {
        let name = &base.resource.id.name;
        let mut exports = around.exports.iter();
        exports.find_map(|export| export.machine(base.target(), base.namespace(), name))
    });
    let beside = match (machine, pair.base) {
        (Some(machine), Some(base)) => Some(machine.beside(&base.resource.node)),
        _ => None,
    };
    let stage = |subject| Stage::of(subject, beside.as_ref());
    let mut out = match (pair.base.map(stage), pair.head.map(stage)) {
        (Some(base), None) => lifecycle::removed(&base, around),
        (None, Some(head)) => lifecycle::added(&head, sources),
        (Some(base), Some(head)) if pair.relation == Relation::Renamed => {
            lifecycle::renamed(&base, &head, around)
        }
        (Some(base), Some(head)) if pair.relation == Relation::OtherRoot => {
            moved::to_another_root(&base, &head, sources)
        }
        (Some(base), Some(head)) => {
            let mut out = both(&base, &head, before_migration, apply, &stage, sources);
            objects::judge(&base, &head, around, &mut out);
            out?
        }
        (None, None) => return None,
    };
    moved::note(pair, &mut out);
    delivery::note(
        pair.base.as_ref(),
        pair.head.as_ref(),
        around.deliveries,
        &mut out,
    );
    Some(out)
}

/// A VM that both sides have, under one name.
fn both<'a>(
    base: &Stage<'a>,
    head: &Stage<'a>,
    before_migration: Option<Sided<'_>>,
    apply: Apply,
    stage: &dyn Fn(Sided<'a>) -> Stage<'a>,
    sources: &Sources,
) -> Option<VmPlan> {
    if !base.written().same_value(head.written()) {
        let applied = match apply {
            Apply::Merge => stage(head.subject).applied_over(base),
            Apply::Replace => stage(head.subject),
        };
        // An empty text is nothing in a new VM, and takes away what only the store has.
        let is_newly_refused = base.refused().is_empty() && !applied.refused().is_empty();
        if is_newly_refused
            || differs(&base.subject, &head.subject)
            || applied.stores_other_than(base)
        {
            let earlier = before_migration.map(Stage::new);
            return Some(modified(base, &applied, earlier.as_ref(), sources));
        }
    }
    if base.release() == head.release() {
        fan_out::unchanged(base, head, sources)
    } else {
        upgrade::unchanged(base, head, sources)
    }
}

/// Whether two forms of a VM differ beyond spelling. Order in lists counts here: what it does is the controller's word.
fn differs(base: &Sided, head: &Sided) -> bool {
    let comparable = |subject: &Sided| {
        let mut node = canonical("kubevirt.io", "VirtualMachine", &subject.resource.node);
        node.remove("status");
        if node.str_at("metadata.namespace").is_empty() {
            node.set("metadata.namespace", Node::string(subject.namespace()));
        }
        node
    };
    let release = head.resolver.release();
    !differences(
        release,
        "v1.VirtualMachine",
        &comparable(base),
        &comparable(head),
        Lists::ByPosition,
    )
    .is_empty()
}
