//! What a changed claim, Secret, ConfigMap or network attachment does to a VM that names it.

use super::claims::{self, Around, Fate};
use super::delivery;
use super::lifecycle::kept_by;
use super::names;
use super::power::{self, Runs};
use super::row::{blank, causes};
use super::stage::Stage;
use super::traps::is_ephemeral;
use super::{Action, CauseLocation, Change, Loss, Lost, Reason, Rejection, VmPlan};
use crate::change::Sided;
use crate::release::Release;
use crate::resolve::named::{Kind, NamedObject, UsedFor};
use crate::resource::Resource;
use crate::source::Sources;
use crate::update::template_spec;
use crate::yaml::Node;

/// Reports how changed objects affect a VM that names them on both sides. Makes the VM's row if it has none.
pub(super) fn judge(base: &Stage, head: &Stage, around: &Around<'_>, out: &mut Option<VmPlan>) {
    let (before, after) = (names::of(base.written()), names::of(head.written()));
    for name in &after {
        let is_named_before = before.iter().any(|other| {
            (other.kind, other.namespace, other.name) == (name.kind, name.namespace, name.name)
        });
        let is_own = name.kind == Kind::Claim
            && (names::is_own(base.written(), name.name)
                || names::is_own(head.written(), name.name));
        if !is_named_before || is_own {
            continue;
        }
        let found = ObjectsOfName::of(base, head, name);
        let Some(told) = found.tell(base, head, name, around) else {
            continue;
        };
        let row = out.get_or_insert_with(|| blank(&head.subject, Change::Unchanged));
        told.onto(row, around.sources, &found, name);
    }
}

/// Reports which claims of a removed VM are removed too.
pub(super) fn gone_with(base: &Stage, around: &Around<'_>, out: &mut VmPlan) {
    for claim in around.claims.gone_with(&base.subject) {
        if kept_by(&claim.resource.node).is_some() {
            continue;
        }
        out.hold(Action::DataLoss);
        let loss = claims::lost(&claim);
        if !out.loses.contains(&loss) {
            out.loses.insert(0, loss);
        }
        out.causes.extend(causes(around.sources, [claim.resource]));
        out.causes = CauseLocation::once(std::mem::take(&mut out.causes));
        out.reasons.push(Reason::new(format!(
            "claim `{}` goes with the change too, and its data with it, unless the storage class retains volumes",
            claim.resource.id.name
        )));
        out.reasons
            .extend(delivery::stays(&claim, around.deliveries));
    }
}

/// The objects of one name on both sides.
struct ObjectsOfName<'a> {
    before: Vec<&'a Resource>,
    after: Vec<&'a Resource>,
}

