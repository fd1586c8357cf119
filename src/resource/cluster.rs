//! `spec.configuration` of the `KubeVirt` object, with `KubeVirt`'s defaults.

pub(crate) mod gates;
#[cfg(test)]
mod tests;

use smol_str::SmolStr;

use crate::release::{Behaviour, Release};
use crate::resource::quantity::{Quantity, QuantityFormat};
use crate::yaml::Node;

/// Where the configuration came from, which decides whether a refusal that depends on it is a verdict or unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConfigSource {
    /// Nothing given or found; `KubeVirt`'s defaults are used.
    #[default]
    Assumed,
    /// Given with `--cluster-config`, or found in the tree.
    Known,
}

/// The cluster's configuration over `KubeVirt`'s defaults.
///
/// The accessors read the tree as written: a null, a zero or an empty text is the default, as it is to `KubeVirt`.
#[derive(Clone, Debug)]
pub struct ClusterConfig {
    /// `spec.configuration`, as written or decoded as `v1.KubeVirtConfiguration`.
    pub node: Node,
    /// Whether it is known or assumed.
    pub source: ConfigSource,
    architecture: Option<SmolStr>,
    /// Whether the `KubeVirt` object is annotated so that isolated emulator threads get an even count of processors.
    emulator_parity: bool,
    update_methods: Option<Vec<SmolStr>>,
}

/// Who carries out what waits for a migration: CPU, memory and volume updates, interfaces that are plugged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkloadUpdates {
    /// The tree does not say.
    Unknown,
    /// `KubeVirt` migrates the guest.
    Migrates,
    /// `KubeVirt` evicts the guest.
    Evicts,
    /// Nobody, until somebody migrates the guest.
    Waits,
}

/// What the controller makes of a VM's references to instance type and preference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReferencePolicy {
    /// The VM keeps naming them; revisions are captured.
    #[default]
    Reference,
    /// A new VM is expanded in place.
    Expand,
    /// Every VM is expanded in place.
    ExpandAll,
}

/// Completes the processors of guests with an isolated emulator thread to an even count.
pub(crate) const EMULATOR_PARITY: &str = "alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity";

/// The architecture `virt-operator` writes where nobody says one.
const ARCHITECTURE: &str = "amd64";

impl Default for ClusterConfig {
    fn default() -> Self {
        Self {
            node: Node::map(),
            source: ConfigSource::Assumed,
            architecture: None,
            emulator_parity: false,
            update_methods: None,
        }
    }
}

impl ClusterConfig {
    /// A known configuration, even an empty one, on an amd64 cluster.
    pub const fn known(node: Node) -> Self {
        Self {
            node,
            source: ConfigSource::Known,
            architecture: None,
            emulator_parity: false,
            update_methods: None,
        }
    }

    /// The configuration a document holds: a `kind: KubeVirt` object, or the content of its `spec.configuration`.
    /// `None` where the document is an object of another kind, or no mapping.
    pub fn from_resource_node(document: &Node) -> Option<Self> {
        document.as_map()?;
        let is_object = document.get("kind").is_some() || document.get("apiVersion").is_some();
        let node = if is_object {
            if document.str_at("kind") != "KubeVirt" {
                return None;
            }
            document
                .path("spec.configuration")
                .filter(|node| node.as_map().is_some())
                .cloned()
                .unwrap_or_else(Node::map)
        } else {
            ["spec.configuration", "configuration"]
                .into_iter()
                .find_map(|path| document.path(path))
                .unwrap_or(document)
                .clone()
        };
        // virt-operator copies the configured architecture into the status, where the webhooks read it.
        let architecture = [
            node.str_at("architectureConfiguration.defaultArchitecture"),
            document.str_at("status.defaultArchitecture"),
        ]
        .into_iter()
        .find(|text| !text.is_empty())
        .map(SmolStr::from);
        let strategies = ["spec.workloadUpdateStrategy", "workloadUpdateStrategy"];
        let strategy = strategies.into_iter().find_map(|path| document.path(path));
        let methods = strategy.map_or_else(Vec::new, |strategy| {
            let methods = strategy.items_at("workloadUpdateMethods").iter();
            methods
                .filter_map(Node::as_str)
                .map(SmolStr::from)
                .collect()
        });
        Some(Self {
            node,
            source: ConfigSource::Known,
            architecture,
            emulator_parity: document
                .path("metadata.annotations")
                .is_some_and(|annotations| annotations.get(EMULATOR_PARITY).is_some()),
            update_methods: (is_object || strategy.is_some()).then_some(methods),
        })
    }

