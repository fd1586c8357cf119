//! The `KubeVirt` object that the HyperConverged operator writes from its own object, on each of its release branches.
//!
//! Mirrors `NewKubeVirt`, `controllers/handlers/kubevirt.go` of kubevirt/hyperconverged-cluster-operator, the defaults of
//! its custom resource definition, the conversion between its versions and its mutating webhook. What it copies is a table
//! (`table.rs`), and so are its feature gates (`gates.rs`); the patch in its annotation comes last (`patch.rs`).

mod gates;
mod patch;
mod table;
mod tls;

use serde_json::json;

use crate::openshift::{OpenShift, Platform};
use crate::resource::cluster::{ClusterConfig, ConfigSource};
use crate::resource::group_version;
use crate::schema;
use crate::yaml::{Entry, Map, Node, Origin, Value};

/// The name of the `KubeVirt` object that the operator writes.
pub const WRITTEN_NAME: &str = "kubevirt-kubevirt-hyperconverged";
/// Asks for the gate that completes processors to an even count; `KubeVirt` reads the annotation on its own object.
const EMULATOR_PARITY: &str = "alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity";
/// A patch of the `KubeVirt` object.
const PATCH: &str = "kubevirt.kubevirt.io/jsonpatch";
/// Rates of KubeVirt's clients.
const TUNING: &str = "hco.kubevirt.io/tuningPolicy";
/// Whether the binding passt is deployed.
const PASST: &str = "hco.kubevirt.io/deployPasstNetworkBinding";

/// Whether the operator takes the cluster's infrastructure for highly available: it has two or more workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nodes {
    /// Guests can be migrated.
    #[default]
    Several,
    /// There is one worker.
    Single,
}

/// Why the operator, or its webhook, refuses the object: the `KubeVirt` object stays as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(String);

/// A HyperConverged object, as a release of its operator reads it.
#[derive(Clone, Copy, Debug)]
struct Spec<'a> {
    node: Option<&'a Node>,
    annotations: Option<&'a Node>,
    is_v1: bool,
    release: OpenShift,
}

/// Where a setting stands in `spec`, by version of the API.
#[derive(Clone, Copy, Debug)]
struct Place {
    beta: &'static str,
    v1: &'static str,
}

impl<'a> Spec<'a> {
    /// What is written at a place; a null is no value.
    fn at(&self, place: Place) -> Option<&'a Node> {
        self.path(if self.is_v1 { place.v1 } else { place.beta })
    }

    fn path(&self, path: &str) -> Option<&'a Node> {
        let found = (!path.is_empty()).then(|| self.node?.path(path)).flatten();
        found.filter(|node| !node.is_null())
    }

    fn annotation(&self, name: &str) -> Option<&'a str> {
        self.annotations?.get(name)?.as_str()
    }

    fn is_annotated(&self, name: &str) -> bool {
        self.annotation(name) == Some("true")
    }
}

/// A configuration as a repository holds it. What a HyperConverged object makes of `KubeVirt` depends on the release.
#[derive(Clone, Debug)]
pub enum WrittenConfig {
    /// In `KubeVirt`'s words.
    KubeVirt(ClusterConfig),
    /// A HyperConverged object.
    HyperConverged(Node),
}

impl WrittenConfig {
    /// The configuration that a document holds: a `KubeVirt` or HyperConverged object, or the content of the first's
    /// `spec.configuration`. `None` where the document is an object of another kind, or no mapping.
    pub fn of(document: &Node) -> Option<Self> {
        if is_hyperconverged(document) {
            return Some(Self::HyperConverged(document.clone()));
        }
        ClusterConfig::from_resource_node(document).map(Self::KubeVirt)
    }

