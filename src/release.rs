//! `KubeVirt` releases, and the one table of what differs between them. Nothing else compares releases. It is long because
//! the table is whole.

pub mod cdi;

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

/// Declares [`Release`] and the list of targets, one line a release, oldest first.
macro_rules! releases {
    ($($name:ident $text:literal;)+) => {
        /// A minor release line of `KubeVirt`; its last patch release is what is meant.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        #[serde(try_from = "String")]
        #[allow(clippy::manual_non_exhaustive, reason = "the hidden release is one like the others")]
        pub enum Release {
            $(#[doc = $text] $name,)+
            /// The release after the newest: like it in everything, as every open range says. For tests; no target.
            #[doc(hidden)]
            Next,
        }

        impl Release {
            /// Every release that can be a target, oldest first.
            pub const TARGETS: &'static [Self] = &[$(Self::$name),+];

            /// `1.9`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                    Self::Next => "next",
                }
            }
        }
    };
}

releases! {
    V1_1 "1.1";
    V1_2 "1.2";
    V1_3 "1.3";
    V1_4 "1.4";
    V1_5 "1.5";
    V1_6 "1.6";
    V1_7 "1.7";
    V1_8 "1.8";
    V1_9 "1.9";
}

impl Release {
    /// The oldest release known.
    pub const OLDEST: Self = Self::TARGETS[0];

    /// The newest release known.
    pub const NEWEST: Self = Self::TARGETS[Self::TARGETS.len() - 1];

    /// The oldest release whose verdicts are proved by recordings.
    pub const FIRST_PROVED: Self = Self::V1_4;

    /// The release whose verdicts are used for this one: [`Self::FIRST_PROVED`] for those before it.
    #[must_use]
    pub fn proved(self) -> Self {
        self.max(Self::FIRST_PROVED)
    }

    /// The targets whose verdicts are proved, oldest first.
    pub fn all_proved() -> impl Iterator<Item = Self> {
        let targets = Self::TARGETS.iter().copied();
        targets.filter(|release| release.proved() == *release)
    }

    /// The next target; of the newest, itself.
    #[must_use]
    pub fn following(self) -> Self {
        let mut targets = Self::TARGETS.iter().copied();
        targets.find(|other| *other > self).unwrap_or(Self::NEWEST)
    }

    /// Whether this release behaves so, judged by [`Self::proved`].
    pub fn has(self, behaviour: Behaviour) -> bool {
        behaviour.releases().contains(self.proved())
    }

    /// Whether the controller writes revision names into `spec`; from 1.5 on it writes them into `status`.
    pub(crate) fn keeps_revisions_in_spec(self) -> bool {
        !self.has(Behaviour::RevisionsInStatus)
    }

    /// What the upgrade of a cluster to a newer release gains and loses, in words for people, each with the first release
    /// that it holds for.
    pub(crate) fn gained_and_lost(self, newer: Self) -> impl Iterator<Item = (Self, &'static str)> {
        Behaviour::ALL.iter().filter_map(move |behaviour| {
            let releases = behaviour.releases();
            match behaviour.preview() {
                Preview::Gained(words) if newer.has(*behaviour) && !self.has(*behaviour) => {
                    Some((releases.first(), words))
                }
                Preview::Lost(words) if self.has(*behaviour) && !newer.has(*behaviour) => {
                    Some((releases.last()?.following(), words))
                }
                _ => None,
            }
        })
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no release that can be a target, or not for sure.
#[derive(Debug, thiserror::Error)]
pub enum UnknownRelease {
    /// No target has the name.
    #[error("`{0}` is not a KubeVirt release driftless knows: {oldest} to {newest}", oldest = Release::OLDEST, newest = Release::NEWEST)]
    NoTarget(String),
    /// A number, which YAML read without the zero at its end.
    #[error("`{0}` may have been written `{0}0`: put the release in quotes")]
    LostZero(String),
}

impl Release {
    /// The release that a number without quotes names, as far as YAML leaves it: `1.10` is the number `1.1`.
    pub(crate) fn from_number(number: f64) -> Result<Self, UnknownRelease> {
        let text = number.to_string();
        let targets = Self::TARGETS.iter().map(|target| target.as_str());
        if lost_zero(&text, targets) {
            return Err(UnknownRelease::LostZero(text));
        }
        text.parse()
    }
}

fn lost_zero<'a>(text: &str, mut names: impl Iterator<Item = &'a str>) -> bool {
    names.any(|name| name.strip_suffix('0') == Some(text))
}

impl FromStr for Release {
    type Err = UnknownRelease;

