//! A VM that differs between the sides: admission, the types of each side, and what its controller does to the guest.

use std::borrow::Cow;

use super::admission;
use super::power::{self, Runs};
use super::row::{blank, causes};
use super::shared::{keeps_captured, left_revision, shared_change};
use super::stage::Stage;
use super::start;
use super::{
    Action, CauseLocation, Change, Effect, Power, Reason, Rejection, VmPlan, disks, fields,
    identity, traps,
};
use crate::field_path::FieldPath;
use crate::resource::cluster::ReferencePolicy;
use crate::source::Sources;
use crate::stored::Matcher;
use crate::update::claims::CatalogClaims;
use crate::update::decide::{Decision, decide};
use crate::update::guest::RunningGuest;
use crate::update::types::{Types, TypesError};
use crate::update::volumes::moves;
use crate::update::{Situation, VolumeVerdict, template_spec};
use crate::yaml::Node;

/// Judges a VM that differs between the sides.
pub(super) fn modified(
    base: &Stage,
    head: &Stage,
    before_migration: Option<&Stage>,
    sources: &Sources,
) -> VmPlan {
    let mut out = blank(&head.subject, Change::Modified);
    let shared = shared_change(base, head, sources);
    out.causes = causes(sources, [base.resource(), head.resource()]);
    out.causes.extend(shared.causes);
    out.causes = CauseLocation::once(out.causes);
    out.shared = shared.words;
    out.before = Some(base.expanded().clone());
    out.after = Some(head.expanded().clone());
    if conflicts_with_expanded(base, head, &mut out) {
        return out;
    }
    let mut answer = admission::review(head, Some(base.settled()));
    out.assumptions.append(&mut answer.assumed);
    out.assumptions.extend(kept(head));
    let refused = answer.refused;
    let release = head.release();
    if !refused.is_empty() || !head.refused().is_empty() {
        out.hold(Action::Rejected);
        out.rejected = Some(Rejection::Admission);
        out.reasons = if refused.is_empty() {
            head.refused().to_vec()
        } else {
            refused
        };
        out.fields = fields::unapplied(release, base.stored(), head.stored());
        return out;
    }
    if leaves_revision(base, head, &mut out) {
        return out;
    }
    if !base.refused().is_empty() {
        out.assumptions
            .push("the base would be refused by the cluster: it is compared as written".to_owned());
    }
    match ModifiedVm::of(base, head, &mut out) {
        Some(compared) => compared.apply(base, head, before_migration, &mut out),
        None => out.fields = fields::waiting(release, base.stored(), head.stored()),
    }
    // A sync looks the types up before it starts or stops anything.
    let is_stuck = out.rejected == Some(Rejection::Sync) && head.types().is_err();
    if !is_stuck {
        powered(base, head, &mut out);
    }
    traps::dropped(base, head, &mut out);
    traps::note(release, base.stored(), head.stored(), &mut out);
    start::note(answer.start, Some(&base.subject), &mut out);
    out
}

/// Whether the cluster stores the VM expanded, so that naming its instance type again is refused; says so.
///
/// Mirrors handleExpand, pkg/instancetype/controller/vm/controller.go: what is stored names no instance type any more.
fn conflicts_with_expanded(base: &Stage, head: &Stage, out: &mut VmPlan) -> bool {
    const MATCHER: &str = "spec.instancetype";
    let target = base.subject.resolver.target();
    if target.configuration.reference_policy(target.release) == ReferencePolicy::Reference
        || !head.is_applied_over()
        || base.written().path(MATCHER).is_none()
        || head.written().path(MATCHER).is_none()
    {
        return false;
    }
    out.hold(Action::Rejected);
    out.rejected = Some(Rejection::Admission);
    out.reasons.push(
        Reason::new("the cluster expands VMs (`instancetype.referencePolicy`): the stored VM holds the expanded fields and no reference, so that every apply which names an instance type again is refused; write the expanded fields (`driftless render --policy expand`), or replace the whole object")
            .at(MATCHER),
    );
    out.reasons
        .extend(admission::review_expanded(&head.subject, base.expanded()));
    out.fields = fields::unapplied(head.release(), base.stored(), head.stored());
    true
}

