//! One VM for each thing the webhook does.

mod properties;

use serde_json::{Value as Json, json};

use super::*;
use crate::catalog::Catalog;
use crate::config::Target;
use crate::release::Release;
use crate::resource::Resource;
use crate::resource::cluster::ClusterConfig;
use crate::yaml::{Origin, Writer};

fn with<T>(
    release: Release,
    config: &Json,
    objects: &[Json],
    run: impl FnOnce(&Resolver<'_>) -> T,
) -> T {
    let resources = objects
        .iter()
        .map(|object| {
            Resource::from_node(Node::from_json(object), None, 0, FieldPath::root()).unwrap()
        })
        .collect();
    let catalog = Catalog::new(resources);
    let target = Target {
        release,
        configuration: ClusterConfig::known(Node::from_json(config)),
        ..Target::default()
    };
    run(&Resolver::new(&target, vec![&catalog]))
}

fn create(release: Release, vm: &Json, objects: &[Json]) -> Result<Admitted, NotAdmitted> {
    with(release, &json!({}), objects, |resolver| {
        mutate(&Node::from_json(vm), None, resolver)
    })
}

fn update(release: Release, old: &Json, vm: &Json) -> Result<Admitted, NotAdmitted> {
    with(release, &json!({}), &[], |resolver| {
        mutate(&Node::from_json(vm), Some(&Node::from_json(old)), resolver)
    })
}

fn plain() -> Json {
    json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
        "metadata": {"name": "vm", "namespace": "vms"},
        "spec": {"runStrategy": "Always", "template": {"spec": {"domain": {"devices": {}}}}}})
}

fn preferring(spec: &Json) -> (Json, Json) {
    let mut vm = plain();
    vm["spec"]["preference"] = json!({"name": "pref"});
    let preference = json!({"apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterPreference", "metadata": {"name": "pref"}, "spec": spec});
    (vm, preference)
}

fn causes(answer: Result<Admitted, NotAdmitted>) -> Vec<(String, String)> {
    match Refusal::from(answer.unwrap_err()) {
        Refusal::Refused { causes, .. } => causes
            .into_iter()
            .map(|cause| (cause.field, cause.message))
            .collect(),
        Refusal::Crash { message } => panic!("crash: {message}"),
    }
}

const SPEC: &str = "spec.template.spec";

fn at<'a>(admitted: &'a Admitted, field: &str) -> &'a str {
    admitted.vm.path(SPEC).map_or("", |spec| spec.str_at(field))
}

#[test]
fn a_preferred_machine_type_is_copied_into_the_vm() {
    let (mut vm, preference) =
        preferring(&json!({"machine": {"preferredMachineType": "pc-q35-9.2"}}));
    for release in Release::all_proved() {
        let admitted = create(release, &vm, std::slice::from_ref(&preference)).unwrap();
        assert_eq!(at(&admitted, "domain.machine.type"), "pc-q35-9.2");
    }
    vm["spec"]["template"]["spec"]["domain"]["machine"] = json!({"type": "q35"});
    let admitted = create(Release::V1_9, &vm, &[preference]).unwrap();
    assert_eq!(at(&admitted, "domain.machine.type"), "q35");
}

#[test]
fn a_machine_type_nobody_names_is_the_clusters() {
    let config =
        json!({"architectureConfiguration": {"amd64": {"machineType": "pc-q35-rhel9.6.0"}}});
    let admitted = with(Release::V1_9, &config, &[], |resolver| {
        mutate(&Node::from_json(&plain()), None, resolver).unwrap()
    });
    assert_eq!(at(&admitted, "architecture"), "amd64");
    assert_eq!(at(&admitted, "domain.machine.type"), "pc-q35-rhel9.6.0");
    let origin = admitted
        .vm
        .path("spec.template.spec.domain.machine.type")
        .unwrap()
        .origin;
    assert_eq!(origin, Origin::Written(Writer(&"setDefaultMachineType")));
}

#[test]
fn a_preferred_storage_class_is_written_into_data_volume_templates() {
    let (mut vm, preference) =
        preferring(&json!({"volumes": {"preferredStorageClassName": "fast"}}));
    vm["spec"]["dataVolumeTemplates"] = json!([
        {"metadata": {"name": "a"}, "spec": {"storage": {}}},
        {"metadata": {"name": "b"}, "spec": {"pvc": {"storageClassName": "slow"}}},
        {"metadata": {"name": "c"}, "spec": {"pvc": {"storageClassName": ""}, "source": {"blank": {}}}},
    ]);
    for release in Release::all_proved() {
        let admitted = create(release, &vm, std::slice::from_ref(&preference)).unwrap();
        let classes: Vec<_> = admitted
            .vm
            .items_at("spec.dataVolumeTemplates")
            .iter()
            .map(|template| {
                ["spec.storage.storageClassName", "spec.pvc.storageClassName"]
                    .map(|path| template.path(path).and_then(Node::as_str))
            })
            .collect();
        assert_eq!(
            classes,
            [[Some("fast"), None], [None, Some("slow")], [None, Some("")]]
        );
    }
}