    /// Whether two say the same.
    pub(crate) fn same(&self, other: &Self) -> bool {
        self.node.same_value(&other.node) && self.update_methods == other.update_methods
    }

    /// Who carries out what waits for a migration. Mirrors getUpdateData,
    /// pkg/virt-controller/watch/workload-updater/workload-updater.go: an object that names no method has none.
    pub fn workload_updates(&self) -> WorkloadUpdates {
        let Some(methods) = &self.update_methods else {
            return WorkloadUpdates::Unknown;
        };
        let has = |method: &str| methods.iter().any(|held| held == method);
        if has("LiveMigrate") {
            WorkloadUpdates::Migrates
        } else if has("Evict") {
            WorkloadUpdates::Evicts
        } else {
            WorkloadUpdates::Waits
        }
    }

    /// Whether a guest that cannot be migrated is evicted for an update.
    pub fn evicts_for_updates(&self) -> bool {
        let mut methods = self.update_methods.iter().flatten();
        methods.any(|method| method == "Evict")
    }

    /// Whether the configuration is known.
    pub fn is_known(&self) -> bool {
        self.source == ConfigSource::Known
    }

    /// Why `KubeVirt` throws the whole configuration away and works with its defaults; `None` where it does not.
    pub fn problem(&self) -> Option<String> {
        let node = &self.node;
        let pull_policy = node.str_at("imagePullPolicy");
        if !["", "Always", "Never", "IfNotPresent"].contains(&pull_policy) {
            return Some(format!(
                "invalid dev.imagePullPolicy in config: {pull_policy}"
            ));
        }
        for (field, what) in [
            ("memoryOvercommit", "memoryOvercommit"),
            ("cpuAllocationRatio", "cpu allocation ratio"),
        ] {
            let value = node.int_at(&format!("developerConfiguration.{field}"));
            if value < 0 {
                return Some(format!("invalid {what} in ConfigMap: {value}"));
            }
        }
        let toleration = node.int_at("developerConfiguration.pvcTolerateLessSpaceUpToPercent");
        if !(0..=100).contains(&toleration) {
            return Some(format!(
                "invalid lessPVCSpaceToleration in ConfigMap: {toleration}"
            ));
        }
        let interface = node.str_at("network.defaultNetworkInterface");
        if !["", "bridge", "slirp", "masquerade"].contains(&interface) {
            return Some(format!(
                "invalid default-network-interface in config: {interface}"
            ));
        }
        None
    }

    /// What is written at a path, unless the whole configuration is thrown away.
    pub fn written(&self, path: &str) -> Option<&Node> {
        self.node
            .path(path)
            .filter(|node| !node.is_null() && self.problem().is_none())
    }

    fn text<'a>(&'a self, path: &str, default: &'a str) -> &'a str {
        self.written(path)
            .and_then(Node::as_str)
            .filter(|text| !text.is_empty())
            .unwrap_or(default)
    }

    fn number(&self, path: &str, default: i64) -> i64 {
        self.written(path)
            .and_then(Node::as_i64)
            .filter(|value| *value != 0)
            .unwrap_or(default)
    }

    fn flag(&self, path: &str) -> Option<bool> {
        self.written(path).and_then(Node::as_bool)
    }

    fn texts(&self, path: &str) -> impl Iterator<Item = &str> {
        self.written(path)
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .filter_map(Node::as_str)
    }