/// Whether an apply names another instance type or preference beside the revision that the controller wrote into the stored
/// VM, which is refused; says so.
fn leaves_revision(base: &Stage, head: &Stage, out: &mut VmPlan) -> bool {
    let Some(matcher) = left_revision(base, head) else {
        return false;
    };
    out.hold(Action::Rejected);
    out.rejected = Some(Rejection::Admission);
    let field = format!("spec.{}.revisionName", matcher.field());
    out.reasons.push(
        Reason::new("the controller wrote the name of the captured revision into the stored VM, and an apply keeps it beside the new name: write `revisionName: \"\"` with the new name, or replace the whole object")
            .at(&field)
            .saying("the Matcher Name has been updated without updating the RevisionName"),
    );
    out.fields = fields::unapplied(head.release(), base.stored(), head.stored());
    true
}

/// What the update leaves otherwise than a new VM would have it, in words.
fn kept(head: &Stage) -> Option<String> {
    const SHOWN: usize = 3;
    let paths = head.kept();
    let names: Vec<String> = paths
        .iter()
        .take(SHOWN)
        .map(|path| format!("`{path}`"))
        .collect();
    if names.is_empty() {
        return None;
    }
    let more = paths.len().saturating_sub(SHOWN);
    let more = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    Some(format!(
        "the change is applied over the stored VM, whose {}{more} a new VM would not have: `--apply replace` puts the VM in its place",
        names.join(", ")
    ))
}

/// Whether the guest is turned on or off, beside whatever else happens.
fn powered(base: &Stage, head: &Stage, out: &mut VmPlan) {
    let (from, to) = (
        power::strategy(base.written()),
        power::strategy(head.written()),
    );
    if from != to && to == "WaitAsReceiver" && power::runs(base.written()) != Runs::No {
        out.hold(Action::Rejected);
        out.rejected.get_or_insert(Rejection::Sync);
        out.reasons.push(
            Reason::new("the guest runs and cannot wait for a migration: it goes on running, and the controller fails on every sync")
                .at("spec.runStrategy"),
        );
        return;
    }
    out.power = power::power(base.written(), head.written());
    let (action, words) = match out.power {
        Power::Unchanged => return,
        Power::Start => (Action::Start, "the guest is turned on"),
        Power::Stop => (Action::Stop, "the guest is turned off"),
    };
    out.hold(action);
    if out.power == Power::Stop {
        out.down = 1;
        if let Some(assumed) = power::assumption(base.written())
            && !out.assumptions.contains(&assumed)
        {
            out.assumptions.push(assumed);
        }
    }
    let reason = Reason {
        from: Some(from),
        to: Some(to),
        ..Reason::new(words)
    };
    out.reasons.insert(0, reason.at("spec.runStrategy"));
}

/// The two stored VMs with their types applied, and the guest between them.
struct ModifiedVm<'a> {
    old: Cow<'a, Node>,
    new: Cow<'a, Node>,
    last_seen: Result<Node, TypesError>,
    current: Result<Node, TypesError>,
    guest: RunningGuest,
    next: Option<Node>,
}

