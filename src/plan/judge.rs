//! One VM across both sides.

use std::collections::BTreeSet;

use super::admission::{self, Stored};
use super::{Action, Change, Power, Reason, Rejection, VmPlan, fan_out, fields, lifecycle, traps};
use crate::catalog::Catalog;
use crate::change::{Pair, Subject};
use crate::diff::spelling::canonical;
use crate::diff::{Lists, differences};
use crate::resource::Resource;
use crate::source::Sources;
use crate::transform::admit::RANDOM_UUID;
use crate::transform::expand::expand;
use crate::update::claims::CatalogClaims;
use crate::update::decide::{Decision, decide};
use crate::update::guest::Guest;
use crate::update::types::Types;
use crate::update::volumes::{Claims as _, moves};
use crate::update::{Situation, VolumeVerdict, template_spec};
use crate::yaml::Node;

/// Judges one pair; `None` where the change does not touch the VM.
pub(super) fn judge(
    pair: &Pair<'_>,
    before_migration: Option<Subject<'_>>,
    sources: &Sources,
) -> Option<VmPlan> {
    match (pair.base, pair.head) {
        (Some(base), None) => Some(lifecycle::removed(&base, sources)),
        (None, Some(head)) => Some(lifecycle::added(&head, sources)),
        (Some(base), Some(head)) if pair.is_renamed => {
            Some(lifecycle::renamed(&base, &head, sources))
        }
        (Some(base), Some(head)) if differs(&base, &head) => {
            Some(modified(&base, &head, before_migration, sources))
        }
        (Some(base), Some(head)) => fan_out::unchanged(&base, &head, sources),
        (None, None) => None,
    }
}