    /// The architecture of a VM that names none.
    pub(crate) fn default_architecture(&self) -> &str {
        self.architecture.as_deref().unwrap_or(ARCHITECTURE)
    }

    /// The machine type of a VM of that architecture that names none.
    pub(crate) fn machine_type(&self, architecture: &str, release: Release) -> &str {
        let (section, default) = architecture_defaults(architecture, release);
        self.text(
            "machineType",
            match section {
                Some(section) => self.text(
                    &format!("architectureConfiguration.{section}.machineType"),
                    default.machine,
                ),
                None => default.machine,
            },
        )
    }

    /// The machine types a VM of that architecture may ask for, as patterns.
    pub(crate) fn emulated_machines(&self, architecture: &str, release: Release) -> Vec<&str> {
        let (section, default) = architecture_defaults(architecture, release);
        let of_architecture =
            section.map(|section| format!("architectureConfiguration.{section}.emulatedMachines"));
        [Some("emulatedMachines".to_owned()), of_architecture]
            .into_iter()
            .flatten()
            .map(|path| self.texts(&path).collect::<Vec<_>>())
            .find(|machines| !machines.is_empty())
            .unwrap_or_else(|| default.emulated.to_vec())
    }

    /// The CPU request of a VM that has none.
    pub(crate) fn cpu_request(&self) -> Quantity {
        self.written("cpuRequest")
            .and_then(Quantity::from_node)
            .unwrap_or_else(Self::default_cpu_request)
    }

    /// The CPU request `KubeVirt` sets at pod level only: `100m`.
    pub(crate) fn default_cpu_request() -> Quantity {
        Quantity::parse("100m").unwrap_or(Quantity::from_value(0, QuantityFormat::DecimalSI))
    }

    /// Whether the `KubeVirt` object is annotated with [`EMULATOR_PARITY`].
    pub(crate) const fn completes_emulator_parity(&self) -> bool {
        self.emulator_parity
    }

    /// The CPU model of a guest that names none.
    pub(crate) fn cpu_model(&self) -> &str {
        self.text("cpuModel", "host-model")
    }

    /// The socket through which guests with TDX are attested; empty where the cluster says so.
    pub(crate) fn tdx_socket(&self) -> &str {
        self.written("confidentialCompute.tdx.attestation.qgsSocketPath")
            .and_then(Node::as_str)
            .unwrap_or("/var/run/tdx-qgs/qgs.socket")
    }

    /// Guest memory over requested memory, in percent.
    pub(crate) fn memory_overcommit(&self) -> i64 {
        self.number("developerConfiguration.memoryOvercommit", 100)
    }

    /// The eviction strategy of a VM that names none.
    pub(crate) fn eviction_strategy(&self) -> &str {
        self.written("evictionStrategy")
            .and_then(Node::as_str)
            .unwrap_or("None")
    }

    /// The binding of the network interface a VM without any gets: `bridge`, `masquerade` or `slirp`.
    pub(crate) fn default_network_interface(&self) -> &str {
        self.text("network.defaultNetworkInterface", "bridge")
    }

    /// Whether a bridge may be bound to the pod network.
    pub(crate) fn permits_bridge_on_pod_network(&self) -> bool {
        self.flag("network.permitBridgeInterfaceOnPodNetwork")
            .unwrap_or(true)
    }

    /// Whether interfaces may have the slirp binding; up to 1.5.
    pub(crate) fn permits_slirp(&self) -> bool {
        self.flag("network.permitSlirpInterface").unwrap_or(false)
    }

    /// Whether a change of a running VM is rolled out live where it can be.
    pub(crate) fn rolls_out_live(&self, release: Release) -> bool {
        if release.has(Behaviour::LiveUpdateNeedsGate)
            && !self.gate_enabled("VMLiveUpdateFeatures", release)
        {
            return false;
        }
        match self.written("vmRolloutStrategy").and_then(Node::as_str) {
            Some(strategy) => strategy == "LiveUpdate",
            None => release.has(Behaviour::DefaultsToLiveUpdate),
        }
    }