impl<'a> ModifiedVm<'a> {
    /// Applies the types each VM names; `None` where the action is settled without a guest.
    fn of(base: &'a Stage, head: &'a Stage, out: &mut VmPlan) -> Option<Self> {
        let release = head.release();
        let (old, new) = identity::settle(base, head, out);
        let captured = base.settled_types();
        let resolver = head.subject.resolver;
        // The controller's copy of the old VM names the revision where the VM does.
        let live = match &captured {
            Ok(captured) if base.release().keeps_revisions_in_spec() => Ok(captured.clone()),
            _ => Types::of(&old, base.namespace(), resolver),
        };
        let kept = |matcher| keeps_captured(base, head, matcher);
        let keeps = Matcher::ALL.into_iter().all(|matcher| {
            let named = |vm: &Node| {
                vm.path("spec")
                    .is_some_and(|spec| spec.get(matcher.field()).is_some())
            };
            kept(matcher) || !named(&old) && !named(&new)
        });
        let wanted = match &captured {
            _ if head.is_expanded() => Ok(Types::default()),
            Ok(captured) => Types::of_changed(&new, head.namespace(), resolver, captured, kept),
            Err(_) => head.types().clone(),
        };
        let (captured, live, wanted) = match (captured, wanted) {
            (Ok(captured), Ok(wanted)) => (captured, live, wanted),
            (Err(error), Ok(wanted)) if keeps => {
                out.assumptions.push(format!(
                    "{error} on the base side: the guest is taken to run with what the head names"
                ));
                (wanted.clone(), Ok(wanted.clone()), wanted)
            }
            (Err(error), Err(_)) if keeps => {
                out.assumptions.push(format!(
                    "{error}: what it gives the VM is taken to stay the same"
                ));
                (Types::default(), Ok(Types::default()), Types::default())
            }
            (_, Err(error)) | (Err(error), _) => {
                unresolved(head, &error, out);
                return None;
            }
        };
        let configuration = &base.subject.resolver.target().configuration;
        let guest = match RunningGuest::start(base.release(), configuration, &old, &captured) {
            Ok(guest) => guest,
            Err(error) => {
                out.assumptions
                    .push(format!("the base cannot have started: {error}"));
                out.action = Action::NextStart;
                return None;
            }
        };
        let current = wanted.apply(release, &new);
        let last_seen =
            live.and_then(|types| types.apply_to_last_seen(release, &old, current.as_ref()));
        let configuration = &head.subject.resolver.target().configuration;
        let next = RunningGuest::start(release, configuration, &new, &wanted);
        Some(Self {
            old,
            new,
            last_seen,
            current,
            guest,
            next: next.ok().map(|guest| guest.spec),
        })
    }

    fn apply(
        &self,
        base: &Stage,
        head: &Stage,
        before_migration: Option<&Stage>,
        out: &mut VmPlan,
    ) {
        let target = head.subject.resolver.target();
        let claims = CatalogClaims::new(
            head.subject.resolver.catalogs(),
            head.namespace(),
            &target.namespace,
            target.complete,
        )
        .with_templates_of(&self.new)
        .with_templates_of(&self.old);
        let situation = Situation {
            release: target.release,
            configuration: &target.configuration,
            old: &self.old,
            last_seen: self.last_seen.as_ref(),
            vm: &self.new,
            current: self.current.as_ref(),
            guest: &self.guest,
            next: self.next.as_ref(),
            claims: &claims,
            owed: base.owed(),
        };
        let mut decision = decide(&situation);
        if let Some(earlier) = before_migration {
            revert(earlier, &situation, &mut decision);
        }
        out.fields = fields::of(&situation, &decision);
        let beside = std::mem::replace(&mut out.action, decision.action);
        out.also = decision.also;
        out.also.sort_unstable();
        out.condition_only = decision.condition_only;
        out.rejected = (out.action == Action::Rejected).then_some(Rejection::Sync);
        out.reasons.extend(decision.reasons);
        // A refusal that is about the whole VM says nothing of a single value.
        if out.action != Action::Rejected {
            out.hold(beside);
        }
        out.volumes = decision.volumes;
        out.assumptions.extend(decision.assumptions);
        if decision.evicts && power::runs(base.written()) != Runs::No {
            out.down = 1;
            out.hold_beside(Action::Stop);
        }
        disks::judge(&situation, out);
        out.assumptions.extend(power::assumption(base.written()));
        if power::runs(base.written()) == Runs::No {
            halted(out);
        }
    }
}

