//! What a plan says: one row a VM, what could not be judged, and what the rows have in common.

use super::groups::Group;
use super::overlaid::Overlaid;
use crate::field_path::FieldPath;
use crate::openshift::{OpenShift, Platform};
use crate::release::Release;
use crate::update::{Action, Effect, Reason, VolumeChange};
use crate::word::words;
use crate::yaml::Node;

/// What a change does.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Releases that judge.
    pub kubevirt: Releases,
    /// What the base is called.
    pub base: String,
    /// What the head is called.
    pub head: String,
    /// Names of the targets that the VMs of either side are for; empty where only the implicit target exists.
    pub targets: Vec<String>,
    /// What holds for the whole plan: assumptions, behaviours that change.
    pub notes: Vec<String>,
    /// VMs with one cause and one set of effects, worst first. Every row is in one group.
    pub groups: Vec<Group>,
    /// Every VM that the change touches, by target, namespace and name. Rows of other kinds stand among them.
    pub virtual_machines: Vec<VmPlan>,
    /// Changed files that concern VMs and were not judged. They are counted beside the actions.
    pub unjudged: Vec<Unjudged>,
}

impl Plan {
    /// Adds what was not judged for other reasons; a file and kind that is told of already is not told of twice.
    pub fn leave(&mut self, others: &[Unjudged]) {
        let own = self.unjudged.len();
        for other in others {
            let mut told = self.unjudged[..own].iter();
            if !told.any(|told| told.file == other.file && told.kind == other.kind) {
                self.unjudged.push(other.clone());
            }
        }
        self.unjudged.sort_by(|a, b| a.file.cmp(&b.file));
    }
}

/// The releases that judge each side: one a side, or several where targets differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Releases {
    /// Those of the base, oldest first.
    pub base: Vec<Platform>,
    /// Those of the head, oldest first.
    pub head: Vec<Platform>,
    /// Releases of base and head that the sides tell themselves and that differ, where the command line sets one for
    /// both.
    pub hides: Vec<(Release, Release)>,
}

impl Releases {
    /// The `KubeVirt` releases of one side in words.
    pub fn words(side: &[Platform]) -> String {
        let mut words: Vec<&str> = side.iter().map(|one| one.release.as_str()).collect();
        words.dedup();
        words.join(", ")
    }

    /// The OpenShift releases of one side in words; empty where none is known.
    pub fn openshift(side: &[Platform]) -> String {
        let known = side.iter().filter_map(|one| one.openshift);
        let words: Vec<&str> = known.map(OpenShift::as_str).collect();
        words.join(", ")
    }
}

/// `1.9`, or `1.6 → 1.7` where the sides differ; `1.6 (OpenShift 4.20)`; `1.9 (hides 1.6 → 1.7)` where the command line overrides them.
impl std::fmt::Display for Releases {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let both = |base: String, head: String| {
            if base == head {
                head
            } else {
                format!("{base} → {head}")
            }
        };
        f.write_str(&both(Self::words(&self.base), Self::words(&self.head)))?;
        let (base, head) = (Self::openshift(&self.base), Self::openshift(&self.head));
        if !base.is_empty() && !head.is_empty() {
            write!(f, " (OpenShift {})", both(base, head))?;
        }
        let hides = self.hides.iter();
        let hides: Vec<String> = hides
            .map(|(base, head)| format!("{base} → {head}"))
            .collect();
        if hides.is_empty() {
            return Ok(());
        }
        write!(f, " (hides {})", hides.join(", "))
    }
}

/// What a change does to one VM, or to another object of a kind that [`Self::kind`] names.
#[derive(Clone, Debug)]
pub struct VmPlan {
    /// Name of its target, where `targets:` names some.
    pub target: Option<String>,
    /// Its kind: `VirtualMachine`, or another kind that makes or holds guests or disks.
    pub kind: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The namespace and name it had in the base, where they differ.
    pub was: Option<(String, String)>,
    /// How it differs between the sides.
    pub change: Change,
    /// The first action that holds, in the order of [`Action`].
    pub action: Action,
    /// Every other action that holds, in the same order. Gates and counts read both.
    pub also: Vec<Action>,
    /// Whether the guest is started or stopped.
    pub power: Power,
    /// How many guests stop because the change is applied: deleted, stopped, renamed, moved, or deleted by their pool.
    pub down: usize,
    /// Whether the restart that `KubeVirt` asks for changes nothing of the guest.
    pub condition_only: bool,
    /// Whether `KubeVirt` would refuse the VM's next start.
    pub start_refused: bool,
    /// Whether it would have refused the start of the base's form too: the change then takes nothing away.
    pub start_was_refused: bool,
    /// Who refuses, where [`Action::Rejected`] holds.
    pub rejected: Option<Rejection>,
    /// What accepts the action by name.
    pub accepted: Option<Accepted>,
    /// Why, and what else happens.
    pub reasons: Vec<Reason>,
    /// What is lost with it.
    pub loses: Vec<Loss>,
    /// What was assumed.
    pub assumptions: Vec<String>,
    /// Volumes that change their claim.
    pub volumes: Vec<VolumeChange>,
    /// Every changed field of the expanded VM, with what its change does.
    pub fields: Vec<FieldChange>,
    /// Where what causes it stands.
    pub causes: Vec<CauseLocation>,
    /// What it shares with other VMs and that changed, with its file: `types.yaml: instance type web changed`.
    pub shared: Vec<String>,
    /// Whether only overlays of named targets bring it to a cluster.
    pub overlaid: Option<Overlaid>,
    /// The expanded VM on the base side, where it can be expanded.
    pub before: Option<Node>,
    /// The expanded VM on the head side, where it can be expanded.
    pub after: Option<Node>,
}