    /// Whether two say the same.
    pub fn same(&self, other: &Self) -> bool {
        let parts = |node: &'_ Node| {
            let annotations = node.path("metadata.annotations").cloned();
            let spec = node.get("spec").cloned();
            mapping([
                ("annotations", annotations.unwrap_or_else(Node::map)),
                ("spec", spec.unwrap_or_else(Node::map)),
            ])
        };
        match (self, other) {
            (Self::KubeVirt(one), Self::KubeVirt(two)) => one.same(two),
            (Self::HyperConverged(one), Self::HyperConverged(two)) => {
                one.str_at("apiVersion") == two.str_at("apiVersion")
                    && parts(one).same_value(&parts(two))
            }
            _ => false,
        }
    }

    /// The configuration on what the cluster runs. A HyperConverged object is read as the operator does that installs the
    /// `KubeVirt` release.
    ///
    /// # Errors
    ///
    /// The operator refuses the object.
    pub fn on(&self, platform: Platform) -> Result<ClusterConfig, Refusal> {
        match self {
            Self::KubeVirt(configuration) => Ok(configuration.clone()),
            Self::HyperConverged(object) => {
                let operator = platform.openshift;
                let operator = operator.unwrap_or_else(|| OpenShift::with(platform.release));
                let kubevirt = kubevirt(object, operator, Nodes::Several)?;
                Ok(ClusterConfig::from_resource_node(&kubevirt).unwrap_or_default())
            }
        }
    }
}

/// What the operator makes of an object that says nothing. The cluster's own object may say something.
pub fn defaults(release: OpenShift) -> ClusterConfig {
    let empty = Node::from_json(
        &json!({"apiVersion": "hco.kubevirt.io/v1beta1", "kind": "HyperConverged"}),
    );
    let written = WrittenConfig::HyperConverged(empty).on(release.into());
    let mut configuration = written.unwrap_or_default();
    configuration.source = ConfigSource::Assumed;
    configuration
}

/// Whether a resource is a HyperConverged object.
pub fn is_hyperconverged(document: &Node) -> bool {
    let (group, _) = group_version(document.str_at("apiVersion"));
    group == "hco.kubevirt.io" && document.str_at("kind") == "HyperConverged"
}

/// The `KubeVirt` object, as far as `driftless` reads it, that the operator of a release writes on its first updates.
///
/// # Errors
///
/// The object is refused: its patch or its tuning policy cannot be applied, or two of its settings contradict each other.
pub fn kubevirt(document: &Node, release: OpenShift, nodes: Nodes) -> Result<Node, Refusal> {
    let (_, version) = group_version(document.str_at("apiVersion"));
    let spec = Spec {
        node: document.get("spec"),
        annotations: document.path("metadata.annotations"),
        is_v1: version == "v1",
        release,
    };
    contradiction(&spec)?;
    let mut written = Node::map();
    written.set("configuration", configuration(&spec, nodes)?);
    written.set("workloadUpdateStrategy", table::workload_updates(&spec));
    let of = release.kubevirt();
    written = schema::decode(of, "v1.KubeVirtSpec", &written).node;
    if let Some(text) = spec.annotation(PATCH) {
        schema::encode(of, "v1.KubeVirtSpec", &mut written);
        written = patch::apply(text, written, of).map_err(|error| {
            Refusal(format!("the annotation {PATCH} cannot be applied: {error}"))
        })?;
    }
    let mut kubevirt = Node::from_json(&json!({
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": WRITTEN_NAME},
    }));
    if gates::is_on(&spec, "alignCPUs") {
        let annotations = Node::from_json(&json!({EMULATOR_PARITY: ""}));
        kubevirt.set("metadata.annotations", annotations);
    }
    kubevirt.set("spec", written);
    Ok(kubevirt)
}

