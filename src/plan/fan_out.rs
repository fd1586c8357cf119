//! What an edited instance type or preference does to a VM that nobody edited.

use super::power::{self, Runs};
use super::row::{blank, causes};
use super::shared::{changed_names, same_matchers, same_types, shared_change};
use super::stage::Stage;
use super::{Action, Change, Reason, VmPlan, fields};
use crate::catalog::bundle::compare::{self, Absence};
use crate::diff::{Lists, differences};
use crate::resolve::ResolveError;
use crate::resource::cluster::ReferencePolicy;
use crate::source::Sources;
use crate::stored::Matcher;
use crate::update::Situation;
use crate::update::claims::CatalogClaims;
use crate::update::decide::decide;
use crate::update::guest::RunningGuest;
use crate::update::types::{Types, TypesError};
use crate::update::words::shown;
use crate::yaml::Node;

/// Judges a VM that is the same on both sides; `None` where nothing it names changed either.
pub(super) fn unchanged(base: &Stage, head: &Stage, sources: &Sources) -> Option<VmPlan> {
    let names_types = |key: &str| {
        base.written()
            .get("spec")
            .is_some_and(|spec| spec.get(key).is_some())
    };
    let found = (names_types("instancetype") || names_types("preference"))
        .then(|| edited(base, head, sources))
        .flatten();
    let mut out = match found {
        Some(out) => out,
        None if is_respelled(base, head, sources) => blank(&head.subject, Change::Unchanged),
        None => return None,
    };
    out.power = power::power(base.written(), head.written());
    if out.causes.is_empty() {
        out.causes = causes(sources, [base.resource(), head.resource()]);
    }
    Some(out)
}

/// Whether the VM stands in another file or is written in other bytes.
fn is_respelled(base: &Stage, head: &Stage, sources: &Sources) -> bool {
    let span = |side: &Stage| side.written().origin.span();
    if span(base) == span(head) {
        return false;
    }
    let text = |side: &Stage| {
        let span = side.written().origin.span()?;
        let file = sources.file(span.file);
        Some((file.path(), file.bytes().get(span.range())?))
    };
    text(base) != text(head)
}

fn edited(base: &Stage, head: &Stage, sources: &Sources) -> Option<VmPlan> {
    if names_the_same(base, head) {
        return None;
    }
    let stored = base.stored();
    let captured = base.types();
    let live = Types::of(stored, base.namespace(), head.subject.resolver);
    let mut out = blank(&head.subject, Change::Unchanged);
    let target = base.subject.resolver.target();
    let expands =
        target.configuration.reference_policy(target.release) != ReferencePolicy::Reference;
    match (captured, &live) {
        (Ok(captured), Ok(live)) if same_types(captured, live) => {
            if same_matchers(stored, head.stored()) {
                return None;
            }
            inferred(base, head, &mut out);
        }
        (Ok(captured), Ok(live)) if expands => out.reasons.push(Reason::new(format!(
            "{} changed: the cluster expanded the VM when it was created, the edit does not reach it",
            changed_names(stored, captured, live)
        ))),
        (Ok(captured), Ok(live)) => {
            judge_edit(base, head, captured, live, &mut out);
        }
        (Ok(_), Err(error)) => gone(head, stored, error, &mut out),
        (Err(_), _) => return None,
    }
    let shared = shared_change(base, head, sources);
    out.causes = shared.causes;
    out.shared = shared.words;
    Some(out)
}

/// Inference leads elsewhere now: the stored VM keeps what was inferred when it was created.
fn inferred(base: &Stage, head: &Stage, out: &mut VmPlan) {
    for field in ["spec.instancetype", "spec.preference"] {
        let name = |vm: &Node| vm.str_at(&format!("{field}.name")).to_owned();
        let (from, to) = (name(base.stored()), name(head.stored()));
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
    out.after = Some(head.expanded().clone());
}

/// Whether the matchers, as they are written, lead to the same on both sides. Inference has to be run first.
fn names_the_same(base: &Stage, head: &Stage) -> bool {
    let infers = ["spec.instancetype", "spec.preference"].iter().any(|path| {
        base.written()
            .path(path)
            .is_some_and(|matcher| matcher.get("inferFromVolume").is_some())
    });
    if infers {
        return false;
    }
    let types = |side: &Stage| Types::of(base.written(), base.namespace(), side.subject.resolver);
    match (types(base), types(head)) {
        (Ok(captured), Ok(live)) => same_types(&captured, &live),
        (Err(captured), Err(live)) => captured == live,
        _ => false,
    }
}

fn judge_edit(base: &Stage, head: &Stage, captured: &Types, live: &Types, out: &mut VmPlan) {
    let stored = base.stored();
    let release = head.release();
    let target = head.subject.resolver.target();
    let (before, after) = (base.expanded(), head.expanded());
    let again = differences(release, "v1.VirtualMachine", before, after, Lists::ByKey);
    out.before = Some(before.clone());
    out.after = Some(after.clone());
    let what = changed_names(stored, captured, live);
    let configuration = &base.subject.resolver.target().configuration;
    let guest = RunningGuest::start(base.release(), configuration, stored, captured);
    let current = captured.apply(release, stored);
    // The controller's copy of the old VM names the revision where the VM does.
    let live = if base.release().keeps_revisions_in_spec() {
        captured
    } else {
        live
    };
    let last_seen = live.apply_to_last_seen(release, stored, current.as_ref());
    let mut said = String::new();
    if let Ok(guest) = &guest {
        let claims = CatalogClaims::new(
            head.subject.resolver.catalogs(),
            head.namespace(),
            &target.namespace,
            target.complete,
        );
        let decision = decide(&Situation {
            release,
            configuration: &target.configuration,
            old: stored,
            last_seen: last_seen.as_ref(),
            vm: stored,
            current: current.as_ref(),
            guest,
            next: None,
            claims: &claims,
            owed: base.owed(),
        });
        let runs = power::runs(base.written()) != Runs::No;
        if decision.flow.template_differs && runs {
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

/// The instance type or preference is no longer there, or of no use.
fn gone(head: &Stage, stored: &Node, error: &TypesError, out: &mut VmPlan) {
    let complete = error.is_certain(head.subject.resolver.target());
    let is_there = match error {
        TypesError::Unresolved { error, .. } => !matches!(error, ResolveError::NotFound { .. }),
        _ => true,
    };
    let runs = power::runs(head.written()) != Runs::No;
    let keeps = if runs {
        "the running VM keeps what it captured"
    } else {
        "the VM starts with what it captured"
    };
    let mut message = if is_there {
        format!("it is there and can no longer be used: {keeps}")
    } else if complete {
        format!("{keeps}, but it can no longer be created anew")
    } else {
        format!(
            "no longer in this repository: {keeps}; if the object is gone from the cluster too, the VM can no longer be created anew"
        )
    };
    message.push_str(", and fails on every sync where no revision was captured");
    out.hold(Action::Unknown);
    let field = error.field();
    let kind = match error {
        TypesError::Unresolved {
            matcher: Matcher::Preference,
            ..
        } => "VirtualMachineClusterPreference",
        _ => "VirtualMachineClusterInstancetype",
    };
    let name = stored.str_at(&format!("{field}.name"));
    if let Some(Absence::Removed { last, nearest }) = compare::absence(head.release(), kind, name) {
        message = format!("{message}; KubeVirt brings `{name}` up to {last} only");
        if let Some(near) = nearest {
            message = format!("{message}, nearest today is `{}`", near.id.name);
        }
    }
    out.reasons
        .push(Reason::new(message).at(field).saying(error.to_string()));
}
