//! What holds for any VM: no panic, and an update to the same VM changes nothing.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::catalog::Catalog;
use crate::config::Target;
use crate::release::Release;
use crate::resource::Resource;
use crate::transform::admit::*;

/// Keys the webhook reads, so that random trees come to mean something.
const KEYS: &[&str] = &[
    "spec",
    "metadata",
    "name",
    "namespace",
    "labels",
    "annotations",
    "deletionTimestamp",
    "template",
    "domain",
    "devices",
    "machine",
    "type",
    "firmware",
    "uuid",
    "serial",
    "architecture",
    "memory",
    "guest",
    "volumes",
    "dataVolume",
    "persistentVolumeClaim",
    "claimName",
    "dataVolumeTemplates",
    "source",
    "sourceRef",
    "pvc",
    "snapshot",
    "dataSource",
    "kind",
    "storage",
    "storageClassName",
    "instancetype",
    "preference",
    "inferFromVolume",
    "inferFromVolumeFailurePolicy",
    "revisionName",
    "preferredMachineType",
    "preferredArchitecture",
    "preferredStorageClassName",
    "instancetype.kubevirt.io/default-instancetype",
    "instancetype.kubevirt.io/default-preference",
    "template.kubevirt.io/architecture",
];
const TEXTS: &[&str] = &[
    "",
    "a",
    "b",
    "DataSource",
    "Ignore",
    "Reject",
    "amd64",
    "s390x",
    "q35",
    "virt",
    "512Mi",
    "VirtualMachinePreference",
    "virtualmachineclusterpreferences",
];

fn text() -> impl Strategy<Value = Json> {
    prop::sample::select(TEXTS).prop_map(|text| json!(text))
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        4 => text(),
        1 => Just(Json::Null),
        1 => any::<bool>().prop_map(|value| json!(value)),
        1 => any::<i64>().prop_map(|value| json!(value)),
        1 => Just(json!(0.5)),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        let key = prop::sample::select(KEYS);
        prop_oneof![
            3 => prop::collection::vec((key, inner.clone()), 0..5).prop_map(|entries| {
                Json::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
            1 => prop::collection::vec(inner, 0..4).prop_map(Json::Array),
        ]
    })
}

/// A VM of the right shape whose parts are chosen among those the webhook has something to do with.
fn sensible_vm() -> impl Strategy<Value = Json> {
    let one_of = |values: Vec<Json>| prop::sample::select(values);
    let matcher = |kinds: [&str; 3]| {
        one_of(vec![
            Json::Null,
            json!({"name": "a"}),
            json!({"name": "a", "kind": kinds[0]}),
            json!({"name": "b", "kind": kinds[1], "revisionName": "r"}),
            json!({"name": "a", "kind": kinds[2]}),
            json!({"inferFromVolume": "claim"}),
            json!({"inferFromVolume": "dv", "inferFromVolumeFailurePolicy": "Ignore"}),
            json!({"inferFromVolume": "disk", "inferFromVolumeFailurePolicy": "Ignore"}),
            json!({"inferFromVolume": "dv", "inferFromVolumeFailurePolicy": "Sometimes"}),
        ])
    };
    let source = one_of(vec![
        json!({"source": {"pvc": {"name": "a", "namespace": "vms"}}, "storage": {}}),
        json!({"source": {"snapshot": {"name": "a", "namespace": "vms"}}, "pvc": {}}),
        json!({"source": {"http": {"url": "http://x"}}, "storage": {"storageClassName": "s"}}),
        json!({"sourceRef": {"kind": "DataSource", "name": "a"}, "storage": {}}),
        json!({"sourceRef": {"kind": "DataSource", "name": "b", "namespace": "vms"}}),
    ]);
    let domain = one_of(vec![
        json!({}),
        json!({"machine": {}, "firmware": {}, "memory": {"guest": "1Gi"}}),
        json!({"machine": {"type": "pc"}, "firmware": {"uuid": "u"}, "memory": {}}),
        json!({"devices": {"disks": [{"name": "claim"}]}, "memory": null}),
    ]);
    let architecture = one_of(vec![Json::Null, json!(""), json!("s390x"), json!("arm64")]);
    let instancetype = matcher([
        "VirtualMachineInstancetype",
        "virtualmachineclusterinstancetypes",
        "Nonsense",
    ]);
    let preference = matcher([
        "VirtualMachinePreference",
        "virtualmachineclusterpreferences",
        "Nonsense",
    ]);
    (instancetype, preference, source, domain, architecture, any::<bool>()).prop_map(
        |(instancetype, preference, source, domain, architecture, templated)| {
            let templates = if templated {
                json!([{"metadata": {"name": "a"}, "spec": source}])
            } else {
                Json::Null
            };
            json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
                "metadata": {"name": "vm", "namespace": "vms"},
                "spec": {"instancetype": instancetype, "preference": preference,
                    "dataVolumeTemplates": templates,
                    "template": {"spec": {"architecture": architecture, "domain": domain, "volumes": [
                        {"name": "claim", "persistentVolumeClaim": {"claimName": "a"}},
                        {"name": "dv", "dataVolume": {"name": "a"}},
                        {"name": "disk", "containerDisk": {"image": "x"}}]}}}})
        },
    )
}

