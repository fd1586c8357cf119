//! What a VM names beside its instance type and preference.

use crate::field_path::FieldPath;
use crate::resolve::named::{self, Kind, NamedObject};
use crate::update::template_spec;
use crate::yaml::Node;

/// Everything that a VM names.
pub(super) fn of(vm: &Node) -> Vec<NamedObject<'_>> {
    named::of_guest(template_spec(vm), &FieldPath::from("spec.template.spec"))
}

/// The claims that a VM names, without those that its own data volume templates make.
pub(super) fn claims(vm: &Node) -> Vec<NamedObject<'_>> {
    let mut found = of(vm);
    found.retain(|name| name.kind == Kind::Claim && !is_own(vm, name.name));
    found
}

/// Whether one of the VM's own templates makes the disk.
pub(super) fn is_own(vm: &Node, claim: &str) -> bool {
    vm.items_at("spec.dataVolumeTemplates")
        .iter()
        .any(|template| template.str_at("metadata.name") == claim)
}
