//! What an edited instance type or preference does to a VM that nobody edited.

use std::sync::Arc;

use super::judge::{blank, expanded, same_matchers};
use super::{Action, Change, Reason, VmPlan, admission, fields, lifecycle};
use crate::catalog::Catalog;
use crate::catalog::bundle::compare::{self, Absence};
use crate::change::Subject;
use crate::diff::{Lists, differences};
use crate::resolve::{Resolved, Spec};
use crate::resource::cluster::ReferencePolicy;
use crate::source::Sources;
use crate::update::Situation;
use crate::update::claims::CatalogClaims;
use crate::update::decide::decide;
use crate::update::guest::Guest;
use crate::update::types::Types;
use crate::update::words::shown;
use crate::yaml::Node;

/// Judges a VM that is the same on both sides; `None` where nothing it names changed either.
pub(super) fn unchanged(base: &Subject, head: &Subject, sources: &Sources) -> Option<VmPlan> {
    let names_types = |key: &str| {
        base.resource
            .node
            .get("spec")
            .is_some_and(|spec| spec.get(key).is_some())
    };
    let found = (names_types("instancetype") || names_types("preference"))
        .then(|| edited(base, head, sources))
        .flatten();
    let mut out = match found {
        Some(out) => out,
        None if is_respelled(base, head, sources) => blank(head, Change::Unchanged),
        None => return None,
    };
    out.power = lifecycle::power(&base.resource.node, &head.resource.node);
    if out.causes.is_empty() {
        out.causes = super::judge::causes(sources, [base.resource, head.resource]);
    }
    Some(out)
}

/// Whether the VM stands in another file or is written in other bytes.
fn is_respelled(base: &Subject, head: &Subject, sources: &Sources) -> bool {
    let span = |subject: &Subject| subject.resource.node.origin.span();
    if span(base) == span(head) {
        return false;
    }
    let text = |subject: &Subject| {
        let span = subject.resource.node.origin.span()?;
        let file = sources.file(span.file);
        Some((file.path(), file.bytes().get(span.range())?))
    };
    text(base) != text(head)
}

fn edited(base: &Subject, head: &Subject, sources: &Sources) -> Option<VmPlan> {
    let namespace = base.namespace();
    if names_the_same(base, head) {
        return None;
    }
    let stored = admission::store(base).vm;
    let captured = Types::of(&stored, namespace, base.resolver);
    let live = Types::of(&stored, namespace, head.resolver);
    let mut out = blank(head, Change::Unchanged);
    let target = base.resolver.target();
    let expands =
        target.configuration.reference_policy(target.release) != ReferencePolicy::Reference;
    match (&captured, &live) {
        (Ok(captured), Ok(live)) if same_types(captured, live) => {
            let anew = admission::store(head).vm;
            if same_matchers(&stored, &anew) {
                return None;
            }
            inferred(head, &stored, &anew, &mut out);
        }
        (Ok(captured), Ok(live)) if expands => out.reasons.push(Reason::new(format!(
            "{} changed: the cluster expanded the VM when it was created, the edit does not reach it",
            changed_names(&stored, captured, live)
        ))),
        (Ok(captured), Ok(live)) => {
            judge_edit(base, head, &stored, captured, live, &mut out);
        }
        (Ok(_), Err(error)) => gone(head, &stored, error, &mut out),
        (Err(_), _) => return None,
    }
    let shared = shared_change(base, head, sources);
    out.causes = shared.files;
    out.shared = shared.words;
    Some(out)
}

/// Inference leads elsewhere now: the stored VM keeps what was inferred when it was created.
fn inferred(head: &Subject, stored: &Node, anew: &Node, out: &mut VmPlan) {
    for field in ["spec.instancetype", "spec.preference"] {
        let name = |vm: &Node| vm.str_at(&format!("{field}.name")).to_owned();
        let (from, to) = (name(stored), name(anew));
        if from == to {
            continue;
        }
        out.reasons.push(
            Reason {
                from: Some(from),
                to: Some(to),
                ..Reason::new("inference leads elsewhere now: the stored VM keeps what was inferred for it, one that is created anew gets the other")
            }
            .at(field),
        );
    }
    out.after = Some(expanded(head));
}

/// Whether the matchers, as they are written, lead to the same on both sides. Inference has to be run first.
fn names_the_same(base: &Subject, head: &Subject) -> bool {
    let infers = ["spec.instancetype", "spec.preference"].iter().any(|path| {
        base.resource
            .node
            .path(path)
            .is_some_and(|matcher| matcher.get("inferFromVolume").is_some())
    });
    if infers {
        return false;
    }
    let types = |resolver| Types::of(&base.resource.node, base.namespace(), resolver);
    match (types(base.resolver), types(head.resolver)) {
        (Ok(captured), Ok(live)) => same_types(&captured, &live),
        (Err(captured), Err(live)) => captured == live,
        _ => false,
    }
}

