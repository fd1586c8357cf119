//! One test a behaviour; the recordings in fixtures/conformance hold the other cases.

mod instancetype;
mod preference;
mod properties;
mod requirements;

use serde_json::{Value as Json, json};

use super::{ExpandError, expand_stored};
use crate::catalog::Catalog;
use crate::cause::Refusal;
use crate::config::Target;
use crate::field_path::FieldPath;
use crate::release::Release;
use crate::resolve::Resolver;
use crate::resource::Resource;
use crate::resource::cluster::ClusterConfig;
use crate::yaml::Node;

/// A VM with that VMI spec, and what names its instance type and preference.
fn vm(spec: &Json, instancetype: bool, preference: bool) -> Json {
    let mut vm = json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "vm"},
        "spec": {"runStrategy": "Halted", "template": {"spec": spec}}});
    if instancetype {
        vm["spec"]["instancetype"] = json!({"name": "it"});
    }
    if preference {
        vm["spec"]["preference"] = json!({"name": "pr"});
    }
    vm
}

/// Expands a VM spec with an instance type spec and a preference spec, where given.
fn expanded(
    release: Release,
    spec: &Json,
    instancetype: Option<Json>,
    preference: Option<Json>,
) -> Result<Node, ExpandError> {
    expanded_with(
        release,
        &ClusterConfig::default(),
        &vm(spec, instancetype.is_some(), preference.is_some()),
        instancetype,
        preference,
    )
}

fn expanded_with(
    release: Release,
    configuration: &ClusterConfig,
    vm: &Json,
    instancetype: Option<Json>,
    preference: Option<Json>,
) -> Result<Node, ExpandError> {
    let object = |kind: &str, name: &str, spec: Json| {
        let object = json!({"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": kind,
            "metadata": {"name": name}, "spec": spec});
        Resource::from_node(Node::from_json(&object), None, 0, FieldPath::root()).unwrap()
    };
    let objects = [
        instancetype.map(|spec| object("VirtualMachineClusterInstancetype", "it", spec)),
        preference.map(|spec| object("VirtualMachineClusterPreference", "pr", spec)),
    ];
    let catalog = Catalog::new(objects.into_iter().flatten().collect());
    let target = Target {
        release,
        configuration: configuration.clone(),
        ..Target::default()
    };
    expand_stored(
        &Node::from_json(vm),
        "default",
        &Resolver::new(&target, vec![&catalog]),
    )
}

/// The expanded VMI spec, on the newest release.
fn spec(spec: &Json, instancetype: Option<Json>, preference: Option<Json>) -> Json {
    let vm = expanded(Release::V1_9, spec, instancetype, preference).unwrap();
    vm.path("spec.template.spec").unwrap().to_json()
}

/// The names of the conflicts, without their base.
fn conflicts(release: Release, spec: &Json, instancetype: Json) -> Vec<String> {
    match expanded(release, spec, Some(instancetype), None) {
        Err(ExpandError::Conflicts(conflicts)) => conflicts
            .0
            .iter()
            .map(|conflict| {
                let name = conflict.name.as_str();
                name.strip_prefix("spec.template.spec.")
                    .unwrap_or(name)
                    .to_owned()
            })
            .collect(),
        other => panic!("no conflicts: {other:?}"),
    }
}

/// An instance type of so many vCPUs.
fn sized(vcpus: u32) -> Json {
    json!({"cpu": {"guest": vcpus}, "memory": {"guest": "1Gi"}})
}

#[test]
fn a_vm_without_matchers_is_left_as_it_is() {
    let vm = expanded(Release::V1_9, &json!({"domain": {}}), None, None).unwrap();
    assert_eq!(
        vm.to_json()["spec"],
        json!({"runStrategy": "Halted", "template": {}})
    );
}

#[test]
fn disks_and_interface_come_before_the_preference_and_defaults_after() {
    let expanded = spec(
        &json!({"domain": {"devices": {}}, "volumes": [
            {"name": "root", "containerDisk": {"image": "reg:5000/x"}},
            {"name": "data", "containerDisk": {"image": "x"}}]}),
        Some(sized(2)),
        Some(
            json!({"devices": {"preferredDiskBus": "virtio", "preferredInterfaceModel": "virtio",
            "preferredInterfaceMasquerade": {}, "preferredAutoattachPodInterface": false}}),
        ),
    );
    assert_eq!(
        expanded,
        json!({
            "domain": {
                "devices": {
                    "disks": [{"name": "root", "disk": {"bus": "virtio"}}, {"name": "data", "disk": {"bus": "virtio"}}],
                    "interfaces": [{"name": "default", "bridge": {}, "model": "virtio"}],
                    "autoattachPodInterface": false
                },
                "cpu": {"cores": 1, "sockets": 2, "threads": 1},
                "memory": {"guest": "1Gi"},
                "machine": {"type": "q35"}
            },
            "volumes": [
                {"name": "root", "containerDisk": {"image": "reg:5000/x", "imagePullPolicy": "IfNotPresent"}},
                {"name": "data", "containerDisk": {"image": "x", "imagePullPolicy": "Always"}}],
            "networks": [{"name": "default", "pod": {}}],
            "architecture": "amd64",
            "evictionStrategy": "None"
        })
    );
}

#[test]
fn what_defaults_write_names_its_writer() {
    let vm = expanded(Release::V1_9, &json!({"domain": {}}), Some(sized(1)), None).unwrap();
    let writer = |path: &str| match vm.path(path).unwrap().origin {
        crate::yaml::Origin::Written(writer) => *writer.0,
        other => panic!("{path}: {other:?}"),
    };
    assert_eq!(
        writer("spec.template.spec.architecture"),
        "setDefaultArchitecture"
    );
    assert_eq!(
        writer("spec.template.spec.domain.machine.type"),
        "setDefaultMachineType"
    );
    assert_eq!(
        writer("spec.template.spec.networks"),
        "SetDefaultNetworkInterface"
    );
}

