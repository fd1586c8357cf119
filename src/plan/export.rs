//! What a cluster has, as `kubectl get -o yaml` prints it: what is owed, what was stored at creation, which revisions were
//! captured.

use std::collections::BTreeMap;

use crate::catalog::Catalog;
use crate::field_path::FieldPath;
use crate::resource::Resource;
use crate::yaml::Node;

/// Fields that a webhook stores when a VM is created and that Git need not name.
const STORED: [&str; 4] = [
    "spec.template.spec.architecture",
    "spec.template.spec.domain.machine.type",
    "spec.template.spec.domain.firmware.uuid",
    "spec.template.spec.domain.firmware.serial",
];

/// VMs, their guests and their revisions, as a cluster has them.
#[derive(Debug, Default)]
pub struct Export {
    /// The target it is of; `None` for all.
    target: Option<String>,
    machines: BTreeMap<(String, String), Machine>,
    revisions: Vec<Resource>,
}

/// What a cluster has of one VM.
#[derive(Debug, Default)]
pub(super) struct Machine {
    vm: Option<Node>,
    guest: Option<Node>,
}

impl Export {
    /// What the resources of an export say, for one target or for all.
    pub fn of<'a>(
        resources: impl IntoIterator<Item = &'a Resource>,
        target: Option<String>,
    ) -> Self {
        let mut out = Self {
            target,
            ..Self::default()
        };
        for resource in resources {
            // Its texts are no part of the change: nothing of it has a place.
            let node = Node::from_json(&resource.node.to_json());
            let id = &resource.id;
            let is_guest = resource.is("kubevirt.io", "VirtualMachineInstance");
            if is_guest || resource.is("kubevirt.io", "VirtualMachine") {
                let namespace = id.namespace.as_deref().unwrap_or("default").to_owned();
                let held = out
                    .machines
                    .entry((namespace, id.name.to_string()))
                    .or_default();
                if is_guest {
                    held.guest = Some(node);
                } else {
                    held.vm = Some(node);
                }
            } else if resource.is("apps", "ControllerRevision") {
                let found = Resource::from_node(node, None, 0, FieldPath::root());
                out.revisions.extend(found.ok());
            }
        }
        out
    }

    /// Whether it says something of a target.
    pub fn is_of(&self, target: &str) -> bool {
        self.target.as_deref().is_none_or(|own| own == target)
    }

    /// The revisions, for resolvers to find.
    pub fn revisions(&self) -> Catalog {
        Catalog::new(self.revisions.clone())
    }

    /// How many VMs it holds.
    pub fn machines(&self) -> usize {
        self.machines
            .values()
            .filter(|held| held.vm.is_some())
            .count()
    }

    /// What it has of a VM.
    pub(super) fn machine(&self, target: &str, namespace: &str, name: &str) -> Option<&Machine> {
        self.machines
            .get(&(namespace.to_owned(), name.to_owned()))
            .filter(|_| self.is_of(target))
    }
}

/// What a cluster has of a VM beside what Git's base says of it.
#[derive(Debug, Default)]
pub(super) struct Had<'a> {
    /// Values that the cluster stored without Git's word: they stay when Git is applied.
    stored: Vec<(&'static str, &'a Node)>,
    /// Where it captured the types.
    references: Vec<(&'static str, &'a Node)>,
    /// What KubeVirt says of a restart that is owed already.
    pub(super) owed: Option<&'a str>,
}

impl Machine {
    /// What it holds beside a VM of Git's base.
    pub(super) fn beside(&self, written: &Node) -> Had<'_> {
        let is_open = |path: &str| written.path(path).is_none_or(Node::is_null);
        let stored = STORED
            .into_iter()
            .filter(|field| is_open(field))
            .filter_map(|field| {
                let of_guest = &field["spec.template.".len()..];
                let held = [(self.vm.as_ref(), field), (self.guest.as_ref(), of_guest)];
                let mut found = held.into_iter().filter_map(|(held, path)| held?.path(path));
                found.find(|node| !node.is_null()).map(|node| (field, node))
            });
        let references = ["status.instancetypeRef", "status.preferenceRef"];
        let references = references
            .into_iter()
            .filter_map(|field| Some((field, self.vm.as_ref()?.path(field)?)));
        let conditions = self.vm.as_ref().map(|vm| vm.items_at("status.conditions"));
        let owed = conditions.into_iter().flatten().find(|condition| {
            condition.str_at("type") == "RestartRequired" && condition.str_at("status") == "True"
        });
        Had {
            stored: stored.collect(),
            references: references.collect(),
            owed: owed.map(|condition| condition.str_at("message")),
        }
    }
}

impl Had<'_> {
    /// Adds to a VM of Git what stays of the stored one.
    pub(super) fn complete(&self, written: &mut Node) {
        for (field, stored) in &self.stored {
            if written.path(field).is_none_or(Node::is_null) {
                written.set(field, (*stored).clone());
            }
        }
        for (field, reference) in &self.references {
            written.set(field, (*reference).clone());
        }
    }
}