fn judge_edit(
    base: &Subject,
    head: &Subject,
    stored: &Node,
    captured: &Types,
    live: &Types,
    out: &mut VmPlan,
) {
    let release = head.resolver.release();
    let target = head.resolver.target();
    let (before, after) = (expanded(base), expanded(head));
    let again = differences(release, "v1.VirtualMachine", &before, &after, Lists::ByKey);
    out.before = Some(before);
    out.after = Some(after);
    let what = changed_names(stored, captured, live);
    let pinned = [
        "spec.instancetype.revisionName",
        "spec.preference.revisionName",
    ]
    .iter()
    .any(|path| !stored.str_at(path).is_empty());
    let configuration = &base.resolver.target().configuration;
    let guest = Guest::start(base.resolver.release(), configuration, stored, captured);
    let current = captured.apply(release, stored);
    let last_seen = live.apply(release, stored);
    let mut said = String::new();
    if let Ok(guest) = &guest {
        let catalogs: Vec<&Catalog> = head.resolver.catalogs().to_vec();
        let claims = CatalogClaims::new(
            &catalogs,
            head.namespace(),
            &target.namespace,
            target.complete,
        );
        let decision = decide(&Situation {
            release,
            configuration: &target.configuration,
            old: stored,
            last_seen: last_seen.as_ref().map_err(String::as_str),
            vm: stored,
            current: current.as_ref().map_err(String::as_str),
            guest,
            claims: &claims,
        });
        let runs = lifecycle::runs(&base.resource.node) != lifecycle::Runs::No;
        if decision.flow.template_differs && runs && !pinned {
            out.action = Action::Restart;
            out.condition_only = true;
            said = decision.flow.message;
        }
    }
    let headline = if out.action == Action::Restart {
        Reason::new(format!(
            "{what} changed after the guest started: KubeVirt asks for a restart of this unchanged VM, though a restart does not change the guest: its captured revision shields it"
        ))
        .saying(said)
    } else {
        Reason::new(format!(
            "{what} changed: the VM's captured revision shields it, nothing changes until it is created anew"
        ))
    };
    out.reasons.push(headline);
    for difference in &again {
        let mut reason = shown(difference);
        "what a VM that is created anew gets".clone_into(&mut reason.message);
        out.reasons.push(reason);
    }
    out.fields = fields::all(&again, super::Effect::None);
}

/// The instance type or preference is no longer there.
fn gone(head: &Subject, stored: &Node, error: &str, out: &mut VmPlan) {
    let complete = head.resolver.target().complete;
    let mut message = if complete {
        "the running VM keeps what it captured, but it can no longer be created anew".to_owned()
    } else {
        "no longer in this repository: the running VM keeps what it captured; if the object is gone from the cluster too, the VM can no longer be created anew".to_owned()
    };
    let mut field = "spec.instancetype";
    for (path, kind) in [
        ("spec.instancetype", "VirtualMachineClusterInstancetype"),
        ("spec.preference", "VirtualMachineClusterPreference"),
    ] {
        let name = stored.str_at(&format!("{path}.name"));
        if name.is_empty() || !error.contains(name) {
            continue;
        }
        field = path;
        if let Some(Absence::Removed { last, nearest }) =
            compare::absence(head.resolver.release(), kind, name)
        {
            message = format!("{message}; KubeVirt brings `{name}` up to {last} only");
            if let Some(near) = nearest {
                message = format!("{message}, nearest today is `{}`", near.id.name);
            }
        }
    }
    out.reasons
        .push(Reason::new(message).at(field).saying(error.to_owned()));
}

/// Whether two sets of types give a VM the same.
fn same_types(a: &Types, b: &Types) -> bool {
    let same = |a: &Option<Arc<Spec>>, b: &Option<Arc<Spec>>| match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a.node.same_value(&b.node),
        (None, None) => true,
        _ => false,
    };
    same(&a.instancetype, &b.instancetype) && same(&a.preference, &b.preference)
}

fn changed_names(stored: &Node, captured: &Types, live: &Types) -> String {
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

/// The instance type and preference a VM names.
fn named_by<'a>(subject: &Subject<'a>) -> [Option<Resolved<'a>>; 2] {
    let stored = admission::store(subject).vm;
    let (namespace, resolver) = (subject.namespace(), subject.resolver);
    [
        resolver.resolve_instancetype(&stored, namespace),
        resolver.resolve_preference(&stored, namespace),
    ]
    .map(|found| found.ok().flatten())
}

/// What a VM shares with others and that differs between the sides.
#[derive(Debug, Default)]
pub(super) struct SharedChange {
    /// The files, in order and once each.
    pub(super) files: Vec<String>,
    /// Each object with its file, in words.
    pub(super) words: Vec<String>,
}

/// The instance type and preference where they differ between the sides.
pub(super) fn shared_change(base: &Subject, head: &Subject, sources: &Sources) -> SharedChange {
    let mut out = SharedChange::default();
    let (before, after) = (named_by(base), named_by(head));
    let kinds = ["instance type", "preference"];
    for ((before, after), kind) in before.iter().zip(&after).zip(kinds) {
        let verb = match (before, after) {
            (Some(before), Some(after)) if before.spec.node.same_value(&after.spec.node) => {
                continue;
            }
            (Some(before), Some(after)) if before.resource.id != after.resource.id => "",
            (Some(_), Some(_)) => "changed",
            (Some(_), None) => "removed",
            (None, Some(_)) => "added",
            (None, None) => continue,
        };
        let path = |found: &Option<Resolved<'_>>| {
            let file = found.as_ref()?.resource.file?;
            Some(sources.file(file).path().to_owned())
        };
        out.files
            .extend([before, after].into_iter().filter_map(path));
        if verb.is_empty() {
            continue;
        }
        let Some(named) = after.as_ref().or(before.as_ref()) else {
            continue;
        };
        let name = &named.resource.id.name;
        let file = path(after).or_else(|| path(before));
        let place = file.map_or_else(String::new, |file| format!("{file}: "));
        out.words.push(format!("{place}{kind} `{name}` {verb}"));
    }
    out.files.sort();
    out.files.dedup();
    out
}