    /// How many times the CPU sockets and the memory of a VM can be plugged.
    pub(crate) fn max_hotplug_ratio(&self) -> u32 {
        u32::try_from(self.number("liveUpdateConfiguration.maxHotplugRatio", 4)).unwrap_or(4)
    }

    /// The most CPU sockets a VM can be plugged to; 0 where only the ratio counts.
    pub(crate) fn max_cpu_sockets(&self) -> u32 {
        u32::try_from(self.number("liveUpdateConfiguration.maxCpuSockets", 0)).unwrap_or(0)
    }

    /// The most memory a VM can be plugged to, where one is set.
    pub(crate) fn max_guest(&self) -> Option<Quantity> {
        self.written("liveUpdateConfiguration.maxGuest")
            .and_then(Quantity::from_node)
    }

    /// What the controller makes of references to instance types and preferences.
    pub(crate) fn reference_policy(&self, release: Release) -> ReferencePolicy {
        if release.has(Behaviour::ReferencePolicyNeedsGate)
            && !self.gate_enabled("InstancetypeReferencePolicy", release)
        {
            return ReferencePolicy::Reference;
        }
        match self.text("instancetype.referencePolicy", "reference") {
            "expand" => ReferencePolicy::Expand,
            "expandAll" => ReferencePolicy::ExpandAll,
            _ => ReferencePolicy::Reference,
        }
    }

    /// Whether `KubeVirt` installs its own instance types and preferences. Mirrors `CommonInstancetypesEnabled`,
    /// pkg/virt-config/virt-config.go.
    pub fn deploys_common_instancetypes(&self) -> bool {
        self.flag("commonInstancetypesDeployment.enabled")
            .unwrap_or(true)
    }

    /// Host devices VMs may ask for.
    pub(crate) fn permitted_host_devices(&self) -> Option<&Node> {
        self.written("permittedHostDevices")
    }

    /// Whether a feature gate is on.
    pub(crate) fn gate_enabled(&self, gate: &str, release: Release) -> bool {
        gates::enabled(
            gate,
            release,
            self.texts("developerConfiguration.featureGates"),
            self.texts("developerConfiguration.disabledFeatureGates"),
        )
    }

    /// Whether `featureGates` names the gate.
    pub(crate) fn lists_gate(&self, gate: &str) -> bool {
        self.texts("developerConfiguration.featureGates")
            .any(|name| name == gate)
    }

    /// Whether disks may hold SCSI persistent reservations.
    pub(crate) fn persistent_reservation_enabled(&self, release: Release) -> bool {
        if release.has(Behaviour::PersistentReservationIsAField) {
            self.flag("persistentReservationConfiguration.enabled")
                .unwrap_or_else(|| self.lists_gate("PersistentReservation"))
        } else {
            self.gate_enabled("PersistentReservation", release)
        }
    }
}

struct ArchitectureDefaults {
    machine: &'static str,
    emulated: &'static [&'static str],
}

/// The section of `architectureConfiguration` an architecture reads (`None` where its values are constants), and the
/// values without it.
fn architecture_defaults(
    architecture: &str,
    release: Release,
) -> (Option<&'static str>, ArchitectureDefaults) {
    match architecture {
        "arm64" => (
            Some("arm64"),
            ArchitectureDefaults {
                machine: "virt",
                emulated: &["virt*"],
            },
        ),
        "s390x" => (
            release.has(Behaviour::ConfiguresS390x).then_some("s390x"),
            ArchitectureDefaults {
                machine: "s390-ccw-virtio",
                emulated: &["s390-ccw-virtio*"],
            },
        ),
        "ppc64le" if release.has(Behaviour::Ppc64le) => (
            Some("ppc64le"),
            ArchitectureDefaults {
                machine: "pseries",
                emulated: &["pseries*"],
            },
        ),
        _ => (
            Some("amd64"),
            ArchitectureDefaults {
                machine: "q35",
                emulated: &["q35*", "pc-q35*"],
            },
        ),
    }
}
