//! What a tree says about its cluster: the release it runs and its configuration.

use std::collections::{BTreeMap, BTreeSet};

use super::kustomization::Kustomization;
use crate::release::Release;
use crate::resource::Resource;
use crate::resource::cluster::ClusterConfig;
use crate::yaml::Node;

/// What several resources say of their cluster.
#[derive(Debug, Default)]
pub struct ClusterFacts<'a> {
    /// Releases by what tells them, best first.
    releases: BTreeMap<ReleaseSource, BTreeSet<Release>>,
    /// Configurations of different content, in the order found.
    pub configurations: Vec<(ClusterConfig, &'a Resource)>,
}

/// What tells a release: what is asked for comes before what once was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ReleaseSource {
    /// `spec.imageTag` of the `KubeVirt` object.
    ImageTag,
    /// A kustomization that sets the operator's image, or fetches a release.
    Kustomization,
    /// The image of the operator's Deployment.
    Operator,
    /// `startingCSV` of a Subscription.
    Subscription,
    /// The status in an export.
    Status,
}

/// The release that a tree shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShownRelease {
    /// None.
    None,
    /// This one.
    One {
        /// The release.
        release: Release,
        /// Whether the cluster may run a later one: a Subscription names it, and upgrades may be approved by themselves.
        is_lower_bound: bool,
    },
    /// Several, equally well.
    Several {
        /// The oldest.
        first: Release,
        /// The newest.
        last: Release,
    },
}

impl<'a> ClusterFacts<'a> {
    /// What the resources show, in the order given.
    pub fn by(resources: impl IntoIterator<Item = &'a Resource>) -> Self {
        let mut shown = Self::default();
        for resource in resources {
            for (told, release) in told(resource) {
                shown.releases.entry(told).or_default().insert(release);
            }
            if resource.is("kubevirt.io", "KubeVirt")
                && let Some(configuration) = ClusterConfig::from_resource_node(&resource.node)
                && !shown
                    .configurations
                    .iter()
                    .any(|(known, _)| known.same(&configuration))
            {
                shown.configurations.push((configuration, resource));
            }
        }
        shown
    }

    /// Adds what kustomizations show.
    #[must_use]
    pub fn and<'b>(mut self, kustomizations: impl IntoIterator<Item = &'b Kustomization>) -> Self {
        for kustomization in kustomizations {
            if !kustomization.installs.is_empty() {
                let held = self
                    .releases
                    .entry(ReleaseSource::Kustomization)
                    .or_default();
                held.extend(&kustomization.installs);
            }
        }
        self
    }

    /// The release, told by what tells it best.
    pub fn release(&self) -> ShownRelease {
        let Some((told, releases)) = self.releases.first_key_value() else {
            return ShownRelease::None;
        };
        match (releases.first(), releases.last()) {
            (Some(first), Some(last)) if first == last => ShownRelease::One {
                release: *first,
                is_lower_bound: *told == ReleaseSource::Subscription,
            },
            (Some(first), Some(last)) => ShownRelease::Several {
                first: *first,
                last: *last,
            },
            _ => ShownRelease::None,
        }
    }
}

/// The releases that a resource names.
fn told(resource: &Resource) -> Vec<(ReleaseSource, Release)> {
    let node = &resource.node;
    let first = |told, mut found: Box<dyn Iterator<Item = Option<Release>> + '_>| {
        found
            .find_map(|release| release)
            .map(|release| (told, release))
    };
    let at = |path: &'static str| node.str_at(path).parse().ok();
    let found = match (resource.id.group.as_str(), resource.id.kind.as_str()) {
        ("kubevirt.io", "KubeVirt") => [
            at("spec.imageTag").map(|release| (ReleaseSource::ImageTag, release)),
            at("status.observedKubeVirtVersion")
                .or_else(|| at("status.targetKubeVirtVersion"))
                .map(|release| (ReleaseSource::Status, release)),
        ],
        ("kubevirt.io", "VirtualMachineInstance") => {
            let image = node.str_at("status.launcherContainerImageVersion");
            [
                tag(image).map(|release| (ReleaseSource::Status, release)),
                None,
            ]
        }
        ("hco.kubevirt.io", "HyperConverged") => {
            let versions = node.items_at("status.versions").iter();
            let operator = versions.filter(|version| version.str_at("name") == "operator");
            let found = operator.map(|version| hyperconverged(version.str_at("version")));
            [first(ReleaseSource::Status, Box::new(found)), None]
        }
        ("operators.coreos.com", "Subscription") => {
            let csv = node.str_at("spec.startingCSV");
            [
                starting_csv(csv).map(|release| (ReleaseSource::Subscription, release)),
                None,
            ]
        }
        ("apps", "Deployment") if resource.id.name == "virt-operator" => {
            let containers = node.items_at("spec.template.spec.containers").iter();
            [
                first(ReleaseSource::Operator, Box::new(containers.map(operator))),
                None,
            ]
        }
        _ => [None, None],
    };
    found.into_iter().flatten().collect()
}

/// The release of an operator's container.
fn operator(container: &Node) -> Option<Release> {
    let named = container
        .items_at("env")
        .iter()
        .find(|variable| variable.str_at("name") == "KUBEVIRT_VERSION")
        .and_then(|variable| variable.str_at("value").parse().ok());
    tag(container.str_at("image")).or(named)
}

