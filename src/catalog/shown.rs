//! What a tree says about its cluster: the release it runs and its configuration.

use std::collections::{BTreeMap, BTreeSet};

use super::kustomization::Kustomization;
use crate::hyperconverged::{WRITTEN_NAME, WrittenConfig, is_hyperconverged};
use crate::openshift::Platform;
use crate::release::Release;
use crate::resource::Resource;
use crate::yaml::Node;

/// What several resources say of their cluster.
#[derive(Debug, Default)]
pub struct ClusterFacts<'a> {
    /// Releases by what tells them, best first.
    releases: BTreeMap<ReleaseSource, BTreeSet<Platform>>,
    /// Whether the HyperConverged operator is installed, in whatever release.
    pub has_hyperconverged: bool,
    /// Configurations of different content, in the order found.
    pub configurations: Vec<(WrittenConfig, &'a Resource)>,
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
    /// A ClusterServiceVersion.
    ServiceVersion,
    /// `startingCSV` of a Subscription whose upgrades somebody approves.
    ApprovedSubscription,
    /// `startingCSV` of a Subscription that approves upgrades by itself.
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
        /// What the cluster runs.
        platform: Platform,
        /// Whether the cluster may run a later one: a Subscription names it, and upgrades may be approved by themselves.
        is_lower_bound: bool,
    },
    /// Several, equally well.
    Several {
        /// The oldest.
        first: Platform,
        /// The newest.
        last: Platform,
    },
}

impl<'a> ClusterFacts<'a> {
    /// What the resources show, in the order given.
    pub fn by(resources: impl IntoIterator<Item = &'a Resource>) -> Self {
        let mut shown = Self::default();
        for resource in resources {
            for (told, platform) in told(resource) {
                shown.releases.entry(told).or_default().insert(platform);
            }
            let is_subscribed = resource.is("operators.coreos.com", "Subscription")
                && resource
                    .node
                    .str_at("spec.name")
                    .ends_with("kubevirt-hyperconverged");
            shown.has_hyperconverged |= is_subscribed || is_hyperconverged(&resource.node);
            let is_one =
                resource.is("kubevirt.io", "KubeVirt") || is_hyperconverged(&resource.node);
            if is_one
                && let Some(configuration) = WrittenConfig::of(&resource.node)
                && !shown
                    .configurations
                    .iter()
                    .any(|(known, _)| known.same(&configuration))
            {
                shown.configurations.push((configuration, resource));
            }
        }
        // The operator writes this one from its own object.
        if shown
            .configurations
            .iter()
            .any(|(_, of)| is_hyperconverged(&of.node))
        {
            shown
                .configurations
                .retain(|(_, of)| of.id.name != WRITTEN_NAME);
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
                held.extend(kustomization.installs.iter().copied());
            }
        }
        self
    }

    /// The release, told by what tells it best.
    pub fn release(&self) -> ShownRelease {
        let Some((mut told, mut platforms)) = self.releases.first_key_value() else {
            return ShownRelease::None;
        };
        // A later release that runs is no other than one that upgrades by itself.
        if *told == ReleaseSource::Subscription
            && let Some((status, running)) = self.releases.get_key_value(&ReleaseSource::Status)
            && running.first().map(|one| one.release) >= platforms.last().map(|one| one.release)
        {
            (told, platforms) = (status, running);
        }
        let (Some(first), Some(last)) = (platforms.first(), platforms.last()) else {
            return ShownRelease::None;
        };
        if first.release != last.release {
            return ShownRelease::Several {
                first: *first,
                last: *last,
            };
        }
        ShownRelease::One {
            // An OpenShift release, where one is told, comes last.
            platform: *last,
            is_lower_bound: *told == ReleaseSource::Subscription,
        }
    }
}

/// The releases that a resource names.
fn told(resource: &Resource) -> Vec<(ReleaseSource, Platform)> {
    let node = &resource.node;
    let first = |told, mut found: Box<dyn Iterator<Item = Option<Platform>> + '_>| {
        found
            .find_map(|release| release)
            .map(|platform| (told, platform))
    };
    let at = |path: &'static str| kubevirt(node.str_at(path));
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
            let found = operator.map(|version| Platform::of_operator(version.str_at("version")));
            [first(ReleaseSource::Status, Box::new(found)), None]
        }
        ("operators.coreos.com", "Subscription") => {
            let csv = node.str_at("spec.startingCSV");
            let source = match node.str_at("spec.installPlanApproval") {
                "Manual" => ReleaseSource::ApprovedSubscription,
                _ => ReleaseSource::Subscription,
            };
            [
                service_version(csv).map(|platform| (source, platform)),
                None,
            ]
        }
        ("operators.coreos.com", "ClusterServiceVersion") => [
            service_version(&resource.id.name)
                .map(|platform| (ReleaseSource::ServiceVersion, platform)),
            None,
        ],
        ("apps", "Deployment") if HYPERCONVERGED_OPERATORS.contains(&resource.id.name.as_str()) => {
            let containers = node.items_at("spec.template.spec.containers").iter();
            [
                first(
                    ReleaseSource::Operator,
                    Box::new(containers.map(hyperconverged_operator)),
                ),
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

/// Names of the HyperConverged operator's Deployment, upstream's and Red Hat's.
const HYPERCONVERGED_OPERATORS: [&str; 2] = ["hyperconverged-cluster-operator", "hco-operator"];

/// A release of `KubeVirt`, as its versions say it.
fn kubevirt(version: &str) -> Option<Platform> {
    let release: Release = version.parse().ok()?;
    Some(release.into())
}

/// The release of an operator's container.
fn operator(container: &Node) -> Option<Platform> {
    tag(container.str_at("image")).or_else(|| kubevirt(variable(container, "KUBEVIRT_VERSION")?))
}

/// The release of a container of the HyperConverged operator. Red Hat's images are named by their digest.
fn hyperconverged_operator(container: &Node) -> Option<Platform> {
    let version = variable(container, "HCO_KV_IO_VERSION");
    let tag = image_tag(container.str_at("image"));
    [version, tag]
        .into_iter()
        .flatten()
        .find_map(Platform::of_operator)
}

fn variable<'a>(container: &'a Node, name: &str) -> Option<&'a str> {
    let mut variables = container.items_at("env").iter();
    let found = variables.find(|variable| variable.str_at("name") == name)?;
    Some(found.str_at("value"))
}

/// The release that a ClusterServiceVersion of that name installs.
fn service_version(name: &str) -> Option<Platform> {
    let (name, version) = name.split_once('.')?;
    match name {
        "kubevirt-hyperconverged-operator" => Platform::of_operator(version),
        "kubevirtoperator" => kubevirt(version),
        _ => None,
    }
}

/// The release in an image's tag.
fn tag(image: &str) -> Option<Platform> {
    kubevirt(image_tag(image)?)
}

/// The tag of an image, without its digest.
pub(super) fn image_tag(image: &str) -> Option<&str> {
    let image = image.split('@').next().unwrap_or_default();
    let (_, tag) = image.rsplit_once(':')?;
    Some(tag)
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
            ShownRelease::One { platform, .. } => Some(platform.release.as_str()),
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
            installs: BTreeSet::from([Release::V1_5.into()]),
            ..Kustomization::default()
        };
        let one = [resource(&kubevirt("none"))];
        assert_eq!(
            ClusterFacts::by(&one).and([&built]).release(),
            ShownRelease::One {
                platform: Release::V1_5.into(),
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
