//! `KubeVirt` releases, and the one table of what differs between them. Nothing else compares releases.

use std::fmt;
use std::str::FromStr;

/// A minor release line of `KubeVirt`; its last patch release is what is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Release {
    V1_0,
    V1_1,
    V1_2,
    V1_3,
    V1_4,
    V1_5,
    V1_6,
    V1_7,
    V1_8,
    V1_9,
}

use Release::{V1_5, V1_6, V1_7, V1_8, V1_9};

impl Release {
    /// The newest release known.
    pub const NEWEST: Self = V1_9;

    /// Every release that can be a target, oldest first.
    pub const TARGETS: [Self; 9] = [
        Self::V1_1,
        Self::V1_2,
        Self::V1_3,
        Self::V1_4,
        Self::V1_5,
        Self::V1_6,
        Self::V1_7,
        Self::V1_8,
        Self::V1_9,
    ];

    /// The release whose verdicts stand for this one: verdicts are proved from 1.5 on.
    #[must_use]
    pub const fn proved(self) -> Self {
        match self {
            Self::V1_0 | Self::V1_1 | Self::V1_2 | Self::V1_3 | Self::V1_4 => V1_5,
            other => other,
        }
    }

    /// Whether this release behaves so, judged by [`Self::proved`].
    pub const fn has(self, behaviour: Behaviour) -> bool {
        let (first, last) = behaviour.releases();
        let at = self.proved() as u8;
        first as u8 <= at && at <= last as u8
    }

    /// Whether the controller writes revision names into `spec`; from 1.5 on it writes them into `status`. Known for
    /// every target, proved or not.
    pub const fn keeps_revisions_in_spec(self) -> bool {
        (self as u8) < (V1_5 as u8)
    }

    /// `1.9`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V1_0 => "1.0",
            Self::V1_1 => "1.1",
            Self::V1_2 => "1.2",
            Self::V1_3 => "1.3",
            Self::V1_4 => "1.4",
            Self::V1_5 => "1.5",
            Self::V1_6 => "1.6",
            Self::V1_7 => "1.7",
            Self::V1_8 => "1.8",
            Self::V1_9 => "1.9",
        }
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no release that can be a target.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a KubeVirt release driftless knows: 1.1 to 1.9")]
pub struct UnknownRelease(String);

impl FromStr for Release {
    type Err = UnknownRelease;

    /// Reads `1.9`, `v1.9` and `v1.9.0`.
    fn from_str(text: &str) -> Result<Self, UnknownRelease> {
        let bare = text.trim().trim_start_matches('v');
        Self::TARGETS
            .into_iter()
            .find(|release| {
                bare.strip_prefix(release.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '+']))
            })
            .ok_or_else(|| UnknownRelease(text.to_owned()))
    }
}