/// `spec.configuration` before the patch.
fn configuration(spec: &Spec<'_>, nodes: Nodes) -> Result<Node, Refusal> {
    let mut out = table::fixed(spec.release);
    table::copy(spec, &mut out);
    if out.get("evictionStrategy").is_none() {
        let strategy = match nodes {
            Nodes::Several => "LiveMigrate",
            Nodes::Single => "None",
        };
        out.set("evictionStrategy", Node::string(strategy));
    }
    let (on, off) = gates::listed(spec);
    out.set("developerConfiguration.featureGates", texts(on));
    if !off.is_empty() {
        out.set("developerConfiguration.disabledFeatureGates", texts(off));
    }
    for (key, section) in [
        ("network", table::network(spec)),
        ("obsoleteCPUModels", table::obsolete_models(spec)),
        ("tlsConfiguration", tls::configuration(spec)),
    ] {
        out.set(key, section);
    }
    for (key, section) in [
        ("permittedHostDevices", table::host_devices(spec)),
        (
            "mediatedDevicesConfiguration",
            table::mediated_devices(spec),
        ),
        ("virtualMachineOptions", table::options(spec)),
        (
            "persistentReservationConfiguration",
            table::persistent_reservation(spec),
        ),
    ] {
        if let Some(section) = section {
            out.set(key, section);
        }
    }
    if let Some(rates) = rates(spec)? {
        let rates = Node::from_json(
            &json!({"restClient": {"rateLimiter": {"tokenBucketRateLimiter": rates}}}),
        );
        for client in ["api", "webhook", "controller", "handler"] {
            out.set(&format!("{client}Configuration"), rates.clone());
        }
    }
    Ok(out)
}

/// Rates of `KubeVirt`'s clients, where a policy sets them.
fn rates(spec: &Spec<'_>) -> Result<Option<serde_json::Value>, Refusal> {
    const POLICY: Place = Place {
        beta: "tuningPolicy",
        v1: "virtualization.tuningPolicy",
    };
    let annotation = spec.annotation(TUNING);
    match spec.at(POLICY).and_then(Node::as_str) {
        Some("annotation") => {}
        // v1 and the newest operator no longer know it.
        Some("highBurst") if !spec.is_v1 && spec.release < OpenShift::Next => {
            return if annotation.is_some() {
                let words =
                    format!("the tuning policy highBurst does not go with the annotation {TUNING}");
                Err(Refusal(words))
            } else {
                Ok(Some(json!({"qps": 200, "burst": 400})))
            };
        }
        _ => return Ok(None),
    }
    let refused = |why: &str| Refusal(format!("the annotation {TUNING} {why}"));
    let text =
        annotation.ok_or_else(|| refused("is missing, and the tuning policy asks for it"))?;
    let rates: serde_json::Value =
        serde_json::from_str(text).map_err(|_| refused("is not JSON"))?;
    for rate in ["qps", "burst"] {
        if rates[rate].as_f64().is_none_or(|rate| rate <= 0.0) {
            return Err(refused(&format!("has no `{rate}` above 0")));
        }
    }
    Ok(Some(json!({"qps": rates["qps"], "burst": rates["burst"]})))
}

/// Two settings that the newest operator's webhook holds against each other: a gate that became a field, and the field.
fn contradiction(spec: &Spec<'_>) -> Result<(), Refusal> {
    const FIELDS: [(&str, &str); 3] = [
        (
            "enableMultiArchBootImageImport",
            "workloadSources.enableMultiArchBootImageImport",
        ),
        (
            "persistentReservation",
            "storage.persistentReservationConfiguration.enabled",
        ),
        (
            "disableMDevConfiguration",
            "virtualization.mediatedDevicesConfiguration.enabled",
        ),
    ];
    if !spec.is_v1 || spec.release < OpenShift::Next {
        return Ok(());
    }
    for (gate, field) in FIELDS {
        let is_turned = gate == "disableMDevConfiguration";
        let stated = spec.path(field).and_then(Node::as_bool);
        let differs = gates::written(spec, gate)
            .zip(stated)
            .is_some_and(|(gate, field)| (gate != is_turned) != field);
        if differs {
            return Err(Refusal(format!(
                "the feature gate `{gate}` and the field `spec.{field}` contradict each other"
            )));
        }
    }
    Ok(())
}

fn texts(names: Vec<&str>) -> Node {
    Node::new(Value::Seq(names.into_iter().map(Node::string).collect()))
}

/// A mapping of free keys, which may hold dots.
fn mapping<'k>(entries: impl IntoIterator<Item = (&'k str, Node)>) -> Node {
    let mut map = Map::new();
    for (key, node) in entries {
        map.push(Entry {
            key: key.into(),
            key_origin: Origin::None,
            node,
        });
    }
    Node::new(Value::Map(map))
}

#[cfg(test)]
mod tests;
