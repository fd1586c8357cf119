//! The feature gates of every release and the stage each is in.

use crate::release::{Behaviour, Release};

/// How far a feature gate has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GateStage {
    /// Off unless listed in `featureGates`.
    Alpha,
    /// Off unless listed, or on unless disabled, by release.
    Beta,
    /// Always on.
    GenerallyAvailable,
    /// Off unless listed; going away.
    Deprecated,
    /// Gone: listing it changes nothing the feature still looks at.
    Discontinued,
    /// The release does not register the gate.
    Unknown,
}

/// A gate, and each stage it reached with the release it reached it in, oldest first.
type FeatureGate = (&'static str, &'static [(Release, GateStage)]);

macro_rules! gates {
    ($($name:ident: $($release:ident $stage:ident),+;)+) => {
        &[$((stringify!($name), &[$((Release::$release, GateStage::$stage)),+]),)+]
    };
}

/// Sorted by name. A stage lasts until the next one, and the first also holds for every earlier release that is proved; a
/// gate that a release drops reaches `Unknown` in it.
const GATES: &[FeatureGate] = gates! {
    AlignCPUs: V1_4 Alpha;
    AutoResourceLimitsGate: V1_4 Alpha, V1_5 GenerallyAvailable;
    BochsDisplayForEFIGuests: V1_4 GenerallyAvailable;
    CPUManager: V1_4 Alpha;
    CPUNodeDiscovery: V1_4 GenerallyAvailable;
    ClusterProfiler: V1_4 Alpha, V1_6 GenerallyAvailable;
    CommonInstancetypesDeploymentGate: V1_4 GenerallyAvailable;
    ConfigurableHypervisor: V1_8 Alpha;
    ContainerPathVolumes: V1_8 Alpha;
    CrossArchitectureVirtualization: V1_9 Alpha;
    DecentralizedLiveMigration: V1_6 Alpha;
    DeclarativeHotplugVolumes: V1_6 Alpha, V1_9 Beta;
    DisableCustomSELinuxPolicy: V1_4 Alpha, V1_5 GenerallyAvailable;
    DisableMDEVConfiguration: V1_4 Alpha, V1_8 Deprecated;
    DockerSELinuxMCSWorkaround: V1_4 Deprecated;
    DownwardMetrics: V1_4 Alpha;
    DynamicPodInterfaceNaming: V1_4 Beta, V1_5 GenerallyAvailable;
    EnableVirtioFsConfigVolumes: V1_5 Alpha, V1_8 GenerallyAvailable;
    EnableVirtioFsStorageVolumes: V1_5 Alpha;
    ExpandDisks: V1_4 Alpha, V1_9 GenerallyAvailable;
    ExperimentalIgnitionSupport: V1_4 Alpha;
    ExperimentalVirtiofsSupport: V1_4 Alpha, V1_5 Deprecated, V1_8 Discontinued;
    ExternalNetResourceInjection: V1_8 Beta;
    FirmwareAutoSelection: V1_9 Alpha;
    GPU: V1_4 GenerallyAvailable;
    GPUsWithDRA: V1_6 Alpha, V1_9 Beta;
    GraceIOVirtualization: V1_9 Alpha;
    HostDevices: V1_4 Alpha;
    HostDevicesWithDRA: V1_6 Alpha, V1_9 Beta;
    HostDisk: V1_4 Alpha;
    HotplugNICs: V1_4 GenerallyAvailable;
    HotplugVolumes: V1_4 Alpha, V1_9 Deprecated;
    HypervStrictCheck: V1_4 Alpha;
    IOMMUFD: V1_9 Alpha;
    ImageVolume: V1_6 Alpha, V1_7 Beta;
    IncrementalBackup: V1_7 Alpha;
    InstancetypeReferencePolicy: V1_4 Alpha, V1_5 Beta, V1_6 GenerallyAvailable;
    KubevirtSeccompProfile: V1_4 Alpha, V1_7 Beta;
    LibvirtHooksServerAndClient: V1_8 Alpha, V1_9 Beta;
    LiveMigration: V1_4 GenerallyAvailable;
    LiveUpdateNADRef: V1_8 Beta, V1_9 GenerallyAvailable;
    Macvtap: V1_4 Discontinued;
    MigrationPriorityQueue: V1_7 Alpha, V1_8 Beta, V1_9 GenerallyAvailable;
    MigrationStallDetection: V1_9 Alpha;
    MultiArchitecture: V1_4 Alpha, V1_8 Deprecated;
    NUMA: V1_4 GenerallyAvailable;
    NetworkBindingPlugins: V1_4 Beta, V1_5 GenerallyAvailable;
    NetworkDevicesWithDRA: V1_9 Alpha;
    NodeRestriction: V1_4 Alpha, V1_6 Beta;
    NonRoot: V1_4 GenerallyAvailable;
    OCIExport: V1_9 Alpha;
    ObjectGraph: V1_9 Alpha;
    OptOutRoleAggregation: V1_8 Alpha, V1_9 Beta;
    PCINUMAAwareTopology: V1_8 Alpha;
    PSA: V1_4 GenerallyAvailable;
    PanicDevices: V1_6 Alpha, V1_7 Beta, V1_9 GenerallyAvailable;
    Passt: V1_4 Discontinued;
    PasstBinding: V1_8 Beta;
    PasstIPStackMigration: V1_6 Alpha, V1_8 Discontinued;
    PersistentReservation: V1_4 Alpha, V1_9 GenerallyAvailable;
    Plugins: V1_9 Alpha;
    PodSecondaryInterfaceNamingUpgrade: V1_8 Beta;
    PortRangesSpec: V1_9 Alpha;
    RebootPolicy: V1_8 Alpha, V1_9 Beta;
    ReservedOverheadMemlock: V1_8 Alpha;
    Root: V1_4 Alpha;
    SRIOVLiveMigration: V1_4 GenerallyAvailable;
    SecureExecution: V1_7 Beta, V1_9 GenerallyAvailable;
    Sidecar: V1_4 Alpha;
    Snapshot: V1_4 Alpha, V1_6 Beta;
    Template: V1_8 Alpha, V1_9 Beta;
    UtilityVolumes: V1_8 Alpha;
    VGPULiveMigration: V1_9 Alpha;
    VMExport: V1_4 Alpha, V1_6 Beta, V1_9 GenerallyAvailable;
    VMLiveUpdateFeatures: V1_4 Alpha, V1_5 GenerallyAvailable;
    VMPersistentState: V1_4 Alpha, V1_6 GenerallyAvailable;
    VMStatsCollector: V1_9 Alpha;
    VSOCK: V1_4 Alpha;
    VideoConfig: V1_6 Alpha, V1_7 Beta, V1_9 GenerallyAvailable;
    VmiMemoryOverheadReport: V1_8 Alpha, V1_9 Beta;
    VolumeMigration: V1_4 Alpha, V1_5 GenerallyAvailable;
    VolumesUpdateStrategy: V1_4 Alpha, V1_5 GenerallyAvailable;
    WorkloadEncryptionSEV: V1_4 Alpha, V1_9 Beta;
    WorkloadEncryptionTDX: V1_7 Alpha;
};

