//! The feature gates of `KubeVirt` that the operator lists, in its order: a patch may count on it.

use super::{PASST, Place, Spec};
use crate::openshift::OpenShift;
use crate::yaml::Node;

use OpenShift::{Next, V4_15, V4_16, V4_17, V4_18, V4_19, V4_20, V4_21, V4_22};

/// Whether the network resources injector is deployed.
const INJECTOR: Place = Place {
    beta: "",
    v1: "deployment.deployNetworkResourcesInjector",
};
const HYPERVISORS: Place = Place {
    beta: "hypervisors",
    v1: "virtualization.hypervisors",
};
const ROLES: Place = Place {
    beta: "roleAggregationStrategy",
    v1: "virtualization.roleAggregationStrategy",
};
/// Whether the devices of accelerators are set up.
const ACCELERATORS: &str = "hco.kubevirt.io/deployAIE";

/// Gates that are always listed.
struct Fixed {
    gate: &'static str,
    since: OpenShift,
    until: OpenShift,
}

const fn fixed(gate: &'static str, since: OpenShift, until: OpenShift) -> Fixed {
    Fixed { gate, since, until }
}

const FIXED: [Fixed; 26] = [
    fixed("DataVolumes", V4_15, V4_16),
    fixed("SRIOV", V4_15, V4_16),
    fixed("CPUManager", V4_15, Next),
    fixed("CPUNodeDiscovery", V4_15, V4_16),
    fixed("Snapshot", V4_15, Next),
    fixed("HotplugVolumes", V4_15, V4_19),
    fixed("ExpandDisks", V4_15, V4_22),
    fixed("GPU", V4_15, V4_18),
    fixed("HostDevices", V4_15, Next),
    fixed("NUMA", V4_15, V4_17),
    fixed("VMExport", V4_15, V4_22),
    fixed("DisableCustomSELinuxPolicy", V4_15, V4_18),
    fixed("KubevirtSeccompProfile", V4_15, Next),
    fixed("HotplugNICs", V4_15, V4_17),
    fixed("VMPersistentState", V4_15, V4_20),
    fixed("NetworkBindingPlugins", V4_15, V4_18),
    fixed("CommonInstancetypesDeploymentGate", V4_16, V4_17),
    fixed("VMLiveUpdateFeatures", V4_16, V4_18),
    fixed("DynamicPodInterfaceNaming", V4_18, V4_18),
    fixed("VolumesUpdateStrategy", V4_18, V4_18),
    fixed("VolumeMigration", V4_18, V4_18),
    fixed("InstancetypeReferencePolicy", V4_19, V4_20),
    fixed("LiveUpdateNADRef", V4_22, V4_22),
    fixed("PanicDevices", V4_22, V4_22),
    // Not on clusters that emulate: the operator's environment says so.
    fixed("WithHostModelCPU", V4_15, V4_22),
    fixed("HypervStrictCheck", V4_15, Next),
];

