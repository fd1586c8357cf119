//! What the operator copies from its object, and what it always writes.

use serde_json::json;

use super::{PASST, Place, Spec, gates, mapping};
use crate::openshift::OpenShift;
use crate::yaml::{Node, Value};

use OpenShift::{Next, V4_15, V4_16, V4_17, V4_18, V4_19, V4_20, V4_22};

/// A setting that is copied as it is written.
struct Copied {
    /// Where in `spec.configuration` of the `KubeVirt` object.
    to: &'static str,
    from: Place,
    /// The first release that has the setting.
    since: OpenShift,
    /// The last release that has it.
    until: OpenShift,
}

const fn copied(to: &'static str, beta: &'static str, v1: &'static str) -> Copied {
    Copied {
        to,
        from: Place { beta, v1 },
        since: V4_15,
        until: Next,
    }
}

impl Copied {
    const fn since(self, since: OpenShift) -> Self {
        Self { since, ..self }
    }

    const fn until(self, until: OpenShift) -> Self {
        Self { until, ..self }
    }
}

/// Every setting that is copied, in the order of `getKVConfig`.
const COPIED: [Copied; 19] = [
    copied(
        "developerConfiguration.memoryOvercommit",
        "higherWorkloadDensity.memoryOvercommitPercentage",
        "virtualization.higherWorkloadDensity.memoryOvercommitPercentage",
    )
    .since(V4_16),
    copied(
        "developerConfiguration.cpuAllocationRatio",
        "resourceRequirements.vmiCPUAllocationRatio",
        "virtualization.vmiCPUAllocationRatio",
    ),
    copied(
        "developerConfiguration.logVerbosity",
        "logVerbosityConfig.kubevirt",
        "deployment.logVerbosityConfig.kubevirt",
    ),
    copied("minCPUModel", "obsoleteCPUs.minCPUModel", "").until(V4_20),
    copied(
        "evictionStrategy",
        "evictionStrategy",
        "virtualization.evictionStrategy",
    ),
    copied(
        "ksmConfiguration",
        "ksmConfiguration",
        "virtualization.ksmConfiguration",
    ),
    copied(
        "changedBlockTrackingLabelSelectors",
        "changedBlockTrackingLabelSelectors",
        "virtualization.changedBlockTrackingLabelSelectors",
    )
    .since(V4_22),
    copied(
        "liveUpdateConfiguration",
        "liveUpdateConfiguration",
        "virtualization.liveUpdateConfiguration",
    )
    .since(V4_20),
    copied(
        "cpuModel",
        "defaultCPUModel",
        "virtualization.virtualMachineOptions.defaultCPUModel",
    ),
    copied(
        "defaultRuntimeClass",
        "defaultRuntimeClass",
        "virtualization.virtualMachineOptions.defaultRuntimeClass",
    ),
    copied(
        "vmStateStorageClass",
        "vmStateStorageClass",
        "storage.vmStateStorageClass",
    ),
    copied(
        "autoCPULimitNamespaceLabelSelector",
        "resourceRequirements.autoCPULimitNamespaceLabelSelector",
        "virtualization.autoCPULimitNamespaceLabelSelector",
    ),
    copied(
        "instancetype",
        "instancetypeConfig",
        "workloadSources.instancetypeConfig",
    )
    .since(V4_19),
    // With a capital letter in v1beta1; the API server drops the other spelling.
    copied(
        "commonInstancetypesDeployment",
        "CommonInstancetypesDeployment",
        "workloadSources.commonInstancetypesDeployment",
    )
    .since(V4_18),
    copied("hypervisors", "hypervisors", "virtualization.hypervisors").since(V4_22),
    copied(
        "roleAggregationStrategy",
        "roleAggregationStrategy",
        "virtualization.roleAggregationStrategy",
    )
    .since(V4_22),
    copied(
        "migrations",
        "liveMigrationConfig",
        "virtualization.liveMigrationConfig",
    ),
    copied(
        "network.binding",
        "networkBinding",
        "networking.networkBinding",
    ),
    copied(
        "migrations.allowWorkloadDisruption",
        "liveMigrationConfig.allowWorkloadDisruption",
        "virtualization.liveMigrationConfig.allowWorkloadDisruption",
    )
    .since(Next),
];

/// Copies what the object says over what is always written. A section is laid over its defaults key by key.
pub(super) fn copy(spec: &Spec<'_>, out: &mut Node) {
    for setting in &COPIED {
        if !(setting.since..=setting.until).contains(&spec.release) {
            continue;
        }
        let Some(node) = spec.at(setting.from) else {
            continue;
        };
        let defaults = out.path(setting.to).and_then(Node::as_map).is_some();
        if !defaults {
            out.set(setting.to, node.clone());
            continue;
        }
        for entry in node.entries().iter().filter(|entry| !entry.node.is_null()) {
            if entry.key == "allowWorkloadDisruption" {
                continue;
            }
            out.set(&format!("{}.{}", setting.to, entry.key), entry.node.clone());
        }
    }
}