/// The VM names an instance type or preference that is not there.
fn unresolved(head: &Stage, error: &TypesError, out: &mut VmPlan) {
    let words = if error.is_certain(head.subject.resolver.target()) {
        out.action = Action::Rejected;
        out.rejected = Some(Rejection::Sync);
        "the VM names what does not exist: its controller fails on every sync"
    } else {
        out.action = Action::Unknown;
        "the VM names what is not in this repository: add its manifest with `--context`"
    };
    out.reasons.push(
        Reason::new(words)
            .at(error.field())
            .saying(error.to_string()),
    );
}

/// A VM that does not run takes every accepted change when it next starts; a claim that changes still loses its data.
fn halted(out: &mut VmPlan) {
    if out.action == Action::Rejected {
        return;
    }
    let loses = out.holds(Action::DataLoss) || out.volumes.iter().any(disks::is_replaced);
    let waits = out.action != Action::None;
    out.also.clear();
    out.action = Action::None;
    out.assumptions.clear();
    out.condition_only = false;
    if waits || loses {
        out.hold(Action::NextStart);
    }
    if loses {
        out.hold(Action::DataLoss);
    }
    for reason in &mut out.reasons {
        "applied when the VM next starts".clone_into(&mut reason.message);
        reason.kubevirt = None;
    }
    out.reasons.retain(|reason| reason.field.is_some());
    if loses {
        out.reasons.insert(
            0,
            Reason::new("the base says that the VM does not run: nothing is copied, at its next start the guest sees the new claims"),
        );
    } else if waits {
        out.reasons.insert(
            0,
            Reason::new("the base says that the VM does not run: applied at its next start"),
        );
    }
    for field in &mut out.fields {
        if field.effect != Effect::None {
            field.effect = Effect::NextStart;
        }
    }
    for volume in &mut out.volumes {
        volume.verdict = VolumeVerdict::ReplacedAtStart;
    }
}

/// A head that takes back a migration under way: whole it cancels it, in part it is refused.
///
/// Mirrors VolumeMigrationCancel, volume-migration.go.
fn revert(earlier: &Stage, situation: &Situation, decision: &mut Decision) {
    const ONLY_BACK: &str =
        "The volume can only be reverted to the previous version during the update";
    let migrating = moves(
        template_spec(earlier.stored()),
        template_spec(situation.old),
    );
    if migrating.is_empty() || situation.old.str_at("spec.updateVolumesStrategy") != "Migration" {
        return;
    }
    let changed = moves(template_spec(situation.old), template_spec(situation.vm));
    if !changed
        .iter()
        .any(|one| migrating.iter().any(|other| other.name == one.name))
    {
        return;
    }
    let whole = changed.len() == migrating.len()
        && migrating.iter().all(|one| {
            changed
                .iter()
                .any(|back| back.name == one.name && back.to == one.from)
        });
    decision.volumes = crate::update::volumes::report(
        &changed,
        if whole {
            VolumeVerdict::Cancel
        } else {
            VolumeVerdict::Refused
        },
    );
    decision.action = if whole {
        Action::MigrateVolumes
    } else {
        Action::Rejected
    };
    let reason = if whole {
        Reason::new("the migration under way is cancelled: every volume goes back to its source")
    } else {
        Reason::new(
            "a migration is under way: its volumes can only all go back to their sources, until then the controller fails on every sync",
        )
        .saying(ONLY_BACK)
    };
    // What goes back is not copied, and what was said of a migration that starts does not hold.
    let volumes = FieldPath::parse("spec.template.spec.volumes");
    let strategy = FieldPath::parse("spec.updateVolumesStrategy");
    decision.reasons.retain(|reason| {
        reason
            .field
            .as_ref()
            .is_none_or(|field| !field.starts_with(&volumes) && *field != strategy)
    });
    decision.also.clear();
    decision
        .reasons
        .insert(0, reason.at("spec.template.spec.volumes"));
}