#[test]
fn a_vm_without_memory_is_left_with_an_empty_mapping() {
    let expanded = spec(&json!({}), None, Some(json!({})));
    assert_eq!(expanded["domain"]["memory"], json!({}));
    assert_eq!(
        expanded["domain"]["cpu"],
        json!({"sockets": 1, "cores": 1, "threads": 1})
    );
}

#[test]
fn limits_requests_and_hugepages_stand_in_for_what_is_missing() {
    let limited = spec(
        &json!({"domain": {"resources": {"limits": {"cpu": "1500m", "memory": "2Gi"}}}}),
        None,
        Some(json!({})),
    );
    assert_eq!(limited["domain"]["cpu"]["sockets"], json!(2));
    assert_eq!(limited["domain"]["memory"]["guest"], json!("2Gi"));
    assert_eq!(
        limited["domain"]["resources"]["requests"],
        json!({"cpu": "1500m"})
    );
    let huge = spec(
        &json!({"domain": {"memory": {"hugepages": {"pageSize": "1024Mi"}}}}),
        None,
        Some(json!({})),
    );
    assert_eq!(huge["domain"]["memory"]["guest"], json!("1Gi"));
}

#[test]
fn up_to_1_5_the_memory_request_follows_guest_memory_and_overcommit() {
    let configuration = ClusterConfig::known(Node::from_json(
        &json!({"developerConfiguration": {"memoryOvercommit": 150}}),
    ));
    let request = |release| {
        let vm = vm(
            &json!({"domain": {"memory": {"guest": "2Gi"}}}),
            false,
            true,
        );
        let vm = expanded_with(release, &configuration, &vm, None, Some(json!({}))).unwrap();
        vm.str_at("spec.template.spec.domain.resources.requests.memory")
            .to_owned()
    };
    assert_eq!(request(Release::V1_5), "1431655765");
    assert_eq!(request(Release::V1_6), "");
}

#[test]
fn the_configured_interface_is_written_or_refused() {
    let expand = |network: Json| {
        let configuration = ClusterConfig::known(Node::from_json(&json!({"network": network})));
        expanded_with(
            Release::V1_9,
            &configuration,
            &vm(&json!({}), true, false),
            Some(sized(1)),
            None,
        )
    };
    let masquerade = expand(json!({"defaultNetworkInterface": "masquerade"})).unwrap();
    assert_eq!(
        masquerade
            .path("spec.template.spec.domain.devices.interfaces")
            .unwrap()
            .to_json(),
        json!([{"name": "default", "masquerade": {}}])
    );
    for (network, message) in [
        (
            json!({"permitBridgeInterfaceOnPodNetwork": false}),
            "bridge interface is not enabled in kubevirt-config",
        ),
        (
            json!({"defaultNetworkInterface": "slirp"}),
            "slirp interface is deprecated as of v1.3",
        ),
    ] {
        assert_eq!(expand(network).unwrap_err().to_string(), message);
    }
}

#[test]
fn machine_types_follow_the_preferred_architecture() {
    for (preferred, machine) in [
        ("arm64", "virt"),
        ("s390x", "s390-ccw-virtio"),
        ("amd64", "q35"),
    ] {
        let preference = json!({"preferredArchitecture": preferred});
        let expanded = spec(&json!({}), Some(sized(1)), Some(preference.clone()));
        assert_eq!(expanded["architecture"], json!(preferred));
        assert_eq!(expanded["domain"]["machine"]["type"], json!(machine));
        let old =
            super::tests::expanded(Release::V1_6, &json!({}), Some(sized(1)), Some(preference))
                .unwrap();
        assert_eq!(old.str_at("spec.template.spec.architecture"), "amd64");
    }
}

#[test]
fn what_would_crash_kubevirt_is_refused_and_said() {
    let crash = |vm: &Json, preference: Json| match expanded_with(
        Release::V1_9,
        &ClusterConfig::default(),
        vm,
        Some(sized(4)),
        Some(preference),
    ) {
        Err(ExpandError::Refused(Refusal::Crash { message })) => message,
        other => panic!("no crash: {other:?}"),
    };
    let features = json!({"cpu": {"preferredCPUFeatures": [{"name": "vmx"}]}});
    assert_eq!(
        crash(&vm(&json!({}), false, true), features),
        "the preference has cpu.preferredCPUFeatures and the VM has no domain.cpu"
    );
    let mut templateless = vm(&json!({}), true, true);
    templateless["spec"]
        .as_object_mut()
        .unwrap()
        .remove("template");
    assert_eq!(
        crash(&templateless, json!({})),
        "the VM has no spec.template"
    );
    let ratio = json!({"cpu": {"preferredCPUTopology": "spread", "spreadOptions": {"ratio": 0}}});
    assert_eq!(
        crash(&vm(&json!({}), true, true), ratio),
        "the preference spreads vCPUs by a ratio of zero"
    );
}

#[test]
fn a_value_of_the_wrong_type_is_placed() {
    let error = expanded(
        Release::V1_9,
        &json!({"domain": {"cpu": {"cores": "two"}}}),
        Some(sized(1)),
        None,
    );
    assert_eq!(
        error.unwrap_err().to_string(),
        "spec.template.spec.domain.cpu.cores is not a whole number"
    );
}
