//! The guests of a catalog: every resource that holds a VMI spec, and where it lies.

pub(in crate::rules) mod mounted;

use std::sync::LazyLock;

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
    pub path: &'static FieldPath,
    /// The spec as written.
    pub spec: &'a Node,
    /// Whether several guests are made of it, so that what is unique to one cannot be told.
    pub many: bool,
}

/// Where the kinds keep the spec of their guest.
const PLACES: [&str; 3] = [
    "spec.template.spec",
    "spec",
    "spec.virtualMachineTemplate.spec.template.spec",
];

/// The same as paths, which every guest has in common.
static PATHS: LazyLock<[FieldPath; 3]> = LazyLock::new(|| PLACES.map(FieldPath::parse));

/// Every guest of a catalog, in order.
pub(crate) fn guests(catalog: &Catalog) -> impl Iterator<Item = GuestSpec<'_>> {
    catalog.resources().iter().filter_map(guest_of)
}

/// The guest of a resource, where it has one.
pub(crate) fn guest_of(resource: &Resource) -> Option<GuestSpec<'_>> {
    let (place, many) = match (resource.id.group.as_str(), resource.id.kind.as_str()) {
        ("kubevirt.io", "VirtualMachine") => (0, false),
        ("kubevirt.io", "VirtualMachineInstance") => (1, false),
        ("kubevirt.io", "VirtualMachineInstanceReplicaSet") => (0, true),
        ("pool.kubevirt.io", "VirtualMachinePool") => (2, true),
        _ => return None,
    };
    Some(GuestSpec {
        resource,
        path: &PATHS[place],
        spec: resource.node.path(PLACES[place])?,
        many,
    })
}