#[test]
fn a_preferred_architecture_is_written_from_1_7_on_and_the_machine_follows() {
    let (vm, preference) = preferring(&json!({"preferredArchitecture": "arm64"}));
    for release in Release::all_proved() {
        let admitted = create(release, &vm, std::slice::from_ref(&preference)).unwrap();
        let expected = if release >= Release::V1_7 {
            ("arm64", "virt")
        } else {
            ("amd64", "q35")
        };
        assert_eq!(
            (
                at(&admitted, "architecture"),
                at(&admitted, "domain.machine.type")
            ),
            expected,
            "{release}"
        );
    }
}

#[test]
fn what_a_preference_gives_keeps_the_place_it_was_written() {
    let (vm, preference) = preferring(&json!({"machine": {"preferredMachineType": "pc-q35-9.2"}}));
    let mut node = Node::from_json(&preference);
    let span = crate::source::Span {
        file: crate::source::FileId(0),
        start: 7,
        end: 17,
    };
    node.set(
        "spec.machine.preferredMachineType",
        Node::string("pc-q35-9.2").with_origin(Origin::Source(span)),
    );
    let resource = Resource::from_node(node, None, 0, FieldPath::root()).unwrap();
    let catalog = Catalog::new(vec![resource]);
    let target = Target::default();
    let resolver = Resolver::new(&target, vec![&catalog]);
    let admitted = mutate(&Node::from_json(&vm), None, &resolver).unwrap();
    let machine = admitted.vm.path("spec.template.spec.domain.machine.type");
    assert_eq!(machine.unwrap().origin.span(), Some(span));
}

#[test]
fn a_preference_no_catalog_has_is_told() {
    let (vm, _) = preferring(&json!({}));
    let admitted = create(Release::V1_9, &vm, &[]).unwrap();
    assert!(matches!(admitted.unknown[..], [Unknown::Preference(_)]));
    assert_eq!(at(&admitted, "domain.machine.type"), "q35");
}

#[test]
fn a_matcher_that_names_a_volume_becomes_name_and_kind() {
    let mut vm = plain();
    vm["spec"]["instancetype"] = json!({"inferFromVolume": "root"});
    vm["spec"]["template"]["spec"]["volumes"] =
        json!([{"name": "root", "persistentVolumeClaim": {"claimName": "root"}}]);
    let claim = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {
        "name": "root", "namespace": "vms", "labels": {"instancetype.kubevirt.io/default-instancetype": "u1.small"}}});
    for release in Release::all_proved() {
        let admitted = create(release, &vm, std::slice::from_ref(&claim)).unwrap();
        let expected = if release <= Release::V1_6 {
            json!({"name": "u1.small", "kind": "virtualmachineclusterinstancetype"})
        } else {
            json!({"name": "u1.small"})
        };
        let matcher = admitted.vm.path("spec.instancetype").unwrap();
        assert_eq!(matcher.to_json(), expected, "{release}");
        assert_eq!(admitted.settled[0].volume, "root");
    }
    assert!(matches!(
        create(Release::V1_9, &vm, &[]).unwrap_err(),
        NotAdmitted::Infer(error) if error.missing().len() == 1
    ));
}

#[test]
fn a_volume_beside_a_name_or_kind_is_refused() {
    let mut vm = plain();
    vm["spec"]["instancetype"] =
        json!({"inferFromVolume": "root", "name": "u1.small", "kind": "x"});
    let words = |release| causes(create(release, &vm, &[]));
    let field = |name: &str| format!("spec.instancetype.{name}");
    let new = "already set, should be cleared before setting inferFromVolume";
    let old = "should not be provided when InferFromVolume is used within the InstancetypeMatcher";
    assert_eq!(
        words(Release::V1_9),
        [
            (field("name"), format!("Name {new}")),
            (field("kind"), format!("Kind {new}"))
        ]
    );
    assert_eq!(
        words(Release::V1_6),
        [
            (field("name"), format!("Name {old}")),
            (field("kind"), format!("Kind {old}"))
        ]
    );
}