/// Whether two forms of a VM differ beyond spelling. Order in lists counts here: what it does is the controller's word.
fn differs(base: &Subject, head: &Subject) -> bool {
    if base.resource.node.same_value(&head.resource.node) {
        return false;
    }
    let comparable = |subject: &Subject| {
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

/// A plan for a VM that says nothing yet.
pub(super) fn blank(subject: &Subject, change: Change) -> VmPlan {
    let target = &subject.resolver.target().name;
    VmPlan {
        target: (!target.is_empty()).then(|| target.clone()),
        kind: subject.resource.id.kind.to_string(),
        namespace: subject.namespace().to_owned(),
        name: subject.resource.id.name.to_string(),
        was: None,
        change,
        action: Action::None,
        also: Vec::new(),
        power: Power::Unchanged,
        down: 0,
        condition_only: false,
        start_refused: false,
        rejected: None,
        accepted: None,
        reasons: Vec::new(),
        loses: Vec::new(),
        assumptions: Vec::new(),
        volumes: Vec::new(),
        fields: Vec::new(),
        causes: Vec::new(),
        shared: Vec::new(),
        before: None,
        after: None,
    }
}

fn modified(
    base: &Subject,
    head: &Subject,
    before_migration: Option<Subject<'_>>,
    sources: &Sources,
) -> VmPlan {
    let mut out = blank(head, Change::Modified);
    let stored = admission::store(base);
    let new = admission::store(head);
    out.power = lifecycle::power(&base.resource.node, &head.resource.node);
    out.down = usize::from(out.power == Power::Stop);
    let shared = fan_out::shared_change(base, head, sources);
    out.causes = causes(sources, [base.resource, head.resource]);
    out.causes.extend(shared.files);
    out.causes.sort();
    out.causes.dedup();
    out.shared = shared.words;
    out.before = Some(expanded(base));
    out.after = Some(expanded(head));
    let mut answer = admission::review(head, Some(&stored.vm));
    out.assumptions.append(&mut answer.assumed);
    let refused = answer.refused;
    if !refused.is_empty() || !new.refused.is_empty() {
        out.hold(Action::Rejected);
        out.rejected = Some(Rejection::Admission);
        out.reasons = if refused.is_empty() {
            new.refused
        } else {
            refused
        };
        out.fields = fields::unapplied(head.resolver.release(), &stored.vm, &new.vm);
        return out;
    }
    if !stored.refused.is_empty() {
        out.assumptions
            .push("the base would be refused by the cluster: it is compared as written".to_owned());
    }
    match Judged::of(base, head, &stored, &new, &mut out) {
        Some(judged) => judged.apply(base, head, before_migration, &mut out),
        None => out.fields = fields::waiting(head.resolver.release(), &stored.vm, &new.vm),
    }
    traps::expanding_cluster(head.resolver.target(), &new.vm, &mut out);
    traps::note(head.resolver.release(), &stored.vm, &new.vm, &mut out);
    out
}

/// The two stored VMs and the guest between them.
struct Judged {
    old: Node,
    new: Node,
    last_seen: Result<Node, String>,
    current: Result<Node, String>,
    guest: Guest,
}

impl Judged {
    /// Applies the types each VM names; `None` where the action is settled without a guest.
    fn of(
        base: &Subject,
        head: &Subject,
        stored: &Stored,
        new: &Stored,
        out: &mut VmPlan,
    ) -> Option<Self> {
        let release = head.resolver.release();
        let namespace = base.namespace();
        let (old, new) = (stored.vm.clone(), new.vm.clone());
        let keeps = same_matchers(&old, &new);
        let captured = Types::of(&old, namespace, base.resolver);
        let live = Types::of(&old, namespace, head.resolver);
        let wanted = if keeps && captured.is_ok() {
            captured.clone()
        } else {
            Types::of(&new, namespace, head.resolver)
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
                let complete = head.resolver.target().complete;
                out.action = if complete {
                    out.rejected = Some(Rejection::Sync);
                    Action::Rejected
                } else {
                    Action::Unknown
                };
                let words = if complete {
                    "the VM names what does not exist: its controller fails on every sync"
                } else {
                    "the VM names what is not in this repository: add its manifest with `--context`"
                };
                out.reasons
                    .push(Reason::new(words).at("spec.instancetype").saying(error));
                return None;
            }
        };
        let configuration = &base.resolver.target().configuration;
        let guest = match Guest::start(base.resolver.release(), configuration, &old, &captured) {
            Ok(guest) => guest,
            Err(error) => {
                out.assumptions
                    .push(format!("the base cannot have started: {error}"));
                out.action = Action::NextStart;
                return None;
            }
        };
        let last_seen = live.and_then(|types| types.apply(release, &old));
        let current = wanted.apply(release, &new);
        Some(Self {
            old,
            new,
            last_seen,
            current,
            guest,
        })
    }

    fn apply(
        &self,
        base: &Subject,
        head: &Subject,
        before_migration: Option<Subject<'_>>,
        out: &mut VmPlan,
    ) {
        let namespace = head.namespace();
        let target = head.resolver.target();
        let catalogs: Vec<&Catalog> = head.resolver.catalogs().to_vec();
        let claims = CatalogClaims::new(&catalogs, namespace, &target.namespace, target.complete)
            .with_templates_of(&self.new)
            .with_templates_of(&self.old);
        let situation = Situation {
            release: target.release,
            configuration: &target.configuration,
            old: &self.old,
            last_seen: self.last_seen.as_ref().map_err(String::as_str),
            vm: &self.new,
            current: self.current.as_ref().map_err(String::as_str),
            guest: &self.guest,
            claims: &claims,
        };
        debug_assert_eq!(claims.is_complete(), target.complete);
        let mut decision = decide(&situation);
        if let Some(earlier) = before_migration {
            revert(&earlier, &situation, &mut decision);
        }
        out.fields = fields::of(&situation, &decision);
        out.action = decision.action;
        out.rejected = (out.action == Action::Rejected).then_some(Rejection::Sync);
        out.reasons = decision.reasons;
        out.volumes = decision.volumes;
        out.assumptions.extend(decision.assumptions);
        match lifecycle::runs(&base.resource.node) {
            lifecycle::Runs::Yes => {}
            lifecycle::Runs::Perhaps => out.assumptions.push(format!(
                "a VM with run strategy `{}` is taken to run",
                lifecycle::strategy(&base.resource.node)
            )),
            lifecycle::Runs::No => halted(out),
        }
    }
}

/// A VM that does not run takes every accepted change when it next starts; a claim that changes still loses its data.
fn halted(out: &mut VmPlan) {
    let waits = matches!(
        out.action,
        Action::Restart | Action::Live | Action::Pending | Action::Unknown
    );
    if waits {
        out.action = Action::NextStart;
    }
    if out.action == Action::MigrateVolumes || (waits && !out.volumes.is_empty()) {
        out.action = Action::DataLoss;
    }
    if matches!(out.action, Action::NextStart | Action::DataLoss) {
        out.reasons.insert(
            0,
            Reason::new(if out.action == Action::DataLoss {
                "the base says that the VM does not run: nothing is copied, at its next start the guest sees the new claims"
            } else {
                "the base says that the VM does not run: applied at its next start"
            }),
        );
    }
    for field in &mut out.fields {
        if field.effect != super::Effect::None {
            field.effect = super::Effect::NextStart;
        }
    }
    for volume in &mut out.volumes {
        volume.verdict = VolumeVerdict::ReplacedAtStart;
    }
}

/// A head that takes back a migration under way: whole it cancels it, in part it is refused.
///
/// Mirrors VolumeMigrationCancel, volume-migration.go.
fn revert(earlier: &Subject, situation: &Situation, decision: &mut Decision) {
    const ONLY_BACK: &str =
        "The volume can only be reverted to the previous version during the update";
    let source = admission::store(earlier).vm;
    let migrating = moves(template_spec(&source), template_spec(situation.old));
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
    decision
        .reasons
        .insert(0, reason.at("spec.template.spec.volumes"));
}

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

/// The VM as the cluster would expand it; the VM without status where it cannot be expanded.
pub(super) fn expanded(subject: &Subject) -> Node {
    let stored = admission::store(subject).vm;
    let mut node = expand(&stored, subject.namespace(), subject.resolver).unwrap_or(stored);
    node.remove("status");
    // What the webhook makes at random has no value to show.
    for field in ["uuid", "serial"] {
        let path = format!("spec.template.spec.domain.firmware.{field}");
        if node.str_at(&path) == RANDOM_UUID {
            node.remove(&path);
        }
    }
    node
}

/// The files of resources, in order and once each.
pub(super) fn causes<const N: usize>(sources: &Sources, resources: [&Resource; N]) -> Vec<String> {
    let files: BTreeSet<String> = resources
        .iter()
        .filter_map(|resource| resource.file)
        .map(|file| sources.file(file).path().to_owned())
        .collect();
    files.into_iter().collect()
}