/// Objects the VMs above may name; `labelled` says which of them carry labels.
fn objects(labelled: [bool; 4], preference: &Json) -> Catalog {
    let kinds = [
        ("v1", "PersistentVolumeClaim"),
        ("cdi.kubevirt.io/v1beta1", "DataVolume"),
        ("cdi.kubevirt.io/v1beta1", "DataSource"),
        ("snapshot.storage.k8s.io/v1", "VolumeSnapshot"),
    ];
    let labels = json!({
        "instancetype.kubevirt.io/default-instancetype": "a",
        "instancetype.kubevirt.io/default-preference": "a",
        "instancetype.kubevirt.io/default-preference-kind": "VirtualMachinePreference",
        "template.kubevirt.io/architecture": "arm64",
    });
    let mut all: Vec<Json> = kinds
        .iter()
        .zip(labelled)
        .map(|((api_version, kind), labelled)| {
            let labels = if labelled { labels.clone() } else { Json::Null };
            json!({"apiVersion": api_version, "kind": kind,
                "metadata": {"name": "a", "namespace": "vms", "labels": labels},
                "spec": {"source": {"pvc": {"name": "a", "namespace": "vms"}}}})
        })
        .collect();
    for (kind, namespace) in [
        ("VirtualMachinePreference", json!("vms")),
        ("VirtualMachineClusterPreference", Json::Null),
    ] {
        all.push(
            json!({"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": kind,
            "metadata": {"name": "a", "namespace": namespace}, "spec": preference}),
        );
    }
    Catalog::new(
        all.iter()
            .map(Node::from_json)
            .map(|node| Resource::from_node(node, None, 0, FieldPath::root()).unwrap())
            .collect(),
    )
}

fn releases() -> impl Strategy<Value = Release> {
    prop::sample::select(Release::TARGETS)
}

fn target(release: Release) -> Target {
    Target {
        release,
        ..Target::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_update_that_changes_nothing_changes_nothing(
        vm in sensible_vm(),
        labelled in any::<[bool; 4]>(),
        preference in prop::sample::select(vec![
            json!({}),
            json!({"preferredArchitecture": "s390x", "volumes": {"preferredStorageClassName": "fast"}}),
            json!({"machine": {"preferredMachineType": "pc-q35-9.2"}, "preferredArchitecture": ""}),
        ]),
        release in releases(),
    ) {
        let target = target(release);
        let catalog = objects(labelled, &preference);
        let resolver = Resolver::new(&target, vec![&catalog]);
        if let Ok(admitted) = mutate(&Node::from_json(&vm), None, &resolver) {
            let again = mutate(&admitted.vm, Some(&admitted.vm), &resolver).unwrap();
            prop_assert!(
                again.vm.same_value(&admitted.vm),
                "\n{}\n{}", admitted.vm.to_json(), again.vm.to_json()
            );
            prop_assert!(again.random.is_empty() && again.settled.is_empty());
            let reread = schema::decode(release, "v1.VirtualMachine", &admitted.vm);
            prop_assert!(reread.node.same_value(&admitted.vm), "not in Go-normal form");
            let created = mutate(&admitted.vm, None, &resolver).unwrap();
            prop_assert!(created.vm.same_value(&admitted.vm) && created.random.is_empty());
        }
    }

    #[test]
    fn no_tree_makes_it_panic(
        vm in any_json(),
        old in any_json(),
        object in any_json(),
        spec in any_json(),
        release in releases(),
    ) {
        let target = target(release);
        let resources = [
            json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": object.get("metadata")}),
            json!({"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "DataSource",
                "metadata": {"name": "a", "namespace": "default", "labels": object}, "spec": spec}),
            json!({"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "VirtualMachineClusterPreference",
                "metadata": {"name": "a"}, "spec": spec}),
        ];
        let catalog = Catalog::new(
            resources
                .iter()
                .filter_map(|json| Resource::from_node(Node::from_json(json), None, 0, FieldPath::root()).ok())
                .collect(),
        );
        let resolver = Resolver::new(&target, vec![&catalog]).with_answers(&catalog);
        for vm in [vm.clone(), json!({"spec": vm}), json!({"spec": {"template": {"spec": vm}}})] {
            let (vm, old) = (Node::from_json(&vm), Node::from_json(&old));
            for old in [None, Some(&old)] {
                let _ = mutate(&vm, old, &resolver);
                let _ = mutate_decoded(vm.clone(), old, &resolver);
            }
        }
    }
}
