//! The plan: what a change does to every VM, why, and what is lost.
//!
//! A pair of VMs is judged in `judge`; what a changed instance type or preference does to an unchanged VM in
//! `fan_out`; what starts, stops and dies in `lifecycle`; edits that do less than they seem in `traps`.

pub mod admission;
mod fan_out;
mod fields;
mod judge;
mod lifecycle;
mod traps;
pub mod upgrade;

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::change::{self, Pair, Subject};
use crate::field_path::FieldPath;
use crate::release::Release;
use crate::source::Sources;
pub use crate::update::{Action, Reason, VolumeChange};
use crate::yaml::Node;

/// What a change does.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Release that judges.
    pub release: Release,
    /// What the base is called.
    pub base: String,
    /// What the head is called.
    pub head: String,
    /// What holds for the whole plan: assumptions, behaviours that change.
    pub notes: Vec<String>,
    /// Every VM that the change touches, by namespace and name.
    pub virtual_machines: Vec<VmPlan>,
}

/// What a change does to one VM.
#[derive(Clone, Debug)]
pub struct VmPlan {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// How it differs between the sides.
    pub change: Change,
    /// The action.
    pub action: Action,
    /// Whether the guest is started or stopped.
    pub power: Power,
    /// Why, and what else happens.
    pub reasons: Vec<Reason>,
    /// What dies with it.
    pub loses: Vec<Loss>,
    /// What was taken for granted.
    pub assumptions: Vec<String>,
    /// Volumes that change their claim.
    pub volumes: Vec<VolumeChange>,
    /// Every changed field of the expanded VM, with what its change does.
    pub fields: Vec<FieldChange>,
    /// Files that cause it.
    pub causes: Vec<String>,
    /// The expanded VM on the base side, where it can be expanded.
    pub before: Option<Node>,
    /// The expanded VM on the head side, where it can be expanded.
    pub after: Option<Node>,
}

/// How a VM differs between the sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Only in the head.
    Added,
    /// Only in the base.
    Removed,
    /// Different.
    Modified,
    /// The same VM under another name or namespace.
    Renamed,
    /// The same values; something it depends on changed, or only its spelling or place.
    Unchanged,
}

impl Change {
    /// The word in outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Modified => "modified",
            Self::Renamed => "renamed",
            Self::Unchanged => "unchanged",
        }
    }
}

/// Whether a change starts or stops the guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Power {
    /// Neither.
    Unchanged,
    /// The guest starts.
    Start,
    /// The guest stops.
    Stop,
}

impl Power {
    /// The word in outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Start => "start",
            Self::Stop => "stop",
        }
    }
}

/// Something that dies with a VM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// `disk`, `mac` or `uuid`.
    pub what: &'static str,
    /// Which one.
    pub name: String,
}

/// A changed field of the expanded VM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChange {
    /// Where.
    pub path: FieldPath,
    /// What stood there, for people.
    pub from: Option<String>,
    /// What stands there now, for people.
    pub to: Option<String>,
    /// What the change of this field does.
    pub effect: Effect,
}

/// What the change of one field does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Reaches the running guest.
    Live,
    /// Needs a restart.
    Restart,
    /// Waits for the next start.
    NextStart,
    /// Nothing that reaches a guest.
    None,
}

impl Effect {
    /// The word in outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Restart => "restart",
            Self::NextStart => "next-start",
            Self::None => "none",
        }
    }
}

/// The two sides of a change, each resource with its resolver.
#[derive(Debug)]
pub struct Sides<'a> {
    /// Every resource of the base that is judged.
    pub base: Vec<Subject<'a>>,
    /// Every resource of the head that is judged.
    pub head: Vec<Subject<'a>>,
    /// The base of a migration that is under way, where two bases are given.
    pub migration_base: Vec<Subject<'a>>,
    /// The texts of all sides.
    pub sources: &'a Sources,
}

/// What the sides are called in reports.
#[derive(Clone, Debug)]
pub struct Names {
    /// The base.
    pub base: String,
    /// The head.
    pub head: String,
}

/// Judges a change.
pub fn plan(sides: Sides<'_>, names: Names) -> Plan {
    let release = sides
        .head
        .iter()
        .chain(&sides.base)
        .map(|subject| subject.resolver.release())
        .next()
        .unwrap_or(Release::NEWEST);
    let is_vm = |subject: &Subject| subject.resource.is("kubevirt.io", "VirtualMachine");
    let earlier: BTreeMap<(String, String), Subject<'_>> = sides
        .migration_base
        .iter()
        .filter(|subject| is_vm(subject))
        .map(|subject| {
            let name = subject.resource.id.name.to_string();
            ((subject.namespace().to_owned(), name), *subject)
        })
        .collect();
    let sources = sides.sources;
    let pairs = change::pair(
        release,
        sides.base.into_iter().filter(is_vm).collect(),
        sides.head.into_iter().filter(is_vm).collect(),
    );
    let virtual_machines = pairs
        .par_iter()
        .filter_map(|pair| {
            let before_migration = pair.base.and_then(|base| {
                let name = base.resource.id.name.to_string();
                earlier.get(&(base.namespace().to_owned(), name)).copied()
            });
            judge::judge(pair, before_migration, sources)
        })
        .collect();
    Plan {
        release,
        base: names.base,
        head: names.head,
        notes: notes(&pairs),
        virtual_machines,
    }
}

impl Plan {
    /// How many VMs meet each action, in the order of actions; only those that occur.
    pub fn counts(&self) -> Vec<(Action, usize)> {
        Action::ALL
            .into_iter()
            .map(|action| (action, self.count(action)))
            .filter(|(_, count)| *count > 0)
            .collect()
    }

    /// How many VMs meet an action.
    pub fn count(&self, action: Action) -> usize {
        self.virtual_machines
            .iter()
            .filter(|vm| vm.action == action)
            .count()
    }

    /// How many guests go down: restarts, and restarts that lose data.
    pub fn restarts(&self) -> usize {
        self.count(Action::Restart) + self.count(Action::DataLoss)
    }

    /// How many guests start or stop.
    pub fn powered(&self, power: Power) -> usize {
        self.virtual_machines
            .iter()
            .filter(|vm| vm.power == power)
            .count()
    }
}

fn notes(pairs: &[Pair<'_>]) -> Vec<String> {
    let mut notes = Vec::new();
    if pairs.is_empty() {
        return notes;
    }
    notes.push("every VM that runs is taken to run what the base says".to_owned());
    let targets: BTreeSet<(Release, bool, bool)> = pairs
        .iter()
        .filter_map(Pair::named_by)
        .map(|subject| {
            let target = subject.resolver.target();
            (
                target.release,
                target.release_known,
                target.configuration.is_known(),
            )
        })
        .collect();
    for (release, known, _) in &targets {
        if !known {
            notes.push(format!(
                "KubeVirt {release} is assumed: `--kubevirt` says which release runs"
            ));
        }
        if release.proved() != *release {
            notes.push(format!(
                "verdicts for KubeVirt {release} are those of {}",
                release.proved()
            ));
        }
    }
    if targets.iter().any(|(_, _, configured)| !configured) {
        notes.push(
            "KubeVirt's default configuration is assumed: `--cluster-config` gives the cluster's own"
                .to_owned(),
        );
    }
    notes
}