#[test]
fn the_documented_policy_names_are_refused() {
    for (matcher, policy) in [
        ("instancetype", "RejectInferFromVolumeFailure"),
        ("preference", "IgnoreInferFromVolumeFailure"),
    ] {
        let mut vm = plain();
        vm["spec"][matcher] =
            json!({"inferFromVolume": "root", "inferFromVolumeFailurePolicy": policy});
        for release in Release::all_proved() {
            assert_eq!(
                causes(create(release, &vm, &[])),
                [(
                    format!("spec.{matcher}.inferFromVolumeFailurePolicy"),
                    format!("Invalid value '{policy}' for InferFromVolumeFailurePolicy")
                )]
            );
        }
    }
}

#[test]
fn a_matcher_needs_a_name_or_a_volume() {
    let mut vm = plain();
    vm["spec"]["preference"] = json!({});
    assert_eq!(
        causes(create(Release::V1_9, &vm, &[])),
        [(
            "spec.preference".to_owned(),
            "Either Name or InferFromVolume should be provided within the PreferenceMatcher"
                .to_owned()
        )]
    );
}

#[test]
fn an_update_that_renames_must_let_go_of_the_revision() {
    let with_matcher = |name: &str, revision: &str| {
        let mut vm = plain();
        vm["spec"]["instancetype"] = json!({"name": name, "revisionName": revision});
        vm
    };
    let old = with_matcher("a", "a-1");
    assert_eq!(
        causes(update(Release::V1_9, &old, &with_matcher("b", "a-1"))),
        [(
            "spec.instancetype.revisionName".to_owned(),
            "the Matcher Name has been updated without updating the RevisionName".to_owned()
        )]
    );
    for fine in [
        with_matcher("b", ""),
        with_matcher("b", "b-1"),
        with_matcher("a", "a-1"),
        plain(),
    ] {
        assert!(update(Release::V1_9, &old, &fine).is_ok());
        assert!(update(Release::V1_9, &fine, &old).is_ok());
    }
}

#[test]
fn a_new_vm_gets_a_serial_number_from_1_5_and_a_uuid_from_1_6() {
    for release in Release::all_proved() {
        let admitted = create(release, &plain(), &[]).unwrap();
        let random: Vec<_> = admitted.random.iter().map(ToString::to_string).collect();
        let serial = "spec.template.spec.domain.firmware.serial";
        let uuid = "spec.template.spec.domain.firmware.uuid";
        let (has_uuid, has_serial) = (release >= Release::V1_6, release >= Release::V1_5);
        let mut written = Vec::new();
        for (field, has) in [(uuid, has_uuid), (serial, has_serial)] {
            written.extend(has.then_some(field));
            let value = admitted.vm.str_at(field);
            assert_eq!(
                value,
                if has { RANDOM_UUID } else { "" },
                "{release} {field}"
            );
        }
        assert_eq!(random, written, "{release}");
    }
}

#[test]
fn a_uuid_of_the_vms_own_is_kept() {
    let mut vm = plain();
    vm["spec"]["template"]["spec"]["domain"]["firmware"] = json!({"uuid": "u", "serial": "s"});
    let admitted = create(Release::V1_9, &vm, &[]).unwrap();
    assert!(admitted.random.is_empty());
    assert_eq!(at(&admitted, "domain.firmware.uuid"), "u");
}

#[test]
fn an_update_gets_defaults_but_nothing_random_and_no_annotation() {
    let admitted = update(Release::V1_9, &plain(), &plain()).unwrap();
    assert!(admitted.random.is_empty());
    assert!(admitted.vm.path("spec.template.metadata").is_none());
    assert!(
        admitted
            .vm
            .path("spec.template.spec.domain.firmware")
            .is_none()
    );
    assert_eq!(at(&admitted, "domain.machine.type"), "q35");
}

