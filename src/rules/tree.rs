//! Everything in the tree that goes to one cluster: whether an object of a name is there, or something that makes one.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use smol_str::SmolStr;

use crate::catalog::Catalog;
use crate::catalog::kustomization::Kustomization;
use crate::config::did_you_mean;
use crate::resource::Resource;

/// The resources of every root of one target, with what kustomizations generate.
#[derive(Debug, Default)]
pub struct Tree<'a> {
    catalogs: Vec<&'a Catalog>,
    kustomizations: &'a [Kustomization],
    assumed: &'a str,
    made: OnceLock<BTreeSet<MadeObject>>,
}

/// An object that a cluster makes of one that the tree has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct MadeObject {
    kind: &'static str,
    name: SmolStr,
    /// `None` for every namespace, or where none can be told.
    namespace: Option<SmolStr>,
}

impl<'a> Tree<'a> {
    /// What these catalogs and kustomizations hold; resources without a namespace belong to `assumed`.
    pub const fn new(
        catalogs: Vec<&'a Catalog>,
        kustomizations: &'a [Kustomization],
        assumed: &'a str,
    ) -> Self {
        Self {
            catalogs,
            kustomizations,
            assumed,
            made: OnceLock::new(),
        }
    }

    /// Whether the cluster has the object if it has what the tree holds. `namespace` is `None` for cluster-scoped kinds.
    pub(crate) fn has(
        &self,
        (group, kind): (&str, &'static str),
        namespace: Option<&str>,
        name: &str,
    ) -> bool {
        let holds = |catalog: &&Catalog| {
            let mut found = catalog.find(group, kind, namespace, name, self.assumed);
            found.next().is_some()
        };
        self.catalogs.iter().any(holds) || self.makes(kind, namespace, name)
    }

    fn makes(&self, kind: &'static str, namespace: Option<&str>, name: &str) -> bool {
        let made = self.made.get_or_init(|| self.all_made());
        let object = |namespace: Option<SmolStr>| MadeObject {
            kind,
            name: name.into(),
            namespace,
        };
        made.contains(&object(None)) || made.contains(&object(namespace.map(SmolStr::from)))
    }

    fn all_made(&self) -> BTreeSet<MadeObject> {
        let mut all = BTreeSet::new();
        for resource in self.catalogs.iter().flat_map(|catalog| catalog.resources()) {
            made_of(resource, self.assumed, &mut all);
        }
        for kustomization in self.kustomizations {
            all.extend(kustomization.generates.iter().map(|generated| MadeObject {
                kind: generated.kind,
                name: generated.name.as_str().into(),
                namespace: None,
            }));
        }
        all
    }

    /// The namespace in which an object of that kind and name is.
    pub(crate) fn namespace_with(
        &self,
        (group, kind): (&str, &str),
        name: &str,
    ) -> Option<&'a str> {
        let found = self.catalogs.iter().find_map(|catalog| {
            let mut found = catalog.find(group, kind, None, name, "");
            found.next()
        });
        found.map(|resource| resource.namespace_or(self.assumed))
    }

    /// The name nearest to `name` among the objects of that kind in a namespace.
    pub(crate) fn near(
        &self,
        (group, kind): (&str, &str),
        namespace: Option<&str>,
        name: &str,
    ) -> Option<&'a str> {
        let all = self.catalogs.iter().flat_map(|catalog| catalog.resources());
        let alike = all.filter(|resource| {
            resource.is(group, kind)
                && namespace.is_none_or(|of| resource.namespace_or(self.assumed) == of)
        });
        did_you_mean(name, alike.map(|resource| resource.id.name.as_str()))
    }
}

