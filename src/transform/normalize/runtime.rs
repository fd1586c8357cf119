//! Data that only a cluster writes and that does not belong in Git.

use crate::yaml::{Map, Node};

/// Keys of an object's metadata that the API server owns.
pub(crate) const METADATA: [&str; 8] = [
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
    "selfLink",
];

/// Annotations that controllers and tools write.
pub(crate) const ANNOTATIONS: [&str; 13] = [
    "argocd.argoproj.io/tracking-id",
    "deployment.kubernetes.io/revision",
    "kubectl.kubernetes.io/last-applied-configuration",
    "kubemacpool.io/transaction-timestamp",
    "kubevirt.io/latest-observed-api-version",
    "kubevirt.io/storage-observed-api-version",
    "kubevirt.io/vm-generation",
    "pv.kubernetes.io/bind-completed",
    "pv.kubernetes.io/bound-by-controller",
    "pv.kubernetes.io/provisioned-by",
    "volume.beta.kubernetes.io/storage-provisioner",
    "volume.kubernetes.io/selected-node",
    "volume.kubernetes.io/storage-provisioner",
];

/// Finalizers that controllers write.
pub(crate) const FINALIZERS: [&str; 7] = [
    "foregroundDeleteVirtualMachine",
    "kubernetes.io/pvc-protection",
    "kubevirt.io/dataVolumeFinalizer",
    "kubevirt.io/foregroundDeleteVirtualMachine",
    "kubevirt.io/virtualMachineControllerFinalize",
    "snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection",
    "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection",
];

/// Takes out of a resource what a cluster wrote, and mappings in metadata that held nothing else.
pub(super) fn remove(group: &str, kind: &str, node: &mut Node) {
    let Some(root) = node.as_map_mut() else {
        return;
    };
    let from_cluster = root.get("metadata").is_some_and(|metadata| {
        metadata.get("uid").is_some() || metadata.get("resourceVersion").is_some()
    });
    if has_status(group) || from_cluster {
        root.remove("status");
    }
    clean(root, true);
    if let Some(spec) = root.get_mut("spec") {
        templates(
            spec,
            group.ends_with("kubevirt.io") || has_template(group, kind),
        );
    }
}

/// Whether `status` of the group's kinds is written by controllers alone; of a kind nobody here knows it may be data.
fn has_status(group: &str) -> bool {
    matches!(group, "" | "apps" | "batch" | "policy" | "autoscaling")
        || group.ends_with(".k8s.io")
        || group.ends_with("kubevirt.io")
}

/// Whether `spec.template` of the kind is an object's template.
fn has_template(group: &str, kind: &str) -> bool {
    matches!(group, "apps" | "batch")
        || (group.is_empty() && matches!(kind, "ReplicationController" | "PodTemplate"))
}

/// The metadata of templates in a spec, at any depth of templates.
fn templates(spec: &mut Node, known: bool) {
    let Some(map) = spec.as_map_mut() else { return };
    for entry in map.entries_mut() {
        let key = entry.key.as_str();
        if !(key.ends_with("emplate") || key.ends_with("emplates")) {
            continue;
        }
        let many = entry.node.items_mut().is_some();
        let each: Vec<&mut Node> = if many {
            entry.node.items_mut().into_iter().flatten().collect()
        } else {
            vec![&mut entry.node]
        };
        for template in each {
            let is_template = template.get("spec").is_some() || template.get("metadata").is_some();
            let Some(map) = template.as_map_mut().filter(|_| is_template) else {
                continue;
            };
            if known {
                clean(map, false);
                if many {
                    map.remove("status");
                }
            } else {
                remove_in(map, "metadata", |metadata| {
                    metadata.remove("creationTimestamp");
                });
            }
            if let Some(spec) = map.get_mut("spec") {
                templates(spec, known);
            }
        }
    }
}

/// Cleans the `metadata` of a mapping; `owned` where it is the resource's own.
fn clean(holder: &mut Map, owned: bool) {
    remove_in(holder, "metadata", |metadata| {
        for key in METADATA {
            metadata.remove(key);
        }
        remove_in(metadata, "annotations", |annotations| {
            annotations.retain(|entry| !ANNOTATIONS.contains(&entry.key.as_str()));
        });
        if !owned {
            return;
        }
        remove_items(metadata, "finalizers", |item| {
            item.as_str().is_some_and(|name| FINALIZERS.contains(&name))
        });
        remove_items(metadata, "ownerReferences", |owner| {
            owner.get("uid").is_some()
        });
    });
}

/// Changes the mapping under `key`, and takes it out when the change emptied it.
fn remove_in(holder: &mut Map, key: &str, change: impl FnOnce(&mut Map)) {
    let Some(map) = holder.get_mut(key).and_then(Node::as_map_mut) else {
        return;
    };
    let before = map.len();
    change(map);
    if before > 0 && map.is_empty() {
        holder.remove(key);
    }
}

/// Takes items out of the list under `key`, and the list when none is left.
fn remove_items(holder: &mut Map, key: &str, is_owned: impl Fn(&Node) -> bool) {
    let Some(items) = holder.get_mut(key).and_then(Node::items_mut) else {
        return;
    };
    let before = items.len();
    items.retain(|item| !is_owned(item));
    if items.is_empty() && before > 0 {
        holder.remove(key);
    }
}
