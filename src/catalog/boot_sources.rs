//! Boot images that OpenShift imports by itself: data sources that no repository holds, with the defaults they are known
//! by. They are assumed: `infer:` in `driftless.yaml` and an object in the tree win.

use std::sync::LazyLock;

use serde_json::json;

use super::Catalog;
use crate::field_path::FieldPath;
use crate::resource::Resource;
use crate::yaml::{Node, Origin, Writer};

/// The namespace they are imported into, unless the HyperConverged object names another.
pub const NAMESPACE: &str = "openshift-virtualization-os-images";

/// The instance type that each names.
const INSTANCETYPE: &str = "u1.medium";

/// Each data source and the preference it names: `assets/dataImportCronTemplates` of the HyperConverged operator up to
/// 1.12, and from 1.13 on the environment of the disk images, which CDI copies. Data sources of Windows carry no default.
const SOURCES: [(&str, &str); 7] = [
    ("centos-stream8", "centos.stream8"),
    ("centos-stream9", "centos.stream9"),
    ("centos-stream10", "centos.stream10"),
    ("fedora", "fedora"),
    ("rhel8", "rhel.8"),
    ("rhel9", "rhel.9"),
    ("rhel10", "rhel.10"),
];

static ASSUMED: &&str = &"boot source of OpenShift, assumed";

/// Every data source.
pub fn assumed() -> &'static Catalog {
    static SOURCES_OF_OPENSHIFT: LazyLock<Catalog> = LazyLock::new(|| {
        let all = SOURCES.iter().filter_map(|(name, preference)| {
            let node = Node::from_json(&json!({
                "apiVersion": "cdi.kubevirt.io/v1beta1",
                "kind": "DataSource",
                "metadata": {"name": name, "namespace": NAMESPACE, "labels": {
                    "instancetype.kubevirt.io/default-instancetype": INSTANCETYPE,
                    "instancetype.kubevirt.io/default-preference": preference,
                }},
            }));
            let node = node.with_origins(Origin::Written(Writer(ASSUMED)));
            Resource::from_node(node, None, 0, FieldPath::root()).ok()
        });
        Catalog::new(all.collect())
    });
    &SOURCES_OF_OPENSHIFT
}

/// Whether a node was read from one of them.
pub fn holds(node: &Node) -> bool {
    node.origin == Origin::Written(Writer(ASSUMED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::bundle;
    use crate::openshift::OpenShift;

    #[test]
    fn what_they_name_is_shipped() {
        assert_eq!(assumed().resources().len(), SOURCES.len());
        for resource in assumed().resources() {
            let labels = resource.node.path("metadata.labels").unwrap();
            let named = |label: &str| labels.get(label).unwrap().as_str().unwrap();
            let newest = OpenShift::NEWEST.kubevirt();
            let preference = named("instancetype.kubevirt.io/default-preference");
            let lifetime = bundle::lifetime(bundle::PREFERENCE, preference);
            assert!(lifetime.is_some(), "{preference}");
            let instancetype = named("instancetype.kubevirt.io/default-instancetype");
            assert!(bundle::find(newest, bundle::INSTANCETYPE, instancetype).is_some());
            assert!(holds(
                labels
                    .get("instancetype.kubevirt.io/default-preference")
                    .unwrap()
            ));
        }
        assert!(!holds(&Node::string("fedora")));
    }
}