    /// Reads `1.9`, `v1.9` and `v1.9.0`.
    fn from_str(text: &str) -> Result<Self, UnknownRelease> {
        let bare = text.trim().trim_start_matches('v');
        let mut targets = Self::TARGETS.iter().copied();
        targets
            .find(|release| {
                bare.strip_prefix(release.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '+']))
            })
            .ok_or_else(|| UnknownRelease::NoTarget(text.to_owned()))
    }
}

impl TryFrom<String> for Release {
    type Error = UnknownRelease;

    fn try_from(text: String) -> Result<Self, UnknownRelease> {
        text.parse()
    }
}

/// A range of releases. Without a last one it is open: the next release inherits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReleaseRange {
    first: Release,
    last: Option<Release>,
}

impl ReleaseRange {
    /// From `first`, or the oldest release known, up to and with `last`, or open.
    pub fn between(first: Option<Release>, last: Option<Release>) -> Self {
        Self {
            first: first.unwrap_or(Release::OLDEST),
            last,
        }
    }

    /// The first release of the range.
    pub const fn first(self) -> Release {
        self.first
    }

    /// The last release of the range; `None` where it has not ended.
    pub const fn last(self) -> Option<Release> {
        self.last
    }

    /// Whether the range includes a release.
    pub const fn contains(self, release: Release) -> bool {
        let ended = match self.last {
            Some(last) => (release as u8) > (last as u8),
            None => false,
        };
        (release as u8) >= (self.first as u8) && !ended
    }

    /// From the first release of either range to the last of either.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            first: self.first.min(other.first),
            last: self.last.zip(other.last).map(|(one, two)| one.max(two)),
        }
    }
}

impl fmt::Display for ReleaseRange {
    /// `all`, `up to 1.6`, `from 1.6 on`, `1.6 to 1.8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.first, self.last) {
            (Release::OLDEST, None) => f.write_str("all"),
            (Release::OLDEST, Some(last)) => write!(f, "up to {last}"),
            (first, None) => write!(f, "from {first} on"),
            (first, Some(last)) => write!(f, "{first} to {last}"),
        }
    }
}