/// What is written whatever the object says, and the defaults of its definition.
pub(super) fn fixed(release: OpenShift) -> Node {
    let is_next = release == Next;
    let mut out = Node::from_json(&json!({
        "developerConfiguration": {
            "cpuAllocationRatio": 10,
            "diskVerification": {"memoryLimit": "2G"},
        },
        "migrations": {
            "allowAutoConverge": false,
            "allowPostCopy": false,
            "completionTimeoutPerGiB": if is_next { 20 } else { 150 },
            "parallelMigrationsPerCluster": 5,
            "parallelOutboundMigrationsPerNode": if is_next { 1 } else { 2 },
            "progressTimeout": 150,
        },
        "seccompConfiguration": {
            "virtualMachineInstanceProfile": {"customProfile": {"localhostProfile": "kubevirt/kubevirt.json"}},
        },
    }));
    if is_next {
        out.set("migrations.allowWorkloadDisruption", Node::from(false));
    }
    if release >= V4_16 {
        out.set("vmRolloutStrategy", Node::string("LiveUpdate"));
        out.set("developerConfiguration.memoryOvercommit", Node::from(100));
    }
    if release >= OpenShift::V4_21 {
        out.set("ksmConfiguration", Node::map());
    }
    if release >= V4_22 {
        // Follows the nodes.
        out.set(
            "architectureConfiguration.defaultArchitecture",
            Node::string("amd64"),
        );
    }
    out
}

/// `network`: masquerade where a VM declares no interface, and the bindings.
pub(super) fn network(spec: &Spec<'_>) -> Node {
    const BINDINGS: Place = Place {
        beta: "networkBinding",
        v1: "networking.networkBinding",
    };
    let mut bindings = spec.at(BINDINGS).cloned().unwrap_or_else(Node::map);
    if bindings.as_map().is_none() {
        bindings = Node::map();
    }
    // The operator's own win.
    if spec.release >= V4_17 {
        let own = json!({"domainAttachmentType": "managedTap", "migration": {}});
        bindings.set("l2bridge", Node::from_json(&own));
    }
    let passt = |memory: &str, migration: serde_json::Value| {
        Node::from_json(&json!({
            "networkAttachmentDefinition": "default/primary-udn-kubevirt-binding",
            "migration": migration,
            "computeResourceOverhead": {"requests": {"memory": memory}},
        }))
    };
    if spec.release == V4_18 || spec.release == V4_17 {
        bindings.set("passt", passt("500Mi", json!({"method": "link-refresh"})));
    } else if (V4_20..=V4_22).contains(&spec.release) && spec.is_annotated(PASST) {
        bindings.set("passt", passt("250Mi", json!({})));
    }
    mapping([
        ("defaultNetworkInterface", Node::string("masquerade")),
        ("binding", bindings),
    ])
}

/// Models that no guest may ask for on every release; from 4.19 on each also in its first version.
const OBSOLETE: [&str; 17] = [
    "486",
    "pentium",
    "pentium2",
    "pentium3",
    "pentiumpro",
    "coreduo",
    "n270",
    "core2duo",
    "Conroe",
    "athlon",
    "phenom",
    "qemu64",
    "qemu32",
    "kvm64",
    "kvm32",
    "Opteron_G1",
    "Opteron_G2",
];

/// `obsoleteCPUModels`: the operator's own and those of the object.
pub(super) fn obsolete_models(spec: &Spec<'_>) -> Node {
    const MODELS: Place = Place {
        beta: "obsoleteCPUs.cpuModels",
        v1: "virtualization.obsoleteCPUModels",
    };
    let given = spec.at(MODELS).map(Node::items).unwrap_or_default();
    let mut names: Vec<String> = OBSOLETE.map(str::to_owned).to_vec();
    if spec.release >= V4_19 {
        names.extend(OBSOLETE.map(|model| format!("{model}-v1")));
    }
    names.extend(given.iter().filter_map(Node::as_str).map(str::to_owned));
    names.sort_unstable();
    names.dedup();
    mapping(names.iter().map(|name| (name.as_str(), Node::from(true))))
}

