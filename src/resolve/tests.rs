//! Matchers, revisions and catalogs, as pkg/instancetype/find treats them.

use serde_json::{Value as Json, json};

use super::*;

fn resource(object: &Json) -> Resource {
    Resource::from_node(Node::from_json(object), None, 0, FieldPath::root()).unwrap()
}

fn instancetype(kind: &str, name: &str, vcpus: u32) -> Json {
    json!({"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": kind, "metadata": {"name": name},
        "spec": {"cpu": {"guest": vcpus}, "memory": {"guest": "1Gi"}}})
}

fn revision(name: &str, of: &str, data: &Json) -> Json {
    json!({"apiVersion": "apps/v1", "kind": "ControllerRevision",
        "metadata": {"name": name, "labels": {"instancetype.kubevirt.io/object-name": of}}, "data": data})
}

fn vm(matcher: &Json, status: &Json) -> Node {
    Node::from_json(&json!({"spec": {"instancetype": matcher}, "status": status}))
}

/// vCPUs of what a VM's matcher leads to.
fn vcpus(release: Release, objects: &[Json], vm: &Node) -> Result<i64, ResolveError> {
    let target = Target {
        release,
        ..Target::default()
    };
    let catalog = Catalog::new(objects.iter().map(resource).collect());
    let resolver = Resolver::new(&target, vec![&catalog]);
    let found = resolver.resolve_instancetype(vm, "default")?;
    Ok(found.map_or(0, |found| found.spec.node.int_at("cpu.guest")))
}

#[test]
fn a_kind_is_read_in_any_case_and_number_and_none_is_cluster_scoped() {
    let objects = [
        instancetype("VirtualMachineClusterInstancetype", "it", 2),
        instancetype("VirtualMachineInstancetype", "it", 3),
    ];
    for (kind, expected) in [
        ("", 2),
        ("virtualMachineClusterInstancetypes", 2),
        ("VIRTUALMACHINECLUSTERINSTANCETYPE", 2),
        ("VirtualMachineInstancetype", 3),
        ("virtualmachineinstancetypes", 3),
    ] {
        let vm = vm(&json!({"name": "it", "kind": kind}), &json!(null));
        assert_eq!(vcpus(Release::V1_9, &objects, &vm), Ok(expected), "{kind}");
    }
    let unknown = vm(&json!({"name": "it", "kind": "Deployment"}), &json!(null));
    assert_eq!(
        vcpus(Release::V1_9, &objects, &unknown)
            .unwrap_err()
            .to_string(),
        "got unexpected kind in InstancetypeMatcher: Deployment"
    );
}

#[test]
fn an_empty_kind_never_falls_back_to_the_namespace() {
    let objects = [instancetype("VirtualMachineInstancetype", "it", 3)];
    let error = vcpus(
        Release::V1_9,
        &objects,
        &vm(&json!({"name": "it"}), &json!(null)),
    );
    assert_eq!(
        error.unwrap_err().to_string(),
        "virtualmachineclusterinstancetypes.instancetype.kubevirt.io \"it\" not found"
    );
}

#[test]
fn a_revision_named_in_the_matcher_wins_over_one_in_the_status() {
    let kind = "VirtualMachineClusterInstancetype";
    let objects = [
        instancetype(kind, "it", 1),
        revision("named", "other", &instancetype(kind, "it", 2)),
        revision("status", "it", &instancetype(kind, "it", 3)),
        revision("strange", "other", &instancetype(kind, "it", 4)),
    ];
    let status = |name: &str| json!({"instancetypeRef": {"controllerRevisionRef": {"name": name}}});
    let vcpus = |vm: &Node| vcpus(Release::V1_9, &objects, vm);
    let named = vm(
        &json!({"name": "it", "revisionName": "named"}),
        &status("status"),
    );
    assert_eq!(vcpus(&named), Ok(2));
    let plain = json!({"name": "it"});
    assert_eq!(vcpus(&vm(&plain, &status("status"))), Ok(3));
    // A revision of another object is passed over in silence, a missing one is not.
    assert_eq!(vcpus(&vm(&plain, &status("strange"))), Ok(1));
    assert_eq!(
        vcpus(&vm(&plain, &status("gone"))).unwrap_err().to_string(),
        "controllerrevisions.apps \"gone\" not found"
    );
}

