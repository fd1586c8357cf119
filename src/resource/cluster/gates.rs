//! The feature gates of every release and the stage each is in.

use crate::release::{Behaviour, Release};

/// How far a feature gate has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
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
}

/// Stages in 1.5, 1.6, 1.7, 1.8, 1.9: Alpha, Beta, General availability, Deprecated, X discontinued, - unknown. Sorted.
const GATES: &[(&str, &str)] = &[
    ("AlignCPUs", "AAAAA"),
    ("AutoResourceLimitsGate", "GGGGG"),
    ("BochsDisplayForEFIGuests", "GGGGG"),
    ("CPUManager", "AAAAA"),
    ("CPUNodeDiscovery", "GGGGG"),
    ("ClusterProfiler", "AGGGG"),
    ("CommonInstancetypesDeploymentGate", "GGGGG"),
    ("ConfigurableHypervisor", "---AA"),
    ("ContainerPathVolumes", "---AA"),
    ("CrossArchitectureVirtualization", "----A"),
    ("DecentralizedLiveMigration", "-AAAA"),
    ("DeclarativeHotplugVolumes", "-AAAB"),
    ("DisableCustomSELinuxPolicy", "GGGGG"),
    ("DisableMDEVConfiguration", "AAADD"),
    ("DockerSELinuxMCSWorkaround", "DDDDD"),
    ("DownwardMetrics", "AAAAA"),
    ("DynamicPodInterfaceNaming", "GGGGG"),
    ("EnableVirtioFsConfigVolumes", "AAAGG"),
    ("EnableVirtioFsStorageVolumes", "AAAAA"),
    ("ExpandDisks", "AAAAG"),
    ("ExperimentalIgnitionSupport", "AAAAA"),
    ("ExperimentalVirtiofsSupport", "DDDXX"),
    ("ExternalNetResourceInjection", "---BB"),
    ("FirmwareAutoSelection", "----A"),
    ("GPU", "GGGGG"),
    ("GPUsWithDRA", "-AAAB"),
    ("GraceIOVirtualization", "----A"),
    ("HostDevices", "AAAAA"),
    ("HostDevicesWithDRA", "-AAAB"),
    ("HostDisk", "AAAAA"),
    ("HotplugNICs", "GGGGG"),
    ("HotplugVolumes", "AAAAD"),
    ("HypervStrictCheck", "AAAAA"),
    ("IOMMUFD", "----A"),
    ("ImageVolume", "-ABBB"),
    ("IncrementalBackup", "--AAA"),
    ("InstancetypeReferencePolicy", "BGGGG"),
    ("KubevirtSeccompProfile", "AABBB"),
    ("LibvirtHooksServerAndClient", "---AB"),
    ("LiveMigration", "GGGGG"),
    ("LiveUpdateNADRef", "---BG"),
    ("Macvtap", "XXXXX"),
    ("MigrationPriorityQueue", "--ABG"),
    ("MigrationStallDetection", "----A"),
    ("MultiArchitecture", "AAADD"),
    ("NUMA", "GGGGG"),
    ("NetworkBindingPlugins", "GGGGG"),
    ("NetworkDevicesWithDRA", "----A"),
    ("NodeRestriction", "ABBBB"),
    ("NonRoot", "GGGGG"),
    ("OCIExport", "----A"),
    ("ObjectGraph", "----A"),
    ("OptOutRoleAggregation", "---AB"),
    ("PCINUMAAwareTopology", "---AA"),
    ("PSA", "GGGGG"),
    ("PanicDevices", "-ABBG"),
    ("Passt", "XXXXX"),
    ("PasstBinding", "---BB"),
    ("PasstIPStackMigration", "-AAXX"),
    ("PersistentReservation", "AAAAG"),
    ("Plugins", "----A"),
    ("PodSecondaryInterfaceNamingUpgrade", "---BB"),
    ("PortRangesSpec", "----A"),
    ("RebootPolicy", "---AB"),
    ("ReservedOverheadMemlock", "---AA"),
    ("Root", "AAAAA"),
    ("SRIOVLiveMigration", "GGGGG"),
    ("SecureExecution", "--BBG"),
    ("Sidecar", "AAAAA"),
    ("Snapshot", "ABBBB"),
    ("Template", "---AB"),
    ("UtilityVolumes", "---AA"),
    ("VGPULiveMigration", "----A"),
    ("VMExport", "ABBBG"),
    ("VMLiveUpdateFeatures", "GGGGG"),
    ("VMPersistentState", "AGGGG"),
    ("VMStatsCollector", "----A"),
    ("VSOCK", "AAAAA"),
    ("VideoConfig", "-ABBG"),
    ("VmiMemoryOverheadReport", "---AB"),
    ("VolumeMigration", "GGGGG"),
    ("VolumesUpdateStrategy", "GGGGG"),
    ("WorkloadEncryptionSEV", "AAAAB"),
    ("WorkloadEncryptionTDX", "--AAA"),
];

/// The stage of a gate in a release; `None` where the release does not know the gate.
pub fn stage(gate: &str, release: Release) -> Option<Stage> {
    let at = GATES.binary_search_by(|(name, _)| name.cmp(&gate)).ok()?;
    let column = release.proved() as usize - Release::V1_5 as usize;
    match GATES[at].1.as_bytes().get(column)? {
        b'A' => Some(Stage::Alpha),
        b'B' => Some(Stage::Beta),
        b'G' => Some(Stage::GenerallyAvailable),
        b'D' => Some(Stage::Deprecated),
        b'X' => Some(Stage::Discontinued),
        _ => None,
    }
}

/// The names of every gate a release knows, sorted.
pub fn known(release: Release) -> impl Iterator<Item = &'static str> {
    GATES
        .iter()
        .map(|(name, _)| *name)
        .filter(move |name| stage(name, release).is_some())
}

/// Whether a gate is on in a release, given the gates a configuration lists and those it disables.
pub fn enabled<'a>(
    gate: &str,
    release: Release,
    listed: impl IntoIterator<Item = &'a str>,
    disabled: impl IntoIterator<Item = &'a str>,
) -> bool {
    let stage = stage(gate, release);
    if stage == Some(Stage::GenerallyAvailable) {
        return true;
    }
    if stage.is_none() && release.has(Behaviour::IgnoresUnknownGates) {
        return false;
    }
    if listed.into_iter().any(|name| name == gate) {
        return true;
    }
    stage == Some(Stage::Beta)
        && release.has(Behaviour::BetaGatesAreOn)
        && !disabled.into_iter().any(|name| name == gate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_well_formed() {
        assert!(GATES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (name, stages) in GATES {
            assert!(
                stages.len() == 5 && stages.bytes().all(|stage| b"ABGDX-".contains(&stage)),
                "{name}"
            );
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
                None,
                None,
                Some(Stage::Alpha),
                Some(Stage::Beta),
                Some(Stage::GenerallyAvailable)
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