/// When a gate is listed.
enum When {
    /// A gate of the object is on; the second is its state where nothing is written.
    On(&'static str, bool),
    /// A gate of the object is off.
    Off(&'static str, bool),
    /// The object is annotated with `true`.
    Annotated(&'static str),
    /// A list or a value is there.
    Has(Place),
    /// A setting is not false.
    Unless(Place),
}

/// Gates that are listed where something asks for them.
struct Asked {
    gates: &'static [&'static str],
    when: When,
    since: OpenShift,
    until: OpenShift,
}

const fn asked(
    gates: &'static [&'static str],
    when: When,
    since: OpenShift,
    until: OpenShift,
) -> Asked {
    Asked {
        gates,
        when,
        since,
        until,
    }
}

const ASKED: [Asked; 27] = [
    asked(
        &["DownwardMetrics"],
        When::On("downwardMetrics", true),
        V4_15,
        V4_15,
    ),
    asked(
        &["DownwardMetrics"],
        When::On("downwardMetrics", false),
        V4_16,
        Next,
    ),
    asked(
        &["WithHostPassthroughCPU"],
        When::On("withHostPassthroughCPU", false),
        V4_15,
        V4_17,
    ),
    asked(&["Root"], When::Off("nonRoot", true), V4_15, V4_17),
    asked(
        &["DisableMDEVConfiguration"],
        When::On("disableMDevConfiguration", false),
        V4_15,
        V4_21,
    ),
    asked(
        &["PersistentReservation"],
        When::On("persistentReservation", false),
        V4_15,
        V4_22,
    ),
    asked(
        &["AutoResourceLimitsGate"],
        When::On("autoResourceLimits", false),
        V4_15,
        V4_18,
    ),
    asked(&["AlignCPUs"], When::On("alignCPUs", false), V4_15, Next),
    asked(
        &["VideoConfig"],
        When::On("videoConfig", true),
        V4_21,
        V4_22,
    ),
    asked(
        &["ObjectGraph"],
        When::On("objectGraph", false),
        V4_21,
        Next,
    ),
    asked(
        &["DecentralizedLiveMigration"],
        When::On("decentralizedLiveMigration", false),
        V4_20,
        V4_21,
    ),
    asked(
        &["DecentralizedLiveMigration"],
        When::On("decentralizedLiveMigration", true),
        V4_22,
        Next,
    ),
    asked(
        &["MultiArchitecture"],
        When::On("enableMultiArchBootImageImport", false),
        V4_20,
        V4_21,
    ),
    asked(
        &["DeclarativeHotplugVolumes"],
        When::On("declarativeHotplugVolumes", false),
        V4_20,
        V4_22,
    ),
    asked(
        &["HotplugVolumes"],
        When::Off("declarativeHotplugVolumes", false),
        V4_20,
        V4_22,
    ),
    asked(
        &["DeclarativeHotplugVolumes"],
        When::On("declarativeHotplugVolumes", true),
        Next,
        Next,
    ),
    asked(
        &["HotplugVolumes"],
        When::Off("declarativeHotplugVolumes", true),
        Next,
        Next,
    ),
    asked(
        &["PasstIPStackMigration"],
        When::Annotated(PASST),
        V4_20,
        V4_21,
    ),
    asked(&["PasstBinding"], When::Annotated(PASST), V4_22, Next),
    asked(
        &["PCINUMAAwareTopology"],
        When::Annotated(ACCELERATORS),
        V4_22,
        V4_22,
    ),
    asked(
        &["GraceIOVirtualization", "IOMMUFD", "PCINUMAAwareTopology"],
        When::Annotated(ACCELERATORS),
        Next,
        Next,
    ),
    asked(
        &["IncrementalBackup", "UtilityVolumes"],
        When::On("incrementalBackup", false),
        V4_22,
        Next,
    ),
    asked(
        &["ConfigurableHypervisor"],
        When::Has(HYPERVISORS),
        V4_22,
        Next,
    ),
    asked(&["OptOutRoleAggregation"], When::Has(ROLES), V4_22, Next),
    asked(
        &["ContainerPathVolumes"],
        When::On("containerPathVolumes", false),
        V4_22,
        Next,
    ),
    asked(&["Template"], When::On("template", true), Next, Next),
    asked(
        &["ExternalNetResourceInjection"],
        When::Unless(INJECTOR),
        Next,
        Next,
    ),
];

/// Gates of `KubeVirt` 1.9 that are on by themselves and that the newest operator turns off where it does not list them.
const BETA: [&str; 16] = [
    "DeclarativeHotplugVolumes",
    "ExternalNetResourceInjection",
    "GPUsWithDRA",
    "HostDevicesWithDRA",
    "ImageVolume",
    "KubevirtSeccompProfile",
    "LibvirtHooksServerAndClient",
    "NodeRestriction",
    "OptOutRoleAggregation",
    "PasstBinding",
    "PodSecondaryInterfaceNamingUpgrade",
    "RebootPolicy",
    "Snapshot",
    "Template",
    "VmiMemoryOverheadReport",
    "WorkloadEncryptionSEV",
];

/// `featureGates` and `disabledFeatureGates`.
pub(super) fn listed(spec: &Spec<'_>) -> (Vec<&'static str>, Vec<&'static str>) {
    let has = |since, until| (since..=until).contains(&spec.release);
    let fixed = FIXED.iter().filter(|fixed| has(fixed.since, fixed.until));
    let mut on: Vec<&'static str> = fixed.map(|fixed| fixed.gate).collect();
    let asked = ASKED.iter().filter(|asked| has(asked.since, asked.until));
    for asked in asked.filter(|asked| asked.when.holds(spec)) {
        on.extend(asked.gates);
    }
    if spec.release < Next {
        return (on, Vec::new());
    }
    on.sort_unstable();
    let off = BETA.iter().filter(|gate| !on.contains(gate));
    let off = off.copied().collect();
    (on, off)
}

/// Whether a gate of the object is on that is off where nothing is written.
pub(super) fn is_on(spec: &Spec<'_>, gate: &str) -> bool {
    written(spec, gate) == Some(true)
}

/// The state that the object writes for a gate: a field in v1beta1, an item of a list in v1.
pub(super) fn written(spec: &Spec<'_>, gate: &str) -> Option<bool> {
    let gates = spec.path("featureGates")?;
    if !spec.is_v1 {
        return gates.get(gate)?.as_bool();
    }
    let mut items = gates.items().iter();
    let item = items.find(|item| item.str_at("name").eq_ignore_ascii_case(gate))?;
    let state = item.get("state").and_then(Node::as_str);
    Some(state.unwrap_or("Enabled") == "Enabled")
}

impl When {
    fn holds(&self, spec: &Spec<'_>) -> bool {
        let state = |gate: &str, default: bool| written(spec, gate).unwrap_or(default);
        match self {
            Self::On(gate, default) => state(gate, *default),
            Self::Off(gate, default) => !state(gate, *default),
            Self::Annotated(name) => spec.is_annotated(name),
            Self::Has(place) => spec
                .at(*place)
                .is_some_and(|node| node.as_str().is_some() || !node.items().is_empty()),
            Self::Unless(place) => spec.at(*place).and_then(Node::as_bool) != Some(false),
        }
    }
}
