//! A VM that moves to another target, another root or another namespace.

use super::names;
use super::row::{blank, causes};
use super::stage::Stage;
use super::{Action, Change, Reason, VmPlan};
use crate::change::{Pair, Relation, Sided};
use crate::resolve::named::Kind;
use crate::source::Sources;

/// One VM in two roots of its target: whether it lives on depends on what applies the roots.
pub(super) fn to_another_root(base: &Stage, head: &Stage, sources: &Sources) -> VmPlan {
    let mut out = blank(&head.subject, Change::Moved);
    out.causes = causes(sources, [base.resource(), head.resource()]);
    out.before = Some(base.expanded().clone());
    out.after = Some(head.expanded().clone());
    out.action = Action::Unknown;
    let shown = |roots: &[String]| {
        let roots: Vec<&str> = roots
            .iter()
            .map(|root| if root.is_empty() { "." } else { root })
            .collect();
        roots.join(", ")
    };
    out.reasons.push(Reason {
        from: Some(shown(base.subject.roots)),
        to: Some(shown(head.subject.roots)),
        ..Reason::new(
            "it moves to another root: where what applied the old one prunes, it may delete the VM and its disks, after or before the new one takes it over; move it in two steps, with pruning off in between",
        )
    });
    out
}

/// Says what a move takes along and what it leaves behind.
pub(super) fn note(pair: &Pair<'_>, out: &mut VmPlan) {
    match (pair.relation, pair.base, pair.head) {
        (Relation::OtherTarget, Some(_), None) => {
            out.change = Change::Moved;
            out.reasons.push(Reason::new(
                "it moves to another target: it is deleted here and created there, nothing of it is copied",
            ));
        }
        (Relation::OtherTarget, None, Some(_)) => {
            out.change = Change::Moved;
            out.reasons.push(Reason::new(
                "it moves here from another target: it is created anew, nothing of it is copied",
            ));
        }
        (Relation::Renamed, Some(base), Some(head)) if base.namespace() != head.namespace() => {
            out.reasons.extend(left_behind(&base, &head));
        }
        _ => {}
    }
}

/// What the VM names in its old namespace and the tree does not have in its new one.
fn left_behind(base: &Sided, head: &Sided) -> Vec<Reason> {
    let vm = &head.resource.node;
    let own: Vec<&str> = vm
        .items_at("spec.dataVolumeTemplates")
        .iter()
        .map(|template| template.str_at("metadata.name"))
        .collect();
    let namespace = head.namespace();
    let is_there = |kinds: &[(&str, &str)], name: &str| {
        let assumed = &head.resolver.target().namespace;
        head.resolver.catalogs().iter().any(|catalog| {
            kinds.iter().any(|(group, kind)| {
                let mut found = catalog.find(group, kind, Some(namespace), name, assumed);
                found.next().is_some()
            })
        })
    };
    let mut out = Vec::new();
    for name in names::of(vm) {
        let stays = name.kind != Kind::Network
            && !own.contains(&name.name)
            && !is_there(name.kind.objects(), name.name);
        if stays {
            out.push(
                Reason::new(format!(
                    "{} `{}` stays in namespace `{}`: the VM finds none in `{namespace}` unless it is made there",
                    name.kind.word(),
                    name.name,
                    base.namespace()
                ))
                .at(&name.field.to_string()),
            );
        }
    }
    out
}
