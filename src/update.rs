//! What the VM controller does to a running guest when the stored VM changes: a pure decision over two admitted VMs.
//!
//! [`live::flow`] is the controller's chain in its own order, per release; [`decide`] reads one action from it. Nothing
//! here knows rules or reports: the plan wraps this module.

pub mod claims;
pub mod cpu;
pub mod decide;

pub mod guest;
pub mod hotplug;
pub mod live;
pub mod memory;
pub mod network;
pub mod types;
pub mod values;
pub mod volumes;
pub mod words;

#[cfg(test)]
mod probes;

pub use crate::action::Action;
use crate::cause::Cause;
use crate::diff::Difference;
use crate::field_path::FieldPath;
use crate::release::Release;
use crate::resource::cluster::ClusterConfig;
use crate::word::words;
use crate::yaml::Node;

/// Why an action, or something else that also happens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reason {
    /// The field, where one is to blame.
    pub field: Option<FieldPath>,
    /// What stood there, for people.
    pub from: Option<String>,
    /// What stands there now, for people.
    pub to: Option<String>,
    /// What it does.
    pub message: String,
    /// KubeVirt's own words.
    pub kubevirt: Option<Cause>,
}

impl Reason {
    /// A reason without a field.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            ..Self::default()
        }
    }

    /// This reason at a field.
    #[must_use]
    pub fn at(mut self, field: &str) -> Self {
        self.field = Some(FieldPath::parse(field));
        self
    }

    /// This reason with KubeVirt's words.
    #[must_use]
    pub fn saying(mut self, kubevirt: impl Into<String>) -> Self {
        self.kubevirt = Some(Cause::new("", kubevirt));
        self
    }
}

words! {
    /// What the change of one field does.
    Effect {
        /// Reaches the running guest.
        Live = "live",
        /// Needs a restart.
        Restart = "restart",
        /// Waits for the next start.
        NextStart = "next-start",
        /// Nothing that reaches a guest.
        None = "none",
    }
}

/// One volume that changes its claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeChange {
    /// Volume name.
    pub name: String,
    /// Claim of the running guest.
    pub from: String,
    /// Claim of the new VM.
    pub to: String,
    /// What becomes of it.
    pub verdict: VolumeVerdict,
}

words! {
    /// What becomes of a volume that changes its claim.
    VolumeVerdict {
        /// Copied while the guest runs.
        Migrate = "migrate",
        /// Copied once the destination exists.
        Pending = "pending",
        /// Copied if what is not in the tree allows it.
        Unknown = "unknown",
        /// Not copied, though the strategy asks for it.
        NotMigrated = "not-migrated",
        /// Another disk after the restart.
        ReplacedAtRestart = "replaced-at-restart",
        /// Another disk at the next start of a VM that does not run.
        ReplacedAtStart = "replaced-at-start",
        /// Its migration under way is taken back.
        Cancel = "cancel",
        /// The controller refuses the change.
        Refused = "refused",
    }
}

/// A step of the controller's chain that changes the running guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// The network synchronizer.
    Network,
    /// Declarative volume hotplug.
    Hotplug,
    /// Socket hotplug.
    Cpu,
    /// Node selector and affinity.
    Affinity,
    /// Tolerations.
    Tolerations,
    /// Guest memory hotplug.
    Memory,
}

impl Step {
    /// The word KubeVirt's recordings use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Hotplug => "hotplug",
            Self::Cpu => "cpu",
            Self::Affinity => "affinity",
            Self::Tolerations => "tolerations",
            Self::Memory => "memory",
        }
    }
}

/// The two VMs and the guest between them, as the controller holds them.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// Release that judges.
    pub release: Release,
    /// Configuration that judges.
    pub configuration: &'a ClusterConfig,
    /// The VM the guest was started from, as stored.
    pub old: &'a Node,
    /// The VM the guest was started from, instance type and preference applied; the error where they cannot be.
    pub last_seen: Result<&'a Node, &'a types::TypesError>,
    /// The new VM as stored.
    pub vm: &'a Node,
    /// The new VM, instance type and preference applied; the error where they cannot be.
    pub current: Result<&'a Node, &'a types::TypesError>,
    /// The running guest.
    pub guest: &'a guest::RunningGuest,
    /// The guest's spec that the new VM would start with, where that can be told.
    pub next: Option<&'a Node>,
    /// Claims and data volumes of the namespace.
    pub claims: &'a dyn volumes::Claims,
    /// The message of a RestartRequired condition that stands already, where one is known to: until the restart, nothing but
    /// interfaces and hotplugged volumes reaches the guest.
    pub owed: Option<&'a str>,
}

impl Situation<'_> {
    /// Whether the rollout strategy lets handlers patch the running guest.
    pub fn is_live_update(&self) -> bool {
        self.configuration.rolls_out_live(self.release)
    }

    /// The new VM's update strategy for volumes; empty where unset.
    pub fn volumes_strategy(&self) -> &str {
        self.vm.str_at("spec.updateVolumesStrategy")
    }
}

/// Why a sync of the controller stops, on every try, in `KubeVirt`'s words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SyncError {
    /// The user's VM: its instance type and preference cannot be had or applied.
    #[error(transparent)]
    Types(#[from] types::TypesError),
    /// The user's VM: the guest was started without a count of sockets, and the controller's patch tests for one.
    #[error("testing value /spec/domain/cpu/sockets failed: test failed")]
    NoSocketsToPatch,
    /// The user's VM: the strategy is none of the known ones.
    #[error("updateVolumes strategy not recognized: {0}")]
    UnknownStrategy(String),
}

/// What the controller's chain does in its first sync after the change.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// Whether the RestartRequired condition is set, by the comparison or by a handler.
    pub restart_required: bool,
    /// Whether the comparison of the whole template set it.
    pub template_differs: bool,
    /// The condition's message.
    pub message: String,
    /// What still differs after everything that can be applied live was taken out: each forces the restart.
    pub forcing: Vec<Difference>,
    /// Field to blame for a handler's restart.
    pub handler_fields: Vec<(&'static str, String)>,
    /// Steps that change the guest.
    pub live: Vec<Step>,
    /// Steps the cluster's own webhook refuses, with its words.
    pub denied: Vec<(Step, String)>,
    /// The sync stops here on every try.
    pub error: Option<SyncError>,
    /// KubeVirt's code would crash here.
    pub crash: Option<&'static str>,
}

impl Flow {
    /// Sets RestartRequired; the first message stays.
    fn require_restart(&mut self, message: impl Into<String>) {
        if !self.restart_required {
            self.message = message.into();
        }
        self.restart_required = true;
    }
}

/// The template's VMI spec of a VM.
pub(crate) fn template_spec(vm: &Node) -> &Node {
    static EMPTY: Node = Node::map();
    vm.path("spec.template.spec").unwrap_or(&EMPTY)
}

/// The item of a list by its name; the last one where several share it.
pub(crate) fn named<'a>(items: &'a [Node], name: &str) -> Option<&'a Node> {
    items.iter().rev().find(|item| item.str_at("name") == name)
}
