//! What VMs share, instance types and preferences, and how it differs between the sides.

use std::sync::Arc;

use super::CauseLocation;
use super::row::causes;
use super::stage::Stage;
use crate::diff::spelling::canonical;
use crate::resolve::{Resolution, Spec};
use crate::resource::Resource;
use crate::resource::cluster::ReferencePolicy;
use crate::source::Sources;
use crate::stored::Matcher;
use crate::update::types::Types;
use crate::yaml::Node;

/// Whether both VMs name the same types by name, so that revisions captured at start stay.
pub(super) fn same_matchers(old: &Node, new: &Node) -> bool {
    let matchers = |vm: &Node| {
        let vm = canonical("kubevirt.io", "VirtualMachine", vm);
        ["spec.instancetype", "spec.preference"].map(|path| {
            ["name", "kind", "revisionName"]
                .map(|field| vm.str_at(&format!("{path}.{field}")).to_owned())
        })
    };
    let (old, new) = (matchers(old), matchers(new));
    old == new && new.iter().all(|[_, _, revision]| revision.is_empty())
}

/// Whether a matcher of a VM that is updated keeps what the controller captured for the old VM.
///
/// Mirrors syncStatusWithMatcher, pkg/instancetype/revision/store.go @ v1.9.0: what the new matcher leaves out changes
/// nothing. Where the revision's name stands in the matcher, an apply keeps it beside the name, and a replacement drops it.
pub(super) fn keeps_captured(base: &Stage, head: &Stage, matcher: Matcher) -> bool {
    let path = format!("spec.{}", matcher.field());
    let (Some(old), Some(new)) = (base.stored().path(&path), head.stored().path(&path)) else {
        return false;
    };
    if !new.str_at("revisionName").is_empty() {
        return false;
    }
    let is_same = |field: &str| {
        let value = new.str_at(field);
        value.is_empty() || value == old.str_at(field)
    };
    if base.release().keeps_revisions_in_spec() {
        return head.is_applied_over() && is_same("name");
    }
    is_same("name") && is_same("kind") && is_same("inferFromVolume")
}

/// The matcher that an apply gives another name while the revision captured for the old one stays beside it, where the
/// controller writes revisions into matchers.
///
/// Mirrors validateMatcherUpdate, vm-mutator.go @ v1.4.1.
pub(super) fn left_revision(base: &Stage, head: &Stage) -> Option<Matcher> {
    let target = base.subject.resolver.target();
    let captures =
        target.configuration.reference_policy(target.release) == ReferencePolicy::Reference;
    if !target.release.keeps_revisions_in_spec() || !captures || !head.is_applied_over() {
        return None;
    }
    Matcher::ALL.into_iter().find(|matcher| {
        let says = |side: &Stage, field: &str| {
            let path = format!("spec.{}.{field}", matcher.field());
            side.written().path(&path).cloned()
        };
        let name = |side: &Stage| {
            let path = format!("spec.{}.name", matcher.field());
            side.stored().str_at(&path).to_owned()
        };
        let (from, to) = (name(base), name(head));
        let is_cleared = [base, head]
            .into_iter()
            .any(|side| says(side, "revisionName").is_some());
        !from.is_empty() && !to.is_empty() && from != to && !is_cleared
    })
}

/// Whether two sets of types give a VM the same.
pub(super) fn same_types(a: &Types, b: &Types) -> bool {
    let same = |a: &Option<Arc<Spec>>, b: &Option<Arc<Spec>>| match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a.node.same_value(&b.node),
        (None, None) => true,
        _ => false,
    };
    same(&a.instancetype, &b.instancetype) && same(&a.preference, &b.preference)
}

/// The types that differ, in words.
pub(super) fn changed_names(stored: &Node, captured: &Types, live: &Types) -> String {
    let differs = |a: &Option<Arc<Spec>>, b: &Option<Arc<Spec>>| match (a, b) {
        (Some(a), Some(b)) => !a.node.same_value(&b.node),
        _ => a.is_some() != b.is_some(),
    };
    let mut out = Vec::new();
    if differs(&captured.instancetype, &live.instancetype) {
        out.push(format!(
            "instance type `{}`",
            stored.str_at("spec.instancetype.name")
        ));
    }
    if differs(&captured.preference, &live.preference) {
        out.push(format!(
            "preference `{}`",
            stored.str_at("spec.preference.name")
        ));
    }
    out.join(" and ")
}

/// Whether the objects of a side hold one of that identity.
fn has(side: &Stage, resource: &Resource) -> bool {
    let id = &resource.id;
    let namespace = (!id.kind.contains("Cluster")).then(|| side.namespace());
    let found = (side.subject.resolver).find(&id.group, &id.kind, namespace, &id.name);
    matches!(found, Resolution::Found(_))
}

/// What a VM shares with others and that differs between the sides.
#[derive(Debug, Default)]
pub(super) struct SharedChange {
    /// Where they stand.
    pub(super) causes: Vec<CauseLocation>,
    /// Each object with its file, in words.
    pub(super) words: Vec<String>,
}

/// The instance type and preference where they differ between the sides.
pub(super) fn shared_change(base: &Stage, head: &Stage, sources: &Sources) -> SharedChange {
    let mut out = SharedChange::default();
    let (before, after) = (base.named(), head.named());
    let kinds = ["instance type", "preference"];
    for ((before, after), kind) in before.iter().zip(&after).zip(kinds) {
        let verb = match (before, after) {
            (Some(before), Some(after)) if before.spec.node.same_value(&after.spec.node) => {
                continue;
            }
            (Some(before), Some(after)) if before.resource.id != after.resource.id => "",
            (Some(_), Some(_)) => "changed",
            // It is there, and this release does not read it.
            (Some(before), None) if has(head, before.resource) => "",
            (Some(_), None) => "removed",
            (None, Some(_)) => "added",
            (None, None) => continue,
        };
        let stand = [before, after].into_iter().flatten();
        let stand: Vec<&Resource> = stand.map(|found| found.resource).collect();
        out.causes.extend(causes(sources, stand.iter().copied()));
        if verb.is_empty() {
            continue;
        }
        let Some(named) = stand.last() else {
            continue;
        };
        let place = named.file.map_or_else(String::new, |file| {
            format!("{}: ", sources.file(file).path())
        });
        let name = &named.id.name;
        out.words.push(format!("{place}{kind} `{name}` {verb}"));
    }
    out.causes = CauseLocation::once(out.causes);
    out
}