/// What the preview of a cluster upgrade says of a behaviour.
#[derive(Clone, Copy, Debug)]
enum Preview {
    /// What the first release with the behaviour brings.
    Gained(&'static str),
    /// What the first release without it takes away or does instead.
    Lost(&'static str),
    /// Nothing; the table says why.
    Silent,
}

/// Declares [`Behaviour`], one line each: its releases, and what the preview of a cluster upgrade says of it.
///
/// `V1_7..` has not ended, so the next release has it; an end (`..=V1_6`) is written only where it really ended.
macro_rules! behaviours {
    ($($(#[doc = $doc:literal])+ $name:ident: $first:ident $(..)? $(..= $last:ident)?, $kind:ident $words:literal;)+) => {
        /// Something that is not the same in every release.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Behaviour { $($(#[doc = $doc])+ $name,)+ }

        impl Behaviour {
            const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The releases that behave so, as far back as is proved.
            pub const fn releases(self) -> ReleaseRange {
                match self {
                    $(Self::$name => ReleaseRange { first: Release::$first, last: last_of(&[$(Release::$last)?]) },)+
                }
            }

            const fn preview(self) -> Preview {
                match self { $(Self::$name => $kind($words),)+ }
            }
        }
    };
}

const fn last_of(end: &[Release]) -> Option<Release> {
    if end.is_empty() { None } else { Some(end[0]) }
}

const fn gained(words: &'static str) -> Preview {
    Preview::Gained(words)
}

const fn lost(words: &'static str) -> Preview {
    Preview::Lost(words)
}

const fn silent(_why: &'static str) -> Preview {
    Preview::Silent
}

behaviours! {
    // Fields and preferences
    /// `preferredPanicDeviceModel` adds a device where the VM has none (before: only fills devices without a model).
    PreferenceAddsPanicDevice: V1_9.., gained "a preference's panic device model gives a panic device to a VM that has none";
    /// `preferredArchitecture` fills an empty architecture, at expand and at admission, and the machine default follows.
    PreferredArchitecture: V1_7.., gained "a preference may set the architecture";
    /// `architectureConfiguration.s390x` exists (before: constants).
    ConfiguresS390x: V1_7.., silent "no earlier configuration can have the setting";
    /// ppc64le has its own machine default `pseries`.
    Ppc64le: V1_4..=V1_6, lost "a VM of ppc64le that names no machine type gets the one of amd64";

    // Expand and apply
    /// `requests.memory` is defaulted from guest memory, hugepages or limits, divided by the memory overcommit.
    DefaultsRequestsMemory: V1_4..=V1_5, lost "expansion no longer fills in the memory request";
    /// While a running VM is compared, its instance type's annotations are held against the VM's own (after: the template's).
    AnnotatesVmItself: V1_4..=V1_4, lost "a running VM's own annotations no longer conflict with those of its instance type";
    /// Conflicts are said in the plural (after: `field(s)`).
    PluralConflicts: V1_4..=V1_4, silent "only wording";
    /// A VM memory block conflicts field by field (before: any block is one conflict `domain.memory`).
    MemoryConflictsByField: V1_7.., silent "the preview asks admission about every VM";
    /// Revisions stored as v1alpha1, v1alpha2 or bare spec can be decoded.
    DecodesOldRevisions: V1_4..=V1_6, lost "revisions stored as v1alpha1, v1alpha2 or bare spec can no longer be decoded: `driftless upgrade` moves them, before the cluster is upgraded";

    /// `instancetype.kubevirt.io` v1alpha1 and v1alpha2 are served.
    ServesOldInstancetypes: V1_4..=V1_5, lost "instance types and preferences are served as v1beta1 only";
    /// `pool.kubevirt.io` v1beta1 is served, beside v1alpha1.
    ServesBetaPools: V1_7.., gained "pools are served as v1beta1 too";

    // Mutating webhook
    /// `firmware.serial` is made at random on create.
    WritesFirmwareSerial: V1_5.., silent "only a VM that is created gets one";
    /// `firmware.uuid` is made at random on create.
    WritesFirmwareUuid: V1_6.., silent "only a VM that is created gets one";
    /// The template annotation `kubevirt.io/pci-topology-version` is written on create.
    WritesPciTopology: V1_6.., silent "only a VM that is created gets it";
    /// An empty matcher kind is written out.
    WritesMatcherKind: V1_4..=V1_6, silent "an empty kind means the same";
    /// The architecture label of the data source is read.
    ReadsDataSourceArchitecture: V1_6.., silent "only a VM that is created is concerned";
    /// `inferFromVolume` beside a name has the newer wording and cause type.
    InferWordingAlreadySet: V1_7.., silent "only wording";
    /// Volume snapshots can be inferred from.
    InfersFromSnapshots: V1_9.., gained "instance types and preferences are inferred from volume snapshots too";

    // Start
    /// Realtime and SEV guests get a node selector, which the VM does not have (after: their pods are labelled).
    SelectsNodesByFeature: V1_4..=V1_4, lost "the guest's own node selector no longer names the features of realtime and SEV guests";
    /// The guest's architecture and its watchdog are checked at a start, and the watchdog is that of the architecture.
    KnowsWatchdogs: V1_5.., gained "a start is refused where KubeVirt does not know the guest's architecture, or its watchdog is that of another";
    /// Guests of arm64 can be plugged sockets and memory.
    PlugsIntoArmGuests: V1_4..=V1_4, lost "sockets and memory can no longer be plugged into running guests of arm64";
    /// A start applies the whole device preference before it attaches anything (before: only what it attaches).
    StartAppliesDevicesFirst: V1_4..=V1_6, silent "the guest is the same";
    /// A guest with TDX is annotated with the socket that attests it.
    AnnotatesTdxSocket: V1_9.., silent "only a guest that is started gets it";
    /// A guest of arm64 whose EFI says nothing of secure boot starts without it (before: refused).
    TurnsArmSecureBootOff: V1_8.., gained "guests of arm64 whose EFI says nothing of secure boot start without it";
    /// The finalizer of a VMI has no domain.
    PlainGuestFinalizer: V1_4..=V1_6, silent "only the cluster looks at it";

    /// Guests of ppc64le start.
    StartsPpc64le: V1_6..=V1_6, lost "guests of ppc64le no longer start";
    /// Guests of arm64 start with any CPU model but `host-model` (after: only with `host-passthrough`).
    ArmRefusesHostModelAlone: V1_4..=V1_5, lost "guests of arm64 start with the CPU model host-passthrough only";

    // Validating webhook
    /// A firmware serial has a length and an alphabet.
    ChecksFirmwareSerial: V1_4..=V1_4, lost "any text is a firmware serial";
    /// The annotation of a migration's threads is a number above 1.
    ChecksMigrationThreads: V1_4..=V1_4, lost "the annotation `kubevirt.io/multiThreadedQemuMigration` is no longer checked";
    /// A requirement of memory crashes on a VM with a memory block and no guest memory.
    RequirementCrashesWithoutMemory: V1_4..=V1_4, silent "the preview asks admission about every VM";
    /// A probe needs an interface on the pod network (after: the network alone).
    ProbesNeedPodInterface: V1_4..=V1_4, silent "the preview asks admission about every VM";
    /// The link of an interface can be set.
    SetsInterfaceLinks: V1_5.., gained "the link of an interface may be set `up` and `down`, in running guests too";
    /// A supplemental pool is an I/O threads policy.
    HasSupplementalPool: V1_5.., silent "no earlier VM can say it";
    /// The ACPI table is checked.
    ChecksAcpiTable: V1_5.., silent "the preview asks admission about every VM";
    /// File systems need a gate.
    FileSystemsNeedGate: V1_5.., silent "the preview asks admission about every VM";
    /// A missing instance type or preference is refused at admission.
    RefusesMissingInstancetype: V1_4..=V1_5, lost "a VM that names a missing instance type is admitted, and fails in its controller";
    /// Every interface needs exactly one binding.
    RequiresOneBinding: V1_9.., gained "every interface needs exactly one binding";
    /// Beta feature gates are on unless disabled (before: opt-in).
    BetaGatesAreOn: V1_9.., gained "beta feature gates are on unless disabled: volumes declared hotpluggable are plugged into running guests";
    /// A gate the release does not know is off even where it is listed.
    IgnoresUnknownGates: V1_9.., gained "a feature gate that the release does not know is off even where it is listed";
    /// Persistent reservations are switched by a field; the gate, where listed, still counts.
    PersistentReservationIsAField: V1_9.., gained "persistent reservations are switched by `persistentReservationConfiguration.enabled`; the gate still counts where it is listed";
    /// An architecture other than the host's needs the MultiArchitecture gate.
    ChecksHostArchitecture: V1_4..=V1_7, silent "the preview asks admission about every VM";
    /// Launch security is checked per architecture.
    LaunchSecurityByArchitecture: V1_7.., silent "the preview asks admission about every VM";
    /// Machine types are matched as globs (before: unanchored regular expressions).
    MachineTypesAreGlobs: V1_6.., gained "the allowed machine types are globs, no longer regular expressions";

    /// Refusals about huge pages name `memory.hugepages.pageSize` (before: `hugepages.size`).
    NamesHugepagesField: V1_8.., silent "only wording";
    /// Without a memory request, huge pages are held against guest memory and then the memory limit.
    HugepagesFallBackToGuestMemory: V1_6.., silent "the preview asks admission about every VM";
    /// Both ACPI tables are checked, and their absence (before: SLIC alone).
    ChecksEachAcpiTable: V1_6.., silent "the preview asks admission about every VM";
    /// Dedicated CPUs need a memory request or limit (after: any memory).
    DedicatedCpuNeedsMemoryResource: V1_4..=V1_5, silent "the preview asks admission about every VM";
    /// The check of memory beside dedicated CPUs crashes where there is none.
    CrashesWithoutGuestMemory: V1_6..=V1_6, silent "the preview asks admission about every VM";
    /// Slirp interfaces are held against their network and a setting.
    ChecksSlirpNetwork: V1_4..=V1_5, silent "the preview asks admission about every VM";
    /// The passt and macvtap bindings are refused on create (before: they need gates).
    DiscontinuesOldBindings: V1_8.., silent "the preview asks admission about every VM";
    /// Refusals of a port's number name `port`, and 65536 is out of range.
    NamesPortField: V1_9.., silent "the preview asks admission about every VM";
    /// Devices from resource claims are checked.
    ChecksDeviceClaims: V1_6.., silent "the preview asks admission about every VM";
    /// Names of resource claims are unique, and host devices are checked as GPUs are.
    ChecksResourceClaimNames: V1_8.., silent "the preview asks admission about every VM";
    /// Names and sources of resource claims are checked, and networks may use them.
    ChecksResourceClaims: V1_9.., silent "the preview asks admission about every VM";
    /// A CD-ROM without a volume is an empty drive, which needs a gate (before: refused).
    EmptyCdromNeedsGate: V1_6.., silent "the preview asks admission about every VM";
    /// Block sizes are held against SATA and the discard granularity.
    ChecksDiscardGranularity: V1_7.., silent "the preview asks admission about every VM";
    /// Secure boot needs no SMM in guests with TDX.
    TdxNeedsNoSmm: V1_9.., silent "the preview asks admission about every VM";
    /// s390x guests can have launch security.
    HasSecureExecution: V1_6.., silent "the preview asks admission about every VM";
    /// File systems over ConfigMaps and the like need a gate.
    ConfigVolumesNeedVirtiofsGate: V1_5..=V1_7, silent "the preview asks admission about every VM";
    /// Utility volumes are refused.
    RefusesUtilityVolumes: V1_8.., silent "the preview asks admission about every VM";
    /// NVIDIA Grace GPUs are checked.
    ChecksGraceGpus: V1_9.., silent "the preview asks admission about every VM";
    /// `WaitAsReceiver` is a run strategy, behind a gate.
    HasWaitAsReceiver: V1_6.., silent "the preview asks admission about every VM";

    // Controller
    /// The rollout strategy LiveUpdate needs its feature gate.
    LiveUpdateNeedsGate: V1_4..=V1_4, lost "the rollout strategy LiveUpdate takes effect without its feature gate: sockets, memory and scheduling changes reach running guests";
    /// `updateVolumesStrategy` needs feature gates.
    VolumesStrategyNeedsGates: V1_4..=V1_4, lost "`updateVolumesStrategy` takes effect without its feature gates";
    /// Volume migration waits for a destination that does not exist (before: it asks for a restart).
    WaitsForDestination: V1_5.., gained "volume migration waits for a destination that does not exist, and no longer asks for a restart";
    /// The rollout strategy is LiveUpdate when unset (before: Stage).
    DefaultsToLiveUpdate: V1_6.., gained "the rollout strategy is LiveUpdate unless configured: sockets, memory and scheduling changes reach running guests";
    /// The reference policy needs its feature gate.
    ReferencePolicyNeedsGate: V1_4..=V1_5, lost "a configured `instancetype.referencePolicy` takes effect without its feature gate";
    /// Hotpluggable volumes and disks are judged whatever the rollout strategy (before: only under LiveUpdate).
    JudgesHotplugUnderStage: V1_6.., gained "changed hotpluggable volumes and disks are judged under the rollout strategy Stage too";
    /// A disk that is gone with its hotpluggable volume needs no restart, and a disk without a volume is no crash.
    ForgivesDisksWithoutVolume: V1_6.., gained "a disk that goes together with its hotpluggable volume needs no restart";
    /// A firmware UUID equal to the running guest's is no difference.
    IgnoresEqualFirmwareUuid: V1_6.., gained "writing the running guest's firmware UUID into its VM needs no restart";
    /// A pod network added to a running VM needs a restart.
    PodNetworkAddedNeedsRestart: V1_8.., gained "a pod network added to a running VM needs a restart";
    /// The workload updater migrates guests for interfaces that are plugged.
    MigratesForInterfaces: V1_6.., gained "an interface plugged into a running VM makes KubeVirt migrate the guest by itself where it needs a migration";
    /// A plugged interface is compared, as it was written, with the one its preference fills in.
    ComparesPluggedInterfaces: V1_6.., gained "an interface plugged into a running VM asks for a restart afterwards where a preference fills it in";
    /// The network synchronizer also patches networks, not only interfaces.
    SynchronizesNetworks: V1_8.., silent "its effect on people is told by the lines of pod networks and network names";
    /// Another network under the same name is attached live, behind the gate LiveUpdateNADRef.
    LiveUpdatesNetworkNameByGate: V1_8..=V1_8, gained "another multus network under the same name is attached without a restart, behind the gate LiveUpdateNADRef";
    /// Another network under the same name is attached live.
    LiveUpdatesNetworkName: V1_9.., gained "another multus network under the same name is attached without a restart";
    /// The webhook of running guests refuses state `absent` on the pod network.
    RefusesAbsentPodInterfaceLive: V1_4..=V1_6, lost "the interface of the pod network may be set to `absent` in a running VM";
    /// Volumes declared hotpluggable are plugged by the controller, behind the gate DeclarativeHotplugVolumes.
    DeclarativeHotplug: V1_6.., gained "volumes declared hotpluggable are plugged into running guests, behind the gate DeclarativeHotplugVolumes";
    /// The volume handler compares the whole volume list and asks for a restart by itself.
    VolumeHandlerComparesLists: V1_4..=V1_5, lost "the handler of volumes no longer asks for a restart by itself";
    /// Some template annotations are copied to the running guest.
    SyncsAnnotations: V1_6.., gained "the descheduler's annotations of the template reach the running guest";
    /// A pool deletes a VM whose data volume templates changed (before: only its guest, where the rest of the template changed).
    PoolsDeleteForNewDisks: V1_6.., gained "a pool whose data volume templates change deletes its virtual machines and their disks";
    /// A pool says how it updates and scales in.
    PoolsHaveStrategies: V1_7.., silent "no earlier pool can say it";
    /// Volume migration checks that the claim of a PVC volume exists.
    ChecksDestinationClaims: V1_9.., gained "volume migration waits for a destination claim that does not exist";
    /// Revision names live in `status` (before: in `spec`).
    RevisionsInStatus: V1_5.., gained "the controller keeps revision names in `status`, no longer in `spec`";
}

#[cfg(test)]
mod tests;