#[test]
fn the_pci_topology_is_noted_on_machines_with_root_ports() {
    let annotation = |release, spec: Json| {
        let mut vm = plain();
        vm["spec"]["template"]["spec"] = spec;
        vm["spec"]["template"]["spec"]["domain"]["devices"] = json!({});
        let admitted = create(release, &vm, &[]).unwrap();
        let annotations = admitted.vm.path("spec.template.metadata.annotations");
        let value = annotations.and_then(|all| all.get("kubevirt.io/pci-topology-version"));
        value.and_then(Node::as_str).map(ToOwned::to_owned)
    };
    let machine = |machine: &str| json!({"domain": {"machine": {"type": machine}}});
    assert_eq!(annotation(Release::V1_9, json!({})), Some("v3".to_owned()));
    assert_eq!(annotation(Release::V1_5, json!({})), None);
    for with_ports in ["q35", "pc-q35-9.2", "virt", "virt-9.0"] {
        assert!(annotation(Release::V1_6, machine(with_ports)).is_some());
    }
    for without in ["pc-i440fx-9.0", "pc"] {
        assert!(annotation(Release::V1_6, machine(without)).is_none());
    }
    assert!(annotation(Release::V1_9, json!({"architecture": "s390x"})).is_none());
    assert!(annotation(Release::V1_9, json!({"architecture": "arm64"})).is_some());

    let mut vm = plain();
    vm["spec"]["template"]["metadata"] =
        json!({"annotations": {"kubevirt.io/pci-topology-version": "v2"}});
    let admitted = create(Release::V1_9, &vm, &[]).unwrap();
    let annotations = admitted
        .vm
        .path("spec.template.metadata.annotations")
        .unwrap();
    assert_eq!(
        annotations.to_json(),
        json!({"kubevirt.io/pci-topology-version": "v2"})
    );
}

#[test]
fn matchers_without_a_kind_got_one_up_to_1_6() {
    let mut vm = plain();
    vm["spec"]["instancetype"] = json!({"name": "it"});
    vm["spec"]["preference"] = json!({"name": "pref", "kind": "VirtualMachinePreference"});
    for release in Release::all_proved() {
        let admitted = create(release, &vm, &[]).unwrap();
        let kind = admitted.vm.str_at("spec.instancetype.kind");
        let expected = if release <= Release::V1_6 {
            "virtualmachineclusterinstancetype"
        } else {
            ""
        };
        assert_eq!(kind, expected, "{release}");
        assert_eq!(
            admitted.vm.str_at("spec.preference.kind"),
            "VirtualMachinePreference"
        );
    }
}

#[test]
fn a_data_sources_label_gives_the_architecture() {
    let source = |name: &str, labels: Json, spec: Json| {
        json!({"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "DataSource",
            "metadata": {"name": name, "namespace": "golden", "labels": labels}, "spec": spec})
    };
    let arm = json!({"template.kubevirt.io/architecture": "arm64"});
    let objects = [
        source(
            "direct",
            arm.clone(),
            json!({"source": {"pvc": {"name": "x"}}}),
        ),
        source(
            "through",
            json!({}),
            json!({"source": {"dataSource": {"name": "direct", "namespace": "golden"}}}),
        ),
        source(
            "odd",
            json!({"template.kubevirt.io/architecture": "riscv64"}),
            json!({}),
        ),
    ];
    let architecture = |release, names: &[&str]| {
        let mut vm = plain();
        vm["spec"]["dataVolumeTemplates"] = names
            .iter()
            .map(|name| {
                json!({"metadata": {"name": name}, "spec": {
                    "sourceRef": {"kind": "datasource", "name": name, "namespace": "golden"}}})
            })
            .collect();
        let admitted = create(release, &vm, &objects).unwrap();
        (at(&admitted, "architecture").to_owned(), admitted.unknown)
    };
    assert_eq!(architecture(Release::V1_5, &["direct"]).0, "amd64");
    assert_eq!(architecture(Release::V1_6, &["direct"]).0, "arm64");
    assert_eq!(architecture(Release::V1_9, &["through"]).0, "arm64");
    assert_eq!(architecture(Release::V1_9, &["odd", "direct"]).0, "arm64");
    let (found, unknown) = architecture(Release::V1_9, &["odd", "absent"]);
    assert_eq!(found, "amd64");
    assert_eq!(
        unknown,
        [Unknown::DataSource {
            namespace: "golden".into(),
            name: "absent".into()
        }]
    );
}

#[test]
fn a_vm_that_is_being_deleted_is_left_alone() {
    let mut vm = plain();
    vm["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    vm["spec"]["preference"] = json!({});
    let admitted = create(Release::V1_9, &vm, &[]).unwrap();
    assert_eq!(at(&admitted, "domain.machine.type"), "");
}

#[test]
fn a_vm_without_template_is_refused_before_it_would_crash_the_webhook() {
    let vm = json!({"metadata": {"name": "vm"}, "spec": {}});
    let error = create(Release::V1_9, &vm, &[]).unwrap_err();
    assert_eq!(error.to_string(), "spec.template is required and missing");
}

#[test]
fn a_value_of_another_type_is_named() {
    let mut vm = plain();
    vm["spec"]["template"]["spec"]["domain"]["machine"] = json!("q35");
    let error = create(Release::V1_9, &vm, &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "spec.template.spec.domain.machine is not a mapping"
    );
    assert_eq!(causes(Err(error))[0].0, "spec.template.spec.domain.machine");
}