/// `permittedHostDevices`, under `KubeVirt`'s names and without the devices that are disabled.
pub(super) fn host_devices(spec: &Spec<'_>) -> Option<Node> {
    const DEVICES: Place = Place {
        beta: "permittedHostDevices",
        v1: "virtualization.permittedHostDevices",
    };
    const LISTS: [(&str, &str); 3] = [
        ("pciHostDevices", "pciHostDevices"),
        ("mediatedDevices", "mediatedDevices"),
        ("usbHostDevices", "usb"),
    ];
    let permitted = spec.at(DEVICES)?;
    let mut out = Node::map();
    for (from, to) in LISTS {
        let devices = permitted.items_at(from).iter();
        let enabled = devices.filter(|device| !device.bool_at("disabled"));
        let named = enabled.map(|device| {
            let mut device = device.clone();
            device.remove("disabled");
            if let Some(selector) = device.remove("pciDeviceSelector") {
                device.set("pciVendorSelector", selector);
            }
            device
        });
        out.set(to, Node::new(Value::Seq(named.collect())));
    }
    Some(out)
}

/// `mediatedDevicesConfiguration`; v1beta1 spells the list of types in two ways.
pub(super) fn mediated_devices(spec: &Spec<'_>) -> Option<Node> {
    const DEVICES: Place = Place {
        beta: "mediatedDevicesConfiguration",
        v1: "virtualization.mediatedDevicesConfiguration",
    };
    let types = |node: &Node| {
        let new = node.get("mediatedDeviceTypes");
        let old = node.get("mediatedDevicesTypes");
        let mut both = [new, old].into_iter().flatten();
        both.find(|types| !types.items().is_empty()).cloned()
    };
    let is_off = spec.release >= V4_22 && gates::is_on(spec, "disableMDevConfiguration");
    let given = spec.at(DEVICES);
    // The webhook of the newest operator makes a field of the gate.
    let field = given.and_then(|given| given.get("enabled")?.as_bool());
    let gate = gates::written(spec, "disableMDevConfiguration").map(|off| !off);
    let field = field.filter(|_| spec.is_v1);
    let stated = field.or(gate).filter(|_| spec.release == Next);
    if given.is_none() && !is_off && stated.is_none() {
        return None;
    }
    let mut out = Node::map();
    if let Some(types) = given.and_then(types) {
        out.set("mediatedDeviceTypes", types);
    }
    let nodes = given.map(|given| given.items_at("nodeMediatedDeviceTypes"));
    let nodes = nodes.unwrap_or_default().iter().map(|node| {
        let mut out = node.clone();
        out.remove("mediatedDevicesTypes");
        if let Some(types) = types(node) {
            out.set("mediatedDeviceTypes", types);
        }
        out
    });
    let nodes: Vec<Node> = nodes.collect();
    if !nodes.is_empty() {
        out.set("nodeMediatedDeviceTypes", Node::new(Value::Seq(nodes)));
    }
    match stated {
        Some(stated) => out.set("enabled", Node::from(stated)),
        None if is_off => out.set("enabled", Node::from(false)),
        None => {}
    }
    Some(out)
}

/// `virtualMachineOptions`: each option that is on is an empty mapping.
pub(super) fn options(spec: &Spec<'_>) -> Option<Node> {
    const NAMES: [&str; 2] = ["disableFreePageReporting", "disableSerialConsoleLog"];
    const OPTIONS: Place = Place {
        beta: "virtualMachineOptions",
        v1: "virtualization.virtualMachineOptions",
    };
    let mut out = Node::map();
    for name in NAMES {
        let stated = spec.at(OPTIONS).and_then(|options| options.get(name));
        // The oldest operators leave the log of the serial console out unless asked.
        let default = name == "disableSerialConsoleLog" && spec.release <= V4_18;
        if stated.and_then(Node::as_bool).unwrap_or(default) {
            out.set(name, Node::map());
        }
    }
    (!out.entries().is_empty()).then_some(out)
}

/// `persistentReservationConfiguration`, which the newest operator sets in place of the gate.
pub(super) fn persistent_reservation(spec: &Spec<'_>) -> Option<Node> {
    if spec.release < Next {
        return None;
    }
    let stated = spec.path("storage.persistentReservationConfiguration.enabled");
    let stated = stated.filter(|_| spec.is_v1).and_then(Node::as_bool);
    // The webhook makes a field of the gate.
    let enabled = stated.or_else(|| gates::written(spec, "persistentReservation"))?;
    Some(mapping([("enabled", Node::from(enabled))]))
}

/// `workloadUpdateStrategy` of the `KubeVirt` object: guests are migrated unless the object says otherwise.
pub(super) fn workload_updates(spec: &Spec<'_>) -> Node {
    const STRATEGY: Place = Place {
        beta: "workloadUpdateStrategy",
        v1: "virtualization.workloadUpdateStrategy",
    };
    let mut out = Node::from_json(&json!({
        "workloadUpdateMethods": ["LiveMigrate"],
        "batchEvictionSize": 10,
        "batchEvictionInterval": "1m0s",
    }));
    let given = spec.at(STRATEGY).map(Node::entries).unwrap_or_default();
    for entry in given.iter().filter(|entry| !entry.node.is_null()) {
        out.set(&entry.key, entry.node.clone());
    }
    out
}
