//! The order resources are written in: objects that others need come first.

use crate::resource::ResourceId;

/// A resource's place: namespaces and CRDs, instance types, preferences, revisions, data sources, claims, data volumes,
/// VMs, the rest; then by namespace and name.
pub fn key(id: &ResourceId) -> (u8, &str, &str, &str, &str) {
    let namespace = id.namespace.as_deref().unwrap_or_default();
    (rank(id), namespace, &id.name, &id.kind, &id.group)
}

fn rank(id: &ResourceId) -> u8 {
    match (id.group.as_str(), id.kind.as_str()) {
        ("", "Namespace") => 0,
        ("apiextensions.k8s.io", "CustomResourceDefinition") => 1,
        ("instancetype.kubevirt.io", kind) if kind.ends_with("Instancetype") => 2,
        ("instancetype.kubevirt.io", kind) if kind.ends_with("Preference") => 3,
        ("apps", "ControllerRevision") => 4,
        ("cdi.kubevirt.io", "DataSource") => 5,
        ("", "PersistentVolumeClaim") => 6,
        ("cdi.kubevirt.io", "DataVolume") => 7,
        ("kubevirt.io", "VirtualMachine") => 8,
        _ => 9,
    }
}
