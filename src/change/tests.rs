//! How the resources of two sides are paired, by kind of pair.

use super::*;
use crate::catalog::Catalog;
use crate::config::Target;
use crate::field_path::FieldPath;
use serde_json::json;

fn vm(namespace: &str, name: &str, disk: &str) -> Resource {
    let json = json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"dataVolumeTemplates": [{"metadata": {"name": disk}}], "template": {"spec": {"domain": {"cpu": {"model": disk}}}}}});
    Resource::from_node(Node::from_json(&json), None, 0, FieldPath::root()).unwrap()
}

fn names(base: &[Resource], head: &[Resource]) -> Vec<(String, bool, bool, bool)> {
    let target = Target::default();
    let catalog = Catalog::default();
    let resolver = Resolver::new(&target, vec![&catalog]);
    let roots = [String::new()];
    let subject = |resource, place| Sided {
        resource,
        place,
        roots: &roots,
        overlays: &[],
        resolver: &resolver,
    };
    let base = base.iter().map(|resource| subject(resource, "a")).collect();
    let head = head.iter().map(|resource| subject(resource, "b")).collect();
    pair(Release::V1_9, base, head)
        .iter()
        .map(|pair| {
            let name = pair.named_by().unwrap().resource.id.to_string();
            (
                name,
                pair.base.is_some(),
                pair.head.is_some(),
                pair.relation == Relation::Renamed,
            )
        })
        .collect()
}

#[test]
fn a_resource_is_itself_in_any_file() {
    let one = [vm("vms", "web", "web-root")];
    assert_eq!(
        names(&one, &one),
        [("VirtualMachine vms/web".to_owned(), true, true, false)]
    );
}

#[test]
fn a_vm_with_the_same_disks_is_itself_under_another_name() {
    let pairs = names(&[vm("vms", "web", "root")], &[vm("prod", "www", "root")]);
    assert_eq!(
        pairs,
        [("VirtualMachine prod/www".to_owned(), true, true, true)]
    );
    let pairs = names(&[vm("vms", "web", "a")], &[vm("vms", "www", "b")]);
    assert_eq!(pairs.len(), 2);
}

#[test]
fn a_vm_whose_disks_are_renamed_with_it_is_itself() {
    let with = |name: &str, disk: &str| {
        let mut vm = vm("vms", name, disk);
        let volumes = json!([{"name": "root", "dataVolume": {"name": disk}}]);
        vm.node
            .set("spec.template.spec.volumes", Node::from_json(&volumes));
        vm.node
            .set("spec.template.spec.domain.cpu.model", Node::string("host"));
        vm
    };
    let renamed = [("VirtualMachine vms/www".to_owned(), true, true, true)];
    let base = [with("web", "web-root")];
    assert_eq!(names(&base, &[with("www", "www-root")]), renamed);
    assert_eq!(names(&base, &[with("www", "other")]), renamed);
    let mut other = with("www", "www-root");
    other
        .node
        .set("spec.template.spec.domain.cpu.model", Node::string("x"));
    assert_eq!(names(&base, &[other]), renamed);
    let mut other = with("www", "other");
    other
        .node
        .set("spec.template.spec.domain.cpu.model", Node::string("x"));
    assert_eq!(names(&base, &[other]).len(), 2);
}

#[test]
fn a_vm_that_is_renamed_and_stopped_or_spelled_anew_is_itself() {
    let with = |name: &str, field: &str, value: serde_json::Value| {
        let mut vm = vm("vms", name, "");
        vm.node.remove("spec.dataVolumeTemplates");
        let path = format!("spec.{field}");
        vm.node.set(&path, Node::from_json(&value));
        vm
    };
    let base = [with("web", "runStrategy", json!("Always"))];
    for head in [
        with("www", "running", json!(true)),
        with("www", "runStrategy", json!("Halted")),
    ] {
        let pairs = names(&base, &[head]);
        assert_eq!(
            pairs,
            [("VirtualMachine vms/www".to_owned(), true, true, true)]
        );
    }
}
