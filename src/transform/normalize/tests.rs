use super::*;
use crate::catalog::Catalog;
use crate::config::Target;
use crate::field_path::FieldPath;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

fn resource(json: &Json) -> Resource {
    Resource::from_node(Node::from_json(json), None, 0, FieldPath::root()).unwrap()
}

fn normal_beside(json: &Json, others: &[Json]) -> Json {
    let target = Target::default();
    let catalog = Catalog::new(others.iter().map(resource).collect());
    let resolver = Resolver::new(&target, vec![&catalog]);
    let resource = resource(json);
    let once = normalize(&resource, &resource.node, &resolver);
    let twice = normalize(&resource, &once, &resolver);
    assert_eq!(
        once.to_json(),
        twice.to_json(),
        "normalizing again changes nothing"
    );
    once.to_json()
}

fn normal(json: &Json) -> Json {
    normal_beside(json, &[])
}

fn vm(metadata: &Json, spec: &Json) -> Json {
    json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": metadata, "spec": spec})
}

#[test]
fn a_revision_name_goes_where_it_says_nothing() {
    let of = |revision: &str| {
        vm(
            &json!({"name": "web", "namespace": "vms"}),
            &json!({"instancetype": {"kind": "VirtualMachineInstancetype", "name": "small", "revisionName": revision}}),
        )
    };
    let small = |guest: &str| {
        json!({"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "VirtualMachineInstancetype",
            "metadata": {"name": "small", "namespace": "vms"}, "spec": {"cpu": {"guest": 1}, "memory": {"guest": guest}}})
    };
    let revision = json!({"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": {"name": "web-small", "namespace": "vms"},
        "data": small("1Gi"), "revision": 0});
    let kept = |others: &[Json], name: &str| {
        normal_beside(&of(name), others)["spec"]["instancetype"]
            .get("revisionName")
            .is_some()
    };
    assert!(!kept(&[], "web-small"), "absent from the tree");
    assert!(
        !kept(&[small("1024Mi"), revision.clone()], "web-small"),
        "equal"
    );
    assert!(
        kept(&[small("2Gi"), revision.clone()], "web-small"),
        "different"
    );
    assert!(
        kept(&[revision], "web-small"),
        "the object is not there to compare"
    );
    assert!(!kept(&[], ""), "empty");
}

#[test]
fn a_revision_name_of_another_type_stays() {
    let vm = json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "web"},
        "spec": {"instancetype": {"name": "small", "revisionName": {}}}});
    assert_eq!(
        normal(&vm)["spec"]["instancetype"]["revisionName"],
        json!({})
    );
}

#[test]
fn timestamps_go_with_the_metadata_they_leave_empty() {
    let written = json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
        "metadata": {"name": "a", "creationTimestamp": null},
        "spec": {"dataVolumeTemplates": [{"metadata": {"creationTimestamp": null, "name": "root"}, "spec": {}}],
            "template": {"metadata": {"creationTimestamp": null}}},
        "status": {}});
    assert_eq!(
        normal(&written),
        vm(
            &json!({"name": "a"}),
            &json!({"dataVolumeTemplates": [{"metadata": {"name": "root"}, "spec": {}}], "template": {}})
        )
    );
    let own = vm(
        &json!({"name": "a", "labels": {}}),
        &json!({"template": {"metadata": {}}}),
    );
    assert_eq!(normal(&own), own, "the user's own empty mappings stay");
}

#[test]
fn empty_mappings_survive() {
    let written = vm(
        &json!({"name": "a"}),
        &json!({"template": {"spec": {"networks": [{"name": "default", "pod": {}}], "domain": {
            "devices": {"rng": {}, "tpm": {}, "interfaces": [{"name": "default", "masquerade": {}}]},
            "features": {"acpi": {}, "smm": {}}, "resources": {}}}}}),
    );
    assert_eq!(normal(&written), written);
}

#[test]
fn quantities_are_canonical_at_typed_paths_only() {
    let written = vm(
        &json!({"name": "a", "annotations": {"note": "1024Mi"}}),
        &json!({"template": {"spec": {"domain": {
            "memory": {"guest": "1024Mi", "hugepages": {"pageSize": "1024Mi"}},
            "resources": {"requests": {"memory": "3072Mi", "cpu": 0.5}, "limits": {"cpu": "1000m", "memory": "1.5Gi"}},
            "madeUp": {"memory": "1024Mi"}},
            "volumes": [{"name": "d", "emptyDisk": {"capacity": "1000M"}}]}},
            "dataVolumeTemplates": [{"metadata": {"name": "r"}, "spec": {"storage": {"resources": {"requests": {"storage": "10240Mi"}}}}}]}),
    );
    let read = normal(&written);
    let domain = &read["spec"]["template"]["spec"]["domain"];
    assert_eq!(
        domain["memory"],
        json!({"guest": "1Gi", "hugepages": {"pageSize": "1024Mi"}})
    );
    assert_eq!(
        domain["resources"]["requests"],
        json!({"memory": "3Gi", "cpu": "500m"})
    );
    assert_eq!(
        domain["resources"]["limits"],
        json!({"cpu": "1", "memory": "1536Mi"})
    );
    assert_eq!(domain["madeUp"]["memory"], "1024Mi");
    assert_eq!(read["metadata"]["annotations"]["note"], "1024Mi");
    assert_eq!(
        read["spec"]["template"]["spec"]["volumes"][0]["emptyDisk"]["capacity"],
        "1G"
    );
    assert_eq!(
        read["spec"]["dataVolumeTemplates"][0]["spec"]["storage"]["resources"]["requests"]["storage"],
        "10Gi"
    );
    let claim = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"},
        "spec": {"resources": {"requests": {"storage": "1024Mi"}}}});
    assert_eq!(
        normal(&claim)["spec"]["resources"]["requests"]["storage"],
        "1Gi"
    );
}