/// Declares [`Behaviour`] and its range of releases, one line each.
macro_rules! behaviours {
    ($($(#[doc = $doc:literal])+ $name:ident: $first:ident..$last:ident,)+) => {
        /// Something that is not the same in every release.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Behaviour { $($(#[doc = $doc])+ $name,)+ }

        impl Behaviour {
            /// First and last release that behave so.
            const fn releases(self) -> (Release, Release) {
                match self { $(Self::$name => ($first, $last),)+ }
            }
        }
    };
}

behaviours! {
    // Fields and preferences
    /// `preferredPanicDeviceModel` adds a device where the VM has none (before: only fills devices without a model).
    PreferenceAddsPanicDevice: V1_9..V1_9,
    /// `preferredArchitecture` fills an empty architecture, at expand and at admission, and the machine default follows.
    PreferredArchitecture: V1_7..V1_9,
    /// `architectureConfiguration.s390x` exists (before: constants).
    ConfiguresS390x: V1_7..V1_9,
    /// ppc64le has its own machine default `pseries`.
    Ppc64le: V1_5..V1_6,

    // Expand and apply
    /// `requests.memory` is defaulted from guest memory, hugepages or limits, divided by the memory overcommit.
    DefaultsRequestsMemory: V1_5..V1_5,
    /// A VM memory block conflicts field by field (before: any block is one conflict `domain.memory`).
    MemoryConflictsByField: V1_7..V1_9,
    /// Revisions stored as v1alpha1, v1alpha2 or bare spec can be decoded.
    DecodesOldRevisions: V1_5..V1_6,

    /// `instancetype.kubevirt.io` v1alpha1 and v1alpha2 are served.
    ServesOldInstancetypes: V1_5..V1_5,
    /// `pool.kubevirt.io` v1beta1 is served, beside v1alpha1.
    ServesBetaPools: V1_7..V1_9,

    // Mutating webhook
    /// `firmware.uuid` is made at random on create.
    WritesFirmwareUuid: V1_6..V1_9,
    /// The template annotation `kubevirt.io/pci-topology-version` is written on create.
    WritesPciTopology: V1_6..V1_9,
    /// An empty matcher kind is written out.
    WritesMatcherKind: V1_5..V1_6,
    /// The architecture label of the data source is read.
    ReadsDataSourceArchitecture: V1_6..V1_9,
    /// `inferFromVolume` beside a name has the newer wording and cause type.
    InferWordingAlreadySet: V1_7..V1_9,
    /// Volume snapshots can be inferred from.
    InfersFromSnapshots: V1_9..V1_9,

    // Validating webhook
    /// A missing instance type or preference is refused at admission.
    RefusesMissingInstancetype: V1_5..V1_5,
    /// Every interface needs exactly one binding.
    RequiresOneBinding: V1_9..V1_9,
    /// Beta feature gates are on unless disabled (before: opt-in).
    BetaGatesAreOn: V1_9..V1_9,
    /// A gate the release does not know is off even where it is listed.
    IgnoresUnknownGates: V1_9..V1_9,
    /// Persistent reservations are switched by a field; the gate, where listed, still counts.
    PersistentReservationIsAField: V1_9..V1_9,
    /// An architecture other than the host's needs the MultiArchitecture gate.
    ChecksHostArchitecture: V1_5..V1_7,
    /// Launch security is checked per architecture.
    LaunchSecurityByArchitecture: V1_7..V1_9,
    /// Machine types are matched as globs (before: unanchored regular expressions).
    MachineTypesAreGlobs: V1_6..V1_9,

    /// Refusals about huge pages name `memory.hugepages.pageSize` (before: `hugepages.size`).
    NamesHugepagesField: V1_8..V1_9,
    /// Without a memory request, huge pages are held against guest memory and then the memory limit.
    HugepagesFallBackToGuestMemory: V1_6..V1_9,
    /// Both ACPI tables are checked, and their absence (before: SLIC alone).
    ChecksEachAcpiTable: V1_6..V1_9,
    /// Dedicated CPUs need a memory request or limit (after: any memory).
    DedicatedCpuNeedsMemoryResource: V1_5..V1_5,
    /// The check of memory beside dedicated CPUs crashes where there is none.
    CrashesWithoutGuestMemory: V1_6..V1_6,
    /// Slirp interfaces are held against their network and a setting.
    ChecksSlirpNetwork: V1_5..V1_5,
    /// The passt and macvtap bindings are refused on create (before: they need gates).
    DiscontinuesOldBindings: V1_8..V1_9,
    /// Refusals of a port's number name `port`, and 65536 is out of range.
    NamesPortField: V1_9..V1_9,
    /// Devices from resource claims are checked.
    ChecksDeviceClaims: V1_6..V1_9,
    /// Names of resource claims are unique, and host devices are checked as GPUs are.
    ChecksResourceClaimNames: V1_8..V1_9,
    /// Names and sources of resource claims are checked, and networks may use them.
    ChecksResourceClaims: V1_9..V1_9,
    /// A CD-ROM without a volume is an empty drive, which needs a gate (before: refused).
    EmptyCdromNeedsGate: V1_6..V1_9,
    /// Block sizes are held against SATA and the discard granularity.
    ChecksDiscardGranularity: V1_7..V1_9,
    /// Secure boot needs no SMM in guests with TDX.
    TdxNeedsNoSmm: V1_9..V1_9,
    /// s390x guests can have launch security.
    HasSecureExecution: V1_6..V1_9,
    /// File systems over ConfigMaps and the like need a gate.
    ConfigVolumesNeedVirtiofsGate: V1_5..V1_7,
    /// Utility volumes are refused.
    RefusesUtilityVolumes: V1_8..V1_9,
    /// NVIDIA Grace GPUs are checked.
    ChecksGraceGpus: V1_9..V1_9,
    /// `WaitAsReceiver` is a run strategy, behind a gate.
    HasWaitAsReceiver: V1_6..V1_9,

    // Controller
    /// The rollout strategy is LiveUpdate when unset (before: Stage).
    DefaultsToLiveUpdate: V1_6..V1_9,
    /// The reference policy needs its feature gate.
    ReferencePolicyNeedsGate: V1_5..V1_5,
    /// Hotpluggable volumes and disks are judged whatever the rollout strategy (before: only under LiveUpdate).
    JudgesHotplugUnderStage: V1_6..V1_9,
    /// A disk that is gone with its hotpluggable volume needs no restart, and a disk without a volume is no crash.
    ForgivesDisksWithoutVolume: V1_6..V1_9,
    /// A firmware UUID equal to the running guest's is no difference.
    IgnoresEqualFirmwareUuid: V1_6..V1_9,
    /// A pod network added to a running VM needs a restart.
    PodNetworkAddedNeedsRestart: V1_8..V1_9,
    /// The network synchronizer also patches networks, not only interfaces.
    SynchronizesNetworks: V1_8..V1_9,
    /// Another network under the same name is attached live, behind the gate LiveUpdateNADRef.
    LiveUpdatesNetworkNameByGate: V1_8..V1_8,
    /// Another network under the same name is attached live.
    LiveUpdatesNetworkName: V1_9..V1_9,
    /// The webhook of running guests refuses state `absent` on the pod network.
    RefusesAbsentPodInterfaceLive: V1_5..V1_6,
    /// Volumes declared hotpluggable are plugged by the controller, behind the gate DeclarativeHotplugVolumes.
    DeclarativeHotplug: V1_6..V1_9,
    /// The volume handler compares the whole volume list and asks for a restart by itself.
    VolumeHandlerComparesLists: V1_5..V1_5,
    /// Some template annotations are copied to the running guest.
    SyncsAnnotations: V1_6..V1_9,
    /// Volume migration checks that the claim of a PVC volume exists.
    ChecksDestinationClaims: V1_9..V1_9,
    /// Revision names live in `status` (before: in `spec`).
    RevisionsInStatus: V1_5..V1_9,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_parse_as_people_write_them() {
        for text in ["1.9", "v1.9", "v1.9.0", " 1.9.1-rc.0"] {
            assert_eq!(text.parse::<Release>().unwrap(), V1_9);
        }
        for text in ["1.0", "1.10", "2", "", "1.99"] {
            assert!(text.parse::<Release>().is_err(), "{text}");
        }
    }

    #[test]
    fn older_targets_are_judged_as_the_first_proved_release() {
        assert!(Release::V1_2.has(Behaviour::DefaultsRequestsMemory));
        assert!(!V1_6.has(Behaviour::DefaultsRequestsMemory));
        assert!(
            V1_8.has(Behaviour::DecodesOldRevisions) == V1_7.has(Behaviour::DecodesOldRevisions)
        );
    }
}
