//! What a tree shows of its cluster: the release it runs and its configuration.

use std::collections::BTreeMap;

use crate::release::Release;
use crate::resource::Resource;
use crate::resource::cluster::ClusterConfig;

/// What several resources say, each value with the first resource that says it.
#[derive(Debug, Default)]
pub struct Shown<'a> {
    /// Releases, oldest first.
    pub releases: BTreeMap<Release, &'a Resource>,
    /// Configurations of different content, in the order found.
    pub configurations: Vec<(ClusterConfig, &'a Resource)>,
}

impl<'a> Shown<'a> {
    /// What the resources show, in the order given.
    pub fn by(resources: impl IntoIterator<Item = &'a Resource>) -> Self {
        let mut shown = Self::default();
        for resource in resources {
            if let Some(release) = release(resource) {
                shown.releases.entry(release).or_insert(resource);
            }
            if resource.is("kubevirt.io", "KubeVirt")
                && let Some(configuration) = ClusterConfig::from_resource_node(&resource.node)
                && !shown
                    .configurations
                    .iter()
                    .any(|(known, _)| known.node.same_value(&configuration.node))
            {
                shown.configurations.push((configuration, resource));
            }
        }
        shown
    }
}

/// The release a resource gives away.
fn release(resource: &Resource) -> Option<Release> {
    let node = &resource.node;
    match (resource.id.group.as_str(), resource.id.kind.as_str()) {
        ("kubevirt.io", "KubeVirt") => [
            "status.observedKubeVirtVersion",
            "status.targetKubeVirtVersion",
            "spec.imageTag",
        ]
        .iter()
        .find_map(|path| node.str_at(path).parse().ok()),
        ("kubevirt.io", "VirtualMachineInstance") => {
            tag(node.str_at("status.launcherContainerImageVersion"))
        }
        ("apps", "Deployment") if resource.id.name == "virt-operator" => node
            .items_at("spec.template.spec.containers")
            .iter()
            .find_map(|container| {
                let image = container.str_at("image");
                let named = container
                    .items_at("env")
                    .iter()
                    .find(|variable| variable.str_at("name") == "KUBEVIRT_VERSION")
                    .and_then(|variable| variable.str_at("value").parse().ok());
                tag(image).or(named)
            }),
        _ => None,
    }
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
    use crate::yaml::Node;
    use serde_json::json;

    fn resource(json: &serde_json::Value) -> Resource {
        Resource::from_node(Node::from_json(json), None, 0, FieldPath::root()).unwrap()
    }

    #[test]
    fn operators_and_statuses_show_the_release() {
        let operator = resource(
            &json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "virt-operator"},
            "spec": {"template": {"spec": {"containers": [{"image": "quay.io:443/kubevirt/virt-operator:v1.7.2"}]}}}}),
        );
        let pinned = resource(
            &json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "virt-operator"},
            "spec": {"template": {"spec": {"containers": [{"image": "quay.io/kubevirt/virt-operator@sha256:0",
                "env": [{"name": "KUBEVIRT_VERSION", "value": "v1.6.0"}]}]}}}}),
        );
        let export = resource(
            &json!({"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": {"name": "kubevirt"},
            "spec": {"configuration": {"evictionStrategy": "LiveMigrate"}}, "status": {"observedKubeVirtVersion": "v1.8.1"}}),
        );
        let instance = resource(
            &json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance", "metadata": {"name": "a"},
            "status": {"launcherContainerImageVersion": "quay.io/kubevirt/virt-launcher:v1.5.0"}}),
        );
        let all = [operator, pinned, export, instance];
        let shown = Shown::by(&all);
        let releases: Vec<_> = shown
            .releases
            .keys()
            .map(|release| release.as_str())
            .collect();
        assert_eq!(releases, ["1.5", "1.6", "1.7", "1.8"]);
        assert_eq!(shown.configurations.len(), 1);
        assert!(Shown::by(&all[..1]).configurations.is_empty());
    }
}