#[test]
fn what_a_cluster_owns_goes_by_exact_key() {
    let written = vm(
        &json!({"name": "a", "uid": "x", "generation": 7, "resourceVersion": "12", "selfLink": "/x", "managedFields": [],
            "annotations": {"kubevirt.io/latest-observed-api-version": "v1", "vm.kubevirt.io/os": "linux", "description": "d"},
            "finalizers": ["kubevirt.io/virtualMachineControllerFinalize", "example.com/mine"],
            "ownerReferences": [{"uid": "y", "name": "p"}],
            "labels": {"kubevirt.io/vm": "a"}}),
        &json!({"template": {"metadata": {"annotations": {"kubevirt.io/vm-generation": "1"}, "labels": {"a": "b"}}}}),
    );
    assert_eq!(
        normal(&written),
        vm(
            &json!({"name": "a", "annotations": {"vm.kubevirt.io/os": "linux", "description": "d"},
                "finalizers": ["example.com/mine"], "labels": {"kubevirt.io/vm": "a"}}),
            &json!({"template": {"metadata": {"labels": {"a": "b"}}}})
        )
    );
}

#[test]
fn running_becomes_a_run_strategy_in_its_place() {
    let of = |spec: &Json| normal(&vm(&json!({"name": "a"}), spec))["spec"].clone();
    assert_eq!(
        of(&json!({"running": true})).to_string(),
        r#"{"runStrategy":"Always"}"#
    );
    assert_eq!(
        of(&json!({"running": false, "x": 1})).to_string(),
        r#"{"runStrategy":"Halted","x":1}"#
    );
    let both = json!({"running": true, "runStrategy": "Halted"});
    assert_eq!(of(&both), both, "KubeVirt refuses both; neither is right");
}

#[test]
fn kinds_nobody_knows_keep_their_status() {
    let unknown = json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "status": {"x": 1},
        "spec": {"template": {"metadata": {"creationTimestamp": null, "uid": "mine"}}}});
    let read = normal(&unknown);
    assert_eq!(read["status"], json!({"x": 1}));
    assert_eq!(read["spec"]["template"]["metadata"], json!({"uid": "mine"}));
    let exported = json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a", "uid": "x"}, "status": {"x": 1}});
    assert!(normal(&exported).get("status").is_none());
}

#[test]
fn encrypted_documents_pass_untouched() {
    let secret = json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "a", "uid": "x"},
        "spec": {"running": true}, "sops": {"mac": "ENC[AES256_GCM]"}, "status": {}});
    assert_eq!(normal(&secret), secret);
}

/// Any value, with empty mappings at any depth, under keys of which some are a cluster's own and some are typed.
fn any_value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!([])),
        Just(Json::Null),
        any::<i32>().prop_map(Json::from),
        "[0-9]{1,4}(Mi|Gi|m|k)?".prop_map(Json::from),
        "[a-z]{0,4}".prop_map(Json::from),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let key = prop_oneof![
            Just("metadata"),
            Just("template"),
            Just("spec"),
            Just("domain"),
            Just("memory"),
            Just("guest"),
            Just("resources"),
            Just("requests"),
            Just("annotations"),
            Just("creationTimestamp"),
            Just("running"),
            Just("instancetype"),
            Just("revisionName"),
            Just("status"),
            Just("x"),
        ]
        .prop_map(str::to_owned);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::from),
            prop::collection::vec((key, inner), 0..4)
                .prop_map(|entries| Json::Object(entries.into_iter().collect())),
        ]
    })
}

/// How many empty mappings a tree holds outside metadata, whose emptied mappings go.
fn empty_mappings(node: &Json) -> usize {
    match node {
        Json::Object(map) if map.is_empty() => 1,
        Json::Object(map) => map
            .iter()
            .filter(|(key, _)| !["metadata", "status"].contains(&key.as_str()))
            .map(|(_, node)| empty_mappings(node))
            .sum(),
        Json::Array(items) => items.iter().map(empty_mappings).sum(),
        _ => 0,
    }
}

proptest! {
    #[test]
    fn normalizing_again_changes_nothing_and_empty_mappings_survive(spec in any_value()) {
        let written = json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "a"}, "spec": spec});
        let read = normal(&written);
        prop_assert!(empty_mappings(&read["spec"]) >= empty_mappings(&written["spec"]), "{written} became {read}");
    }
}