impl VmPlan {
    /// A plan that says nothing yet of an object, which is of no named target.
    pub fn new(
        kind: impl Into<String>,
        namespace: impl Into<String>,
        name: impl Into<String>,
        change: Change,
    ) -> Self {
        Self {
            target: None,
            kind: kind.into(),
            namespace: namespace.into(),
            name: name.into(),
            was: None,
            change,
            action: Action::None,
            also: Vec::new(),
            power: Power::Unchanged,
            down: 0,
            condition_only: false,
            start_refused: false,
            start_was_refused: false,
            rejected: None,
            accepted: None,
            reasons: Vec::new(),
            loses: Vec::new(),
            assumptions: Vec::new(),
            volumes: Vec::new(),
            fields: Vec::new(),
            causes: Vec::new(),
            shared: Vec::new(),
            overlaid: None,
            before: None,
            after: None,
        }
    }

    /// Notes that an action holds: the first in order is the action, the others stand beside it.
    pub fn hold(&mut self, action: Action) {
        if action == Action::None || self.holds(action) {
            return;
        }
        let beside = if action < self.action {
            std::mem::replace(&mut self.action, action)
        } else {
            action
        };
        if beside != Action::None {
            self.also.push(beside);
            self.also.sort_unstable();
        }
    }

    /// Notes that an action holds, beside the first even where it would come before it.
    pub fn hold_beside(&mut self, action: Action) {
        if action == Action::None || self.holds(action) {
            return;
        }
        self.also.push(action);
        self.also.sort_unstable();
    }

    /// `[TARGET/]NAMESPACE/NAME`, as acceptances write it; of another kind with that kind before it.
    pub fn full_name(&self) -> String {
        let target = self
            .target
            .as_ref()
            .map_or_else(String::new, |target| format!("{target}/"));
        let kind = if self.kind == "VirtualMachine" {
            String::new()
        } else {
            format!("{} ", self.kind)
        };
        format!("{kind}{target}{}/{}", self.namespace, self.name)
    }

    /// Whether an action holds, first or beside another.
    pub fn holds(&self, action: Action) -> bool {
        self.action == action || self.also.contains(&action)
    }

    /// Every action that holds, in order.
    pub fn actions(&self) -> impl Iterator<Item = Action> + '_ {
        std::iter::once(self.action).chain(self.also.iter().copied())
    }

    /// Whether the guest needs a restart that changes it.
    pub fn owes_restart(&self) -> bool {
        self.holds(Action::Restart) && !self.condition_only
    }

    /// Whether an acceptance by name covers an action: the accepted one and those after it, never a refusal.
    pub fn is_accepted(&self, action: Action) -> bool {
        action != Action::Rejected
            && self
                .accepted
                .as_ref()
                .is_some_and(|accepted| accepted.action <= action)
    }
}

words! {
    /// How a VM differs between the sides.
    Change {
        /// Only in the head.
        Added = "added",
        /// Only in the base.
        Removed = "removed",
        /// Different.
        Modified = "modified",
        /// The same VM under another name or namespace.
        Renamed = "renamed",
        /// Deleted from one target and created in another: one row each.
        Moved = "moved",
        /// The same values; something it depends on changed, or only its spelling or place.
        Unchanged = "unchanged",
    }
}

words! {
    /// Whether a change starts or stops the guest.
    Power {
        /// Neither.
        Unchanged = "unchanged",
        /// The guest starts.
        Start = "start",
        /// The guest stops.
        Stop = "stop",
    }
}

words! {
    /// Who refuses a VM.
    Rejection {
        /// Admission: the cluster keeps what it has.
        Admission = "admission",
        /// The controller: the VM is stored, and every sync fails.
        Sync = "sync",
    }
}

words! {
    /// What kind of thing is lost.
    Lost {
        /// A disk.
        Disk = "disk",
        /// A MAC address.
        Mac = "mac",
        /// The firmware UUID.
        Uuid = "uuid",
    }
}

/// Where something stands that causes a row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CauseLocation {
    /// The file.
    pub file: String,
    /// The first line of the object in it.
    pub line: Option<u32>,
}

impl CauseLocation {
    /// Each file once, in order, with the line that came first.
    pub(super) fn once(mut causes: Vec<Self>) -> Vec<Self> {
        causes.sort_by(|a, b| a.file.cmp(&b.file));
        causes.dedup_by(|a, b| a.file == b.file);
        causes
    }
}

/// `vms/web.yaml:12`.
impl std::fmt::Display for CauseLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.file)?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

/// Something that is lost with a VM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Its kind.
    pub what: Lost,
    /// Which one.
    pub name: String,
}

/// A known loss that somebody accepted by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The action accepted; it covers those after it too.
    pub action: Action,
    /// By what: the commit of the trailer, or the option; and the reason given.
    pub by: String,
}

/// A changed file that concerns VMs and was not judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unjudged {
    /// The file.
    pub file: String,
    /// The kind of the object in it, where it holds one.
    pub kind: Option<String>,
    /// Why it was not judged, and what would settle it.
    pub reason: String,
    /// What accepts that it was not judged.
    pub accepted: Option<Accepted>,
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
