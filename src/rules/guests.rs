//! The guests of a catalog: every resource that holds a VMI spec, and where it lies.

pub(in crate::rules) mod mounted;

use crate::catalog::Catalog;
use crate::field_path::FieldPath;
use crate::resource::Resource;
use crate::yaml::Node;

/// A VMI spec in a resource.
#[derive(Clone, Debug)]
pub(crate) struct GuestSpec<'a> {
    /// The resource.
    pub resource: &'a Resource,
    /// Where the spec lies.
    pub path: FieldPath,
    /// The spec as written.
    pub spec: &'a Node,
    /// Whether several guests are made of it, so that what is unique to one cannot be told.
    pub many: bool,
}

/// Every guest of a catalog, in order.
pub(crate) fn guests(catalog: &Catalog) -> impl Iterator<Item = GuestSpec<'_>> {
    catalog.resources().iter().filter_map(guest_of)
}

/// The guest of a resource, where it has one.
pub(crate) fn guest_of(resource: &Resource) -> Option<GuestSpec<'_>> {
    let (path, many) = match (resource.id.group.as_str(), resource.id.kind.as_str()) {
        ("kubevirt.io", "VirtualMachine") => ("spec.template.spec", false),
        ("kubevirt.io", "VirtualMachineInstance") => ("spec", false),
        ("kubevirt.io", "VirtualMachineInstanceReplicaSet") => ("spec.template.spec", true),
        ("pool.kubevirt.io", "VirtualMachinePool") => {
            ("spec.virtualMachineTemplate.spec.template.spec", true)
        }
        _ => return None,
    };
    Some(GuestSpec {
        resource,
        path: FieldPath::parse(path),
        spec: resource.node.path(path)?,
        many,
    })
}