/// What a cluster makes of a resource: the disks of a virtual machine's templates, and what the operators that are in
/// common use make Secrets, ConfigMaps and network attachments of.
fn made_of(resource: &Resource, assumed: &str, all: &mut BTreeSet<MadeObject>) {
    let id = &resource.id;
    let own = resource.namespace_or(assumed);
    let mut make = |kind: &'static str, namespace: Option<&str>, name: &str| {
        if !name.is_empty() {
            all.insert(MadeObject {
                kind,
                name: name.into(),
                namespace: namespace.map(SmolStr::from),
            });
        }
    };
    let text = |path: &str| resource.node.str_at(path);
    match (id.group.as_str(), id.kind.as_str()) {
        ("kubevirt.io", "VirtualMachine") => {
            for template in resource.node.items_at("spec.dataVolumeTemplates") {
                make("DataVolume", Some(own), template.str_at("metadata.name"));
            }
        }
        ("cdi.kubevirt.io", "DataImportCron") => {
            make("DataSource", Some(own), text("spec.managedDataSource"));
        }
        ("cert-manager.io", "Certificate") => make("Secret", Some(own), text("spec.secretName")),
        ("trust.cert-manager.io", "Bundle") => {
            make("ConfigMap", None, &id.name);
            make("Secret", None, &id.name);
        }
        ("k8s.ovn.org", "UserDefinedNetwork") => make(NETWORK, Some(own), &id.name),
        ("k8s.ovn.org", "ClusterUserDefinedNetwork") => make(NETWORK, None, &id.name),
        ("operator.openshift.io", "Network") => {
            for network in resource.node.items_at("spec.additionalNetworks") {
                let namespace = network.str_at("namespace");
                let namespace = if namespace.is_empty() {
                    "default"
                } else {
                    namespace
                };
                make(NETWORK, Some(namespace), network.str_at("name"));
            }
        }
        (group, _) if group.starts_with("sriovnetwork.") || group.starts_with("mellanox.") => {
            let namespace = text("spec.networkNamespace");
            let namespace = if namespace.is_empty() { own } else { namespace };
            make(NETWORK, Some(namespace), &id.name);
        }
        // ExternalSecret, SealedSecret, VaultStaticSecret and others: each says the name in a place of its own.
        (group, kind) if !group.is_empty() && kind.contains("Secret") => {
            let namespace = (!kind.starts_with("Cluster")).then_some(own);
            for name in SECRET_NAMES.map(text).into_iter().chain([id.name.as_str()]) {
                make("Secret", namespace, name);
            }
            for template in resource.node.items_at("spec.secretTemplates") {
                make("Secret", namespace, template.str_at("name"));
            }
        }
        _ => {}
    }
}

const NETWORK: &str = "NetworkAttachmentDefinition";

/// Where objects that make a Secret say its name, if it is not their own.
const SECRET_NAMES: [&str; 5] = [
    "spec.target.name",
    "spec.destination.name",
    "spec.externalSecretName",
    "spec.secretName",
    "spec.template.metadata.name",
];

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::field_path::FieldPath;
    use crate::yaml::Node;

    fn object(api_version: &str, kind: &str, spec: &Json) -> Resource {
        let object = json!({
            "apiVersion": api_version, "kind": kind,
            "metadata": {"name": "own", "namespace": "vms"}, "spec": spec
        });
        Resource::from_node(Node::from_json(&object), None, 0, FieldPath::root()).unwrap()
    }

    #[test]
    fn what_makes_an_object_stands_for_it() {
        for (api_version, of, spec, kind, namespace, name) in [
            ("v1", "Secret", json!({}), ("", "Secret"), "vms", "own"),
            (
                "external-secrets.io/v1",
                "ExternalSecret",
                json!({}),
                ("", "Secret"),
                "vms",
                "own",
            ),
            (
                "external-secrets.io/v1",
                "ExternalSecret",
                json!({"target": {"name": "a"}}),
                ("", "Secret"),
                "vms",
                "a",
            ),
            (
                "bitnami.com/v1alpha1",
                "SealedSecret",
                json!({"template": {"metadata": {"name": "a"}}}),
                ("", "Secret"),
                "vms",
                "a",
            ),
            (
                "cert-manager.io/v1",
                "Certificate",
                json!({"secretName": "a"}),
                ("", "Secret"),
                "vms",
                "a",
            ),
            (
                "cdi.kubevirt.io/v1beta1",
                "DataImportCron",
                json!({"managedDataSource": "a"}),
                ("cdi.kubevirt.io", "DataSource"),
                "vms",
                "a",
            ),
            (
                "kubevirt.io/v1",
                "VirtualMachine",
                json!({"dataVolumeTemplates": [{"metadata": {"name": "a"}}]}),
                ("cdi.kubevirt.io", "DataVolume"),
                "vms",
                "a",
            ),
            (
                "k8s.ovn.org/v1",
                "ClusterUserDefinedNetwork",
                json!({}),
                ("k8s.cni.cncf.io", NETWORK),
                "any",
                "own",
            ),
            (
                "sriovnetwork.openshift.io/v1",
                "SriovNetwork",
                json!({"networkNamespace": "any"}),
                ("k8s.cni.cncf.io", NETWORK),
                "any",
                "own",
            ),
        ] {
            let catalog = Catalog::new(vec![object(api_version, of, &spec)]);
            let tree = Tree::new(vec![&catalog], &[], "default");
            assert!(tree.has(kind, Some(namespace), name), "{of} {spec}");
            assert!(!tree.has(kind, Some(namespace), "b"), "{of} {spec}");
            let elsewhere = tree.has(kind, Some("other"), name);
            assert_eq!(elsewhere, of.starts_with("Cluster"), "{of} {spec}");
        }
    }
}
