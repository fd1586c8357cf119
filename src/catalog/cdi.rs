//! Which release of CDI a tree shows.

use std::collections::BTreeSet;

use super::kustomization::Kustomization;
use super::shown::image_tag;
use crate::release::cdi::CdiRelease;
use crate::resource::Resource;
use crate::yaml::Node;

/// The release of CDI that resources and kustomizations show; `None` where they show none, or several.
///
/// What installs it comes before what an export says of it.
pub fn shown<'a>(
    resources: impl IntoIterator<Item = &'a Resource>,
    kustomizations: impl IntoIterator<Item = &'a Kustomization>,
) -> Option<CdiRelease> {
    let mut installed: BTreeSet<CdiRelease> = BTreeSet::new();
    let mut observed: BTreeSet<CdiRelease> = BTreeSet::new();
    for kustomization in kustomizations {
        installed.extend(&kustomization.installs_cdi);
    }
    for resource in resources {
        let node = &resource.node;
        match (resource.id.group.as_str(), resource.id.kind.as_str()) {
            ("apps", "Deployment") if resource.id.name == "cdi-operator" => {
                let containers = node.items_at("spec.template.spec.containers").iter();
                installed.extend(containers.filter_map(operator));
            }
            ("cdi.kubevirt.io", "CDI") => {
                let versions = ["observedVersion", "operatorVersion", "targetVersion"];
                let mut told = versions.iter().map(|version| {
                    node.path("status")
                        .map_or("", |status| status.str_at(version))
                });
                observed.extend(told.find_map(|version| version.parse::<CdiRelease>().ok()));
            }
            _ => {}
        }
    }
    let told = if installed.is_empty() {
        observed
    } else {
        installed
    };
    (told.len() == 1).then(|| told.first().copied()).flatten()
}

/// The release of an operator's container.
fn operator(container: &Node) -> Option<CdiRelease> {
    let tag = image_tag(container.str_at("image"));
    let environment = container.items_at("env").iter();
    let named = environment
        .filter(|variable| variable.str_at("name") == "OPERATOR_VERSION")
        .map(|variable| variable.str_at("value"));
    tag.into_iter()
        .chain(named)
        .find_map(|tag| tag.parse().ok())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::field_path::FieldPath;

    fn release(objects: &[Json]) -> Option<String> {
        let objects: Vec<Resource> = objects
            .iter()
            .map(|json| {
                Resource::from_node(Node::from_json(json), None, 0, FieldPath::root()).unwrap()
            })
            .collect();
        shown(&objects, []).map(|release| release.to_string())
    }

    fn deployment(image: &str, version: &str) -> Json {
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "cdi-operator"},
            "spec": {"template": {"spec": {"containers": [
                {"image": image, "env": [{"name": "OPERATOR_VERSION", "value": version}]}]}}}})
    }

    #[test]
    fn what_installs_it_comes_before_an_export() {
        let image = "quay.io:443/kubevirt/cdi-operator:v1.60.3";
        let export = json!({"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "CDI", "metadata": {"name": "cdi"},
            "status": {"observedVersion": "v1.62.0"}});
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(release(&[]), None);
        assert_eq!(release(std::slice::from_ref(&export)), some("1.62"));
        assert_eq!(release(&[export, deployment(image, "")]), some("1.60"));
        assert_eq!(
            release(&[deployment(
                "quay.io/kubevirt/cdi-operator@sha256:0",
                "v1.61.1"
            )]),
            some("1.61")
        );
        assert_eq!(
            release(&[deployment("x:v1.60.0", ""), deployment("x:v1.61.0", "")]),
            None
        );
    }
}