impl<'a> ObjectsOfName<'a> {
    fn of(base: &Stage<'a>, head: &Stage<'a>, name: &NamedObject<'_>) -> Self {
        let side = |subject: &Sided<'a>| {
            let assumed = &subject.resolver.target().namespace;
            let namespace = name.namespace.unwrap_or_else(|| subject.namespace());
            let objects = name.kind.objects().iter();
            let found = objects.filter_map(|(group, kind)| {
                subject.resolver.catalogs().iter().find_map(|catalog| {
                    catalog
                        .find(group, kind, Some(namespace), name.name, assumed)
                        .next()
                })
            });
            found.collect()
        };
        Self {
            before: side(&base.subject),
            after: side(&head.subject),
        }
    }

    fn of_kind(side: &[&'a Resource], kind: &str) -> Option<&'a Resource> {
        side.iter().find(|found| found.id.kind == kind).copied()
    }

    /// What the change of the object does to the guest; `None` where the object is the same, or new.
    fn tell(
        &self,
        base: &Stage,
        head: &Stage,
        name: &NamedObject<'_>,
        around: &Around<'_>,
    ) -> Option<ObjectVerdict> {
        let runs = power::runs(base.written()) != Runs::No;
        if self.before.is_empty() {
            return None;
        }
        if self.after.is_empty() {
            let target = &head.subject.resolver.target().name;
            if name.kind == Kind::Claim
                && around
                    .claims
                    .is_still_there(target, head.namespace(), name.name)
            {
                return None;
            }
            let mut told = self.gone(head, name, runs);
            let claim = around.claims.gone(target, head.namespace(), name.name);
            let stays = claim
                .filter(|_| name.kind == Kind::Claim && !told.actions.is_empty())
                .and_then(|claim| delivery::stays(&claim, around.deliveries));
            told.reasons.extend(stays);
            return Some(told);
        }
        let mut told = ObjectVerdict::default();
        for (_, kind) in name.kind.objects() {
            let (before, after) = (
                Self::of_kind(&self.before, kind),
                Self::of_kind(&self.after, kind),
            );
            match (before, after) {
                (Some(before), Some(after)) if before.node.same_value(&after.node) => {}
                (Some(before), Some(after)) => {
                    told.edited(head.release(), name, before, after, base, runs);
                }
                (Some(_), None) => {
                    told.hold(Action::Unknown);
                    told.say(
                        name,
                        &format!(
                            "its {kind} is removed, but the other object of the same name stays: whether the data survives depends on what owns the claim in the cluster (`kubectl get pvc {} -o yaml`)",
                            name.name
                        ),
                    );
                }
                (None, _) => {}
            }
        }
        (!told.reasons.is_empty()).then_some(told)
    }

    /// The object is no longer there.
    fn gone(&self, head: &Stage, name: &NamedObject<'_>, runs: bool) -> ObjectVerdict {
        let mut told = ObjectVerdict {
            is_gone: true,
            ..ObjectVerdict::default()
        };
        let kept: Vec<&str> = self
            .before
            .iter()
            .filter_map(|resource| kept_by(&resource.node))
            .collect();
        if let Some(kept) = kept.first().filter(|_| kept.len() == self.before.len()) {
            told.say(name, &format!("it stays in the cluster, unmanaged: {kept}"));
            return told;
        }
        if name.kind == Kind::Claim {
            told.hold(Action::DataLoss);
            told.loses.push(Loss {
                what: Lost::Disk,
                name: name.name.to_owned(),
            });
            told.say(
                name,
                if runs {
                    "it is deleted. A running guest keeps it until it stops (the cluster protects claims in use). Then the data is lost, unless the storage class retains volumes, and the VM does not start again"
                } else {
                    "it is deleted, and its data with it, unless the storage class retains volumes: the VM does not start again"
                },
            );
            return told;
        }
        if name.is_optional {
            told.hold(Action::NextStart);
            told.say(
                name,
                "it is removed, and it is optional: the guest starts without it next time",
            );
            return told;
        }
        let namespace = name.namespace.unwrap_or_else(|| head.namespace());
        let target = head.subject.resolver.target();
        let mut objects = name.kind.objects().iter();
        if objects.all(|(_, kind)| target.holds(kind, Some(namespace), name.name)) {
            told.start_refused = true;
            told.hold(Action::NextStart);
        } else {
            told.hold(Action::Unknown);
        }
        told.say(
            name,
            "it is no longer in this repository: the running guest keeps its copy, but the VM does not start again unless something else creates the object",
        );
        told
    }
}

/// What is said of one object.
#[derive(Default)]
struct ObjectVerdict {
    actions: Vec<Action>,
    is_refused: bool,
    is_gone: bool,
    start_refused: bool,
    loses: Vec<Loss>,
    reasons: Vec<Reason>,
}

impl ObjectVerdict {
    fn hold(&mut self, action: Action) {
        self.actions.push(action);
    }

    fn say(&mut self, name: &NamedObject<'_>, words: &str) {
        let message = format!("{} `{}`: {words}", name.kind.word(), name.name);
        self.reasons
            .push(Reason::new(message).at(&name.field.to_string()));
    }

    fn edited(
        &mut self,
        release: Release,
        name: &NamedObject<'_>,
        before: &Resource,
        after: &Resource,
        base: &Stage,
        runs: bool,
    ) {
        match name.kind {
            Kind::Claim => self.claim_edited(release, name, before, after, base, runs),
            Kind::Network => {
                if data(&before.node, &["spec"]) == data(&after.node, &["spec"]) {
                    return;
                }
                self.hold(Action::NextStart);
                self.say(
                    name,
                    if runs {
                        "it changed: the guest is attached to it anew at its next start, or earlier when it migrates"
                    } else {
                        "it changed: the guest is attached to it when it starts"
                    },
                );
            }
            Kind::Secret | Kind::ConfigMap => {
                let fields = ["data", "stringData", "binaryData"];
                if data(&before.node, &fields) == data(&after.node, &fields) {
                    return;
                }
                if before.node.bool_at("immutable") {
                    self.hold(Action::Rejected);
                    self.is_refused = true;
                    self.say(
                        name,
                        "it is `immutable`: the API server refuses the edit, the guest keeps what it has",
                    );
                    return;
                }
                let (action, words) = seen(name, base.written(), runs);
                self.hold(action);
                self.say(name, &format!("it changed: {words}"));
            }
        }
    }

    fn claim_edited(
        &mut self,
        release: Release,
        name: &NamedObject<'_>,
        before: &Resource,
        after: &Resource,
        base: &Stage,
        runs: bool,
    ) {
        for edit in claims::edits(release, before, after) {
            let words = match edit.fate {
                Fate::Refused => {
                    self.hold(Action::Rejected);
                    self.is_refused = true;
                    format!("{}; the guest's disk stays as it is", edit.reason.message)
                }
                Fate::Unknown => {
                    self.hold(Action::Unknown);
                    edit.reason.message.clone()
                }
                Fate::Grows => {
                    let target = base.subject.resolver.target();
                    let grows = target.configuration.gate_enabled("ExpandDisks", release);
                    self.hold(if grows && runs {
                        Action::Live
                    } else {
                        Action::NextStart
                    });
                    let words = match (grows, runs) {
                        (true, true) => {
                            "the disk grows while the guest runs; the guest has to resize its own partitions"
                        }
                        (true, false) => "the disk is larger at the next start",
                        (false, _) => {
                            "feature gate `ExpandDisks` is off: a block device is larger at the next start, and a disk image keeps its size"
                        }
                    };
                    format!("{}: {words}", edit.reason.message)
                }
            };
            let Reason {
                field,
                from,
                to,
                kubevirt,
                ..
            } = edit.reason;
            // These values belong to the claim, so they are shown with the claim's field and not with the field that names it.
            let what = match (field, from, to) {
                (Some(field), Some(from), Some(to)) => format!(" `{field}` {from} → {to}"),
                (Some(field), _, _) => format!(" `{field}`"),
                (None, _, _) => String::new(),
            };
            let message = format!("{} `{}`{what}: {words}", name.kind.word(), name.name);
            let reason = Reason {
                kubevirt,
                ..Reason::new(message)
            };
            self.reasons.push(reason.at(&name.field.to_string()));
        }
    }

    /// Adds it to the row of a VM.
    fn onto(
        self,
        row: &mut VmPlan,
        sources: &Sources,
        found: &ObjectsOfName<'_>,
        name: &NamedObject<'_>,
    ) {
        for action in self.actions {
            row.hold(action);
        }
        if self.is_refused {
            row.rejected.get_or_insert(Rejection::Admission);
        }
        row.start_refused |= self.start_refused;
        for loss in self.loses {
            if !row.loses.contains(&loss) {
                row.loses.push(loss);
            }
        }
        let resources: Vec<&Resource> = found.before.iter().chain(&found.after).copied().collect();
        let stand = causes(sources, resources.iter().copied());
        let place = stand
            .last()
            .map_or_else(String::new, |cause| format!("{}: ", cause.file));
        let verb = if self.is_gone { "removed" } else { "changed" };
        let words = format!("{place}{} `{}` {verb}", name.kind.word(), name.name);
        if !row.shared.contains(&words) {
            row.shared.push(words);
        }
        row.causes.extend(stand);
        row.causes = CauseLocation::once(std::mem::take(&mut row.causes));
        row.reasons.extend(self.reasons);
    }
}

/// The fields that hold what an object says.
fn data(node: &Node, fields: &[&str]) -> Vec<Option<serde_json::Value>> {
    let held = fields.iter().map(|field| node.get(field));
    held.map(|held| held.filter(|held| !held.is_null()).map(Node::to_json))
        .collect()
}

/// When the guest sees a changed Secret or ConfigMap.
fn seen(name: &NamedObject<'_>, vm: &Node, runs: bool) -> (Action, &'static str) {
    let (action, words) = match name.used {
        UsedFor::Directory => (
            Action::Live,
            "the guest shares the directory (virtiofs) and sees it as soon as the node has it",
        ),
        UsedFor::Agent => (Action::Live, "the guest agent sets it in the running guest"),
        UsedFor::CloudInit | UsedFor::Keys if is_ephemeral(template_spec(vm)) => (
            Action::NextStart,
            "cloud-init reads it at the next start; the root disk is made anew at every start, so that the guest sees all of it",
        ),
        UsedFor::CloudInit | UsedFor::Keys => (
            Action::NextStart,
            "cloud-init reads it at the next start; the instance id stays the same and the root disk persists, so that steps that run once per instance do not run again",
        ),
        UsedFor::Sysprep => (
            Action::NextStart,
            "its disc is made anew at the next start, Windows reads it only while it is set up",
        ),
        UsedFor::Disk | UsedFor::Interface => (
            Action::NextStart,
            "its disk is made when the guest starts: the guest sees it at its next start",
        ),
    };
    if runs {
        (action, words)
    } else {
        (Action::NextStart, "the guest sees it when it starts")
    }
}