#[test]
fn a_revision_of_the_wrong_kind_is_named_in_go_s_words() {
    let preference = json!({"apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterPreference", "metadata": {"name": "p"}, "spec": {}});
    let objects = [revision("r", "p", &preference)];
    let vm = vm(&json!({"name": "p", "revisionName": "r"}), &json!(null));
    assert_eq!(
        vcpus(Release::V1_9, &objects, &vm).unwrap_err().to_string(),
        "unexpected type in ControllerRevision: *v1beta1.VirtualMachineClusterPreference"
    );
}

#[test]
fn old_revisions_are_decoded_by_the_releases_that_can() {
    let mut data = instancetype("VirtualMachineClusterInstancetype", "it", 5);
    data["apiVersion"] = json!("instancetype.kubevirt.io/v1alpha2");
    let objects = [revision("r", "it", &data)];
    let vm = vm(&json!({"name": "it", "revisionName": "r"}), &json!(null));
    assert_eq!(vcpus(Release::V1_6, &objects, &vm), Ok(5));
    let error = vcpus(Release::V1_7, &objects, &vm).unwrap_err().to_string();
    assert!(
        error.starts_with("failed to decode object in ControllerRevision: no kind"),
        "{error}"
    );
}

#[test]
fn the_nearest_catalog_decides_and_the_bundle_comes_last() {
    let target = Target::default();
    let kind = "VirtualMachineClusterInstancetype";
    let own = Catalog::new(vec![resource(&instancetype(kind, "mine", 1))]);
    let around = Catalog::new(vec![
        resource(&instancetype(kind, "mine", 2)),
        resource(&instancetype(kind, "u1.small", 77)),
    ]);
    let resolve = |catalogs: Vec<&Catalog>, name: &str| {
        let resolver = Resolver::new(&target, catalogs);
        let vm = vm(&json!({"name": name}), &json!(null));
        let found = resolver
            .resolve_instancetype(&vm, "default")
            .unwrap()
            .unwrap();
        (found.spec.node.int_at("cpu.guest"), found.through)
    };
    assert_eq!(
        resolve(vec![&own, &around], "mine"),
        (1, ResolvedVia::Object)
    );
    assert_eq!(
        resolve(vec![&own, &around], "u1.small"),
        (77, ResolvedVia::Object)
    );
    assert_eq!(resolve(vec![&own], "u1.small"), (1, ResolvedVia::Bundle));
}

#[test]
fn equal_duplicates_are_one_and_different_ones_are_ambiguous() {
    let kind = "VirtualMachineClusterInstancetype";
    let vm = vm(&json!({"name": "it"}), &json!(null));
    let twice = [instancetype(kind, "it", 2), instancetype(kind, "it", 2)];
    assert_eq!(vcpus(Release::V1_9, &twice, &vm), Ok(2));
    let differ = [instancetype(kind, "it", 2), instancetype(kind, "it", 4)];
    assert!(matches!(
        vcpus(Release::V1_9, &differ, &vm),
        Err(ResolveError::Ambiguous { .. })
    ));
}

#[test]
fn a_value_no_api_server_takes_is_placed() {
    let mut object = instancetype("VirtualMachineClusterInstancetype", "it", 2);
    object["spec"]["cpu"]["guest"] = json!("two");
    let vm = vm(&json!({"name": "it"}), &json!(null));
    assert_eq!(
        vcpus(Release::V1_9, &[object], &vm)
            .unwrap_err()
            .to_string(),
        "VirtualMachineClusterInstancetype it: spec.cpu.guest is not a whole number"
    );
}

#[test]
fn a_spec_is_decoded_once_and_shared() {
    let target = Target::default();
    let resolver = Resolver::new(&target, Vec::new());
    let vm = vm(&json!({"name": "u1.small"}), &json!(null));
    let resolve = || {
        resolver
            .resolve_instancetype(&vm, "a")
            .unwrap()
            .unwrap()
            .spec
    };
    assert!(Arc::ptr_eq(&resolve(), &resolve()));
}