/// The stage of a gate in a release.
pub(crate) fn stage(gate: &str, release: Release) -> GateStage {
    let at = GATES.binary_search_by(|(name, _)| name.cmp(&gate));
    let steps = at.map_or(&[][..], |at| GATES[at].1);
    let reached = steps
        .iter()
        .rev()
        .find(|(since, _)| *since <= release.proved());
    reached.map_or(GateStage::Unknown, |(_, stage)| *stage)
}

/// Whether a gate is on in a release, given the gates a configuration lists and those it disables.
pub(crate) fn enabled<'a>(
    gate: &str,
    release: Release,
    listed: impl IntoIterator<Item = &'a str>,
    disabled: impl IntoIterator<Item = &'a str>,
) -> bool {
    let stage = stage(gate, release);
    if stage == GateStage::GenerallyAvailable {
        return true;
    }
    if stage == GateStage::Unknown && release.has(Behaviour::IgnoresUnknownGates) {
        return false;
    }
    if listed.into_iter().any(|name| name == gate) {
        return true;
    }
    stage == GateStage::Beta
        && release.has(Behaviour::BetaGatesAreOn)
        && !disabled.into_iter().any(|name| name == gate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_its_steps_go_forward() {
        assert!(GATES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (name, steps) in GATES {
            assert!(
                steps
                    .windows(2)
                    .all(|pair| pair[0].0 < pair[1].0 && pair[0].1 != pair[1].1),
                "{name}"
            );
            assert_eq!(
                stage(name, Release::Next),
                stage(name, Release::NEWEST),
                "{name}"
            );
        }
    }

    /// Gates of each stage that a release registers: alpha, beta, generally available, deprecated, discontinued. Counted in
    /// `pkg/virt-config/featuregate` of the release's tag; of 1.4, the constants in `pkg/virt-config/feature-gates.go`, beta
    /// where a comment says so, and what `pkg/virt-config/deprecation` registers.
    const REGISTERED: &[(Release, [usize; 5])] = &[
        (Release::V1_4, [29, 2, 10, 1, 2]),
        (Release::V1_5, [24, 1, 17, 2, 2]),
        (Release::V1_6, [27, 3, 20, 2, 2]),
        (Release::V1_7, [26, 8, 20, 2, 2]),
        (Release::V1_8, [31, 13, 21, 3, 4]),
        (Release::V1_9, [31, 16, 29, 4, 4]),
    ];

    #[test]
    fn every_release_registers_as_many_gates_as_its_source() {
        for release in Release::all_proved() {
            let counted = REGISTERED.iter().find(|(of, _)| *of == release);
            let (_, counted) = counted.unwrap_or_else(|| {
                panic!("count the feature gates of KubeVirt {release}: docs/adding-a-release.md")
            });
            let stages = [
                GateStage::Alpha,
                GateStage::Beta,
                GateStage::GenerallyAvailable,
                GateStage::Deprecated,
                GateStage::Discontinued,
            ];
            let here = stages.map(|wanted| {
                let of = |name: &str| stage(name, release);
                GATES.iter().filter(|(name, _)| of(name) == wanted).count()
            });
            assert_eq!(here, *counted, "KubeVirt {release}");
        }
    }

    #[test]
    fn a_stage_moves_with_the_release() {
        let stages = [
            Release::V1_2,
            Release::V1_5,
            Release::V1_6,
            Release::V1_7,
            Release::V1_9,
        ]
        .map(|release| stage("VideoConfig", release));
        assert_eq!(
            stages,
            [
                GateStage::Unknown,
                GateStage::Unknown,
                GateStage::Alpha,
                GateStage::Beta,
                GateStage::GenerallyAvailable
            ]
        );
    }

    #[test]
    fn beta_is_opt_in_before_1_9_and_on_from_then() {
        let on = |release, listed: &[&'static str], disabled: &[&'static str]| {
            enabled(
                "Snapshot",
                release,
                listed.iter().copied(),
                disabled.iter().copied(),
            )
        };
        assert!(!on(Release::V1_8, &[], &[]));
        assert!(on(Release::V1_8, &["Snapshot"], &["Snapshot"]));
        assert!(on(Release::V1_9, &[], &[]));
        assert!(!on(Release::V1_9, &[], &["Snapshot"]));
        assert!(on(Release::V1_9, &["Snapshot"], &["Snapshot"]));
    }

    #[test]
    fn a_gate_no_release_registers_counts_only_before_1_9() {
        assert!(enabled(
            "SecureExecution",
            Release::V1_6,
            ["SecureExecution"],
            []
        ));
        assert!(!enabled("NoSuchGate", Release::V1_9, ["NoSuchGate"], []));
        assert!(!enabled("NoSuchGate", Release::V1_5, [], []));
    }
}