/// The release that a Subscription starts with.
fn starting_csv(csv: &str) -> Option<Release> {
    let (name, version) = csv.split_once('.')?;
    match name {
        "kubevirt-hyperconverged-operator" => hyperconverged(version),
        "kubevirtoperator" => version.parse().ok(),
        _ => None,
    }
}

/// The release that a version of the HyperConverged operator installs: its own from 1.11 to 1.18, those of OpenShift
/// Virtualization from 4.15 to 4.22. Each is one release line after the other.
fn hyperconverged(version: &str) -> Option<Release> {
    let mut parts = version.trim_start_matches('v').split('.');
    let (major, minor) = (parts.next()?, parts.next()?.parse::<u32>().ok()?);
    let minor = match major {
        "1" => minor.checked_sub(10)?,
        "4" => minor.checked_sub(14)?,
        _ => return None,
    };
    (minor <= 8)
        .then(|| format!("1.{minor}").parse().ok())
        .flatten()
}

/// The release in an image's tag.
fn tag(image: &str) -> Option<Release> {
    let image = image.split('@').next().unwrap_or_default();
    let (_, tag) = image.rsplit_once(':')?;
    tag.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field_path::FieldPath;
    use serde_json::json;

    fn resource(json: &serde_json::Value) -> Resource {
        Resource::from_node(Node::from_json(json), None, 0, FieldPath::root()).unwrap()
    }

    fn release(of: &[&serde_json::Value]) -> Option<&'static str> {
        let all: Vec<_> = of.iter().map(|json| resource(json)).collect();
        match ClusterFacts::by(&all).release() {
            ShownRelease::One { release, .. } => Some(release.as_str()),
            _ => None,
        }
    }

    #[test]
    fn operators_and_statuses_show_the_release() {
        let operator = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "virt-operator"},
            "spec": {"template": {"spec": {"containers": [{"image": "quay.io:443/kubevirt/virt-operator:v1.7.2"}]}}}});
        let pinned = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "virt-operator"},
            "spec": {"template": {"spec": {"containers": [{"image": "quay.io/kubevirt/virt-operator@sha256:0",
                "env": [{"name": "KUBEVIRT_VERSION", "value": "v1.6.0"}]}]}}}});
        let export = json!({"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": {"name": "kubevirt"},
            "spec": {"configuration": {"evictionStrategy": "LiveMigrate"}}, "status": {"observedKubeVirtVersion": "v1.8.1"}});
        let instance = json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance", "metadata": {"name": "a"},
            "status": {"launcherContainerImageVersion": "quay.io/kubevirt/virt-launcher:v1.5.0"}});
        for (json, shows) in [
            (&operator, "1.7"),
            (&pinned, "1.6"),
            (&export, "1.8"),
            (&instance, "1.5"),
        ] {
            assert_eq!(release(&[json]), Some(shows));
        }
        let all = [resource(&operator), resource(&export)];
        assert_eq!(ClusterFacts::by(&all).configurations.len(), 1);
        assert!(ClusterFacts::by(&all[..1]).configurations.is_empty());
    }

    #[test]
    fn what_is_asked_for_comes_before_what_a_status_says() {
        let kubevirt = |tag: &str| {
            json!({"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": {"name": "kubevirt"},
                "spec": {"imageTag": tag}, "status": {"observedKubeVirtVersion": "v1.6.3"}})
        };
        assert_eq!(release(&[&kubevirt("v1.7.1")]), Some("1.7"));
        let two = [resource(&kubevirt("v1.7.1")), resource(&kubevirt("v1.8.0"))];
        assert!(matches!(
            ClusterFacts::by(&two).release(),
            ShownRelease::Several { .. }
        ));
        let built = Kustomization {
            installs: BTreeSet::from([Release::V1_5]),
            ..Kustomization::default()
        };
        let one = [resource(&kubevirt("none"))];
        assert_eq!(
            ClusterFacts::by(&one).and([&built]).release(),
            ShownRelease::One {
                release: Release::V1_5,
                is_lower_bound: false
            }
        );
    }

    #[test]
    fn a_subscription_shows_a_lower_bound() {
        let subscription = |csv: &str| {
            json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": {"name": "a"},
                "spec": {"channel": "stable", "startingCSV": csv}})
        };
        for (csv, shows) in [
            ("kubevirt-hyperconverged-operator.v4.18.3", Some("1.4")),
            ("kubevirt-hyperconverged-operator.v4.22.0", Some("1.8")),
            ("kubevirt-hyperconverged-operator.v4.23.0", None),
            ("kubevirt-hyperconverged-operator.v4.14.9", None),
            ("kubevirt-hyperconverged-operator.v1.15.0", Some("1.5")),
            ("kubevirtoperator.v1.6.2", Some("1.6")),
            ("another-operator.v1.6.2", None),
            ("", None),
        ] {
            assert_eq!(release(&[&subscription(csv)]), shows, "{csv}");
        }
        let one = [resource(&subscription("kubevirtoperator.v1.6.2"))];
        assert!(matches!(
            ClusterFacts::by(&one).release(),
            ShownRelease::One {
                is_lower_bound: true,
                ..
            }
        ));
    }
}
