//! Field groups of an instance type.

use serde_json::json;

use super::{conflicts, expanded, sized, spec};
use crate::release::Release;
use crate::transform::expand::ExpandError;

#[test]
fn every_cpu_field_and_the_first_memory_field_conflict_in_kubevirt_s_order() {
    let vm = json!({
        "nodeSelector": {"a": "b"}, "schedulerName": "mine",
        "domain": {
            "cpu": {"sockets": 1, "cores": 2, "threads": 1, "model": "host-model", "dedicatedCpuPlacement": true,
                "isolateEmulatorThread": true, "numa": {}, "realtime": {}},
            "memory": {"guest": "1Gi", "maxGuest": "2Gi"},
            "resources": {"requests": {"cpu": "0", "memory": "1Gi"}, "limits": {"cpu": "1"}},
            "ioThreads": {"supplementalPoolThreadCount": 2}, "ioThreadsPolicy": "auto", "launchSecurity": {},
            "devices": {"gpus": [{"name": "g"}], "hostDevices": [{"name": "h"}]}}});
    let instancetype = json!({
        "nodeSelector": {"c": "d"}, "schedulerName": "theirs",
        "cpu": {"guest": 4, "model": "host-passthrough", "dedicatedCPUPlacement": false,
            "isolateEmulatorThread": true, "numa": {}, "realtime": {}},
        "memory": {"guest": "1Gi", "maxGuest": "4Gi"},
        "ioThreads": {"supplementalPoolThreadCount": 4}, "ioThreadsPolicy": "shared", "launchSecurity": {},
        "gpus": [{"name": "g", "deviceName": "d"}], "hostDevices": [{"name": "h", "deviceName": "d"}]});
    assert_eq!(
        conflicts(Release::V1_9, &vm, instancetype),
        [
            "nodeSelector",
            "schedulerName",
            "domain.resources.requests.cpu",
            "domain.resources.limits.cpu",
            "domain.cpu.sockets",
            "domain.cpu.cores",
            "domain.cpu.threads",
            "domain.cpu.model",
            "domain.cpu.dedicatedCPUPlacement",
            "domain.cpu.isolateEmulatorThread",
            "domain.cpu.numa",
            "domain.cpu.realtime",
            "domain.memory.guest",
            "domain.ioThreads.supplementalPoolThreadCount",
            "domain.ioThreadsPolicy",
            "domain.launchSecurity",
            "domain.devices.gpus",
            "domain.devices.hostDevices",
        ]
    );
}

#[test]
fn what_the_instance_type_does_not_set_is_no_conflict() {
    let expanded = spec(
        &json!({"domain": {"cpu": {"model": "host-model", "dedicatedCpuPlacement": true, "numa": {}, "sockets": 0},
            "memory": {"hugepages": {"pageSize": "2Mi"}}}}),
        Some(sized(2)),
        None,
    );
    assert_eq!(
        expanded["domain"]["cpu"],
        json!({"model": "host-model", "dedicatedCpuPlacement": true, "numa": {}, "cores": 1, "sockets": 2, "threads": 1})
    );
}

#[test]
fn a_conflict_reads_as_the_api_server_says_it_and_points_at_the_document() {
    let vm = json!({"domain": {"cpu": {"dedicatedCpuPlacement": true, "cores": 2}}});
    let instancetype =
        json!({"cpu": {"guest": 1, "dedicatedCPUPlacement": true}, "memory": {"guest": "1Gi"}});
    let Err(ExpandError::Conflicts(conflicts)) =
        expanded(Release::V1_9, &vm, Some(instancetype), None)
    else {
        panic!("no conflicts")
    };
    assert_eq!(
        conflicts.to_string(),
        "VM field(s) spec.template.spec.domain.cpu.cores, spec.template.spec.domain.cpu.dedicatedCPUPlacement \
         conflicts with selected instance type"
    );
    assert_eq!(
        conflicts.0[1].field.to_string(),
        "spec.template.spec.domain.cpu.dedicatedCpuPlacement"
    );
    assert_eq!(
        conflicts.causes()[0].message,
        "VM field(s) spec.template.spec.domain.cpu.cores conflicts with selected instance type"
    );
}

#[test]
fn annotations_conflict_only_when_they_differ() {
    let release = Release::V1_9;
    let instancetype = json!({"cpu": {"guest": 1}, "memory": {"guest": "1Gi"},
        "annotations": {"b/x": "1", "a/y": "1", "same": "1", "new": "1"}});
    let mut vm = super::vm(&json!({}), true, false);
    vm["spec"]["template"]["metadata"] =
        json!({"annotations": {"b/x": "2", "a/y": "2", "same": "1"}});
    let expand = |vm: &serde_json::Value| {
        super::expanded_with(
            release,
            &super::ClusterConfig::default(),
            vm,
            Some(instancetype.clone()),
            None,
        )
    };
    let Err(ExpandError::Conflicts(conflicts)) = expand(&vm) else {
        panic!("no conflicts")
    };
    let names: Vec<_> = conflicts
        .0
        .iter()
        .map(|conflict| conflict.name.as_str())
        .collect();
    assert_eq!(names, ["annotations.a/y", "annotations.b/x"]);
    assert_eq!(
        conflicts.0[0].field.to_string(),
        "spec.template.metadata.annotations.a/y"
    );
    vm["spec"]["template"]["metadata"] = json!({"annotations": {"same": "1"}});
    let expanded = expand(&vm).unwrap();
    assert_eq!(
        expanded
            .path("spec.template.metadata.annotations")
            .unwrap()
            .entries()
            .len(),
        4
    );
}

#[test]
fn before_1_7_any_memory_of_the_vm_is_one_conflict() {
    let vm = json!({"domain": {"memory": {"maxGuest": "2Gi"}}});
    assert_eq!(conflicts(Release::V1_6, &vm, sized(1)), ["domain.memory"]);
    assert_eq!(
        conflicts(Release::V1_5, &json!({"domain": {"memory": {}}}), sized(1)),
        ["domain.memory"]
    );
    let expanded = spec(&vm, Some(sized(1)), None);
    assert_eq!(
        expanded["domain"]["memory"],
        json!({"maxGuest": "2Gi", "guest": "1Gi"})
    );
}

#[test]
fn hugepages_conflict_when_both_set_them() {
    let vm = json!({"domain": {"memory": {"hugepages": {"pageSize": "2Mi"}}, "resources": {"limits": {"memory": "1Gi"}}}});
    let instancetype =
        json!({"cpu": {"guest": 1}, "memory": {"guest": "1Gi", "hugepages": {"pageSize": "1Gi"}}});
    assert_eq!(
        conflicts(Release::V1_9, &vm, instancetype),
        ["domain.memory.hugepages"]
    );
    assert_eq!(
        conflicts(Release::V1_9, &vm, sized(1)),
        ["domain.resources.limits.memory"]
    );
}

#[test]
fn spread_divides_by_the_ratio_and_leaves_no_remainder() {
    let topology = |vcpus: u32, cpu: serde_json::Value| {
        let expanded = spec(
            &json!({}),
            Some(sized(vcpus)),
            Some(json!({"cpu": cpu, "preferSpreadSocketToCoreRatio": 4})),
        );
        let count = |key: &str| expanded["domain"]["cpu"][key].as_i64().unwrap_or_default();
        (count("sockets"), count("cores"), count("threads"))
    };
    let spread = |options: serde_json::Value| json!({"preferredCPUTopology": "spread", "spreadOptions": options});
    assert_eq!(topology(8, spread(json!({}))), (2, 4, 1));
    assert_eq!(topology(8, spread(json!({"ratio": 2}))), (4, 2, 1));
    assert_eq!(topology(3, spread(json!({}))), (0, 4, 1));
    assert_eq!(
        topology(8, spread(json!({"across": "CoresThreads", "ratio": 2}))),
        (1, 4, 2)
    );
    assert_eq!(
        topology(
            8,
            spread(json!({"across": "SocketsCoresThreads", "ratio": 2}))
        ),
        (2, 2, 2)
    );
    assert_eq!(topology(8, spread(json!({"across": "Nodes"}))), (1, 1, 1));
    assert_eq!(topology(1, spread(json!({}))), (1, 1, 1));
    assert_eq!(
        topology(8, json!({"preferredCPUTopology": "diagonal"})),
        (1, 1, 1)
    );
}

#[test]
fn old_and_new_topology_names_mean_the_same() {
    for (old, new) in [
        ("preferCores", "cores"),
        ("preferSockets", "sockets"),
        ("preferThreads", "threads"),
        ("preferSpread", "spread"),
        ("preferAny", "any"),
    ] {
        let with = |name: &str| {
            let preference = json!({"cpu": {"preferredCPUTopology": name}});
            spec(&json!({}), Some(sized(4)), Some(preference))
        };
        assert_eq!(with(old), with(new), "{old}");
    }
}

#[test]
fn overcommit_is_float32_arithmetic() {
    for (guest, percent, request) in [
        ("1Gi", 15, "912680576"),
        ("3Gi", 33, "2158220800"),
        ("7Gi", 99, "75161856"),
        ("512Mi", 7, "499289952"),
        ("16Gi", 15, "14260634Ki"),
        ("64Gi", 3, "65095600Ki"),
        ("1000000000", 50, "500M"),
        ("1Gi", 100, "0"),
    ] {
        let instancetype =
            json!({"cpu": {"guest": 1}, "memory": {"guest": guest, "overcommitPercent": percent}});
        let expanded = spec(&json!({}), Some(instancetype), None);
        assert_eq!(
            expanded["domain"]["resources"]["requests"]["memory"],
            json!(request),
            "{guest} {percent}%"
        );
        assert_eq!(
            expanded["domain"]["memory"]["guest"],
            json!(guest).as_str().map_or(json!(null), |text| {
                json!(crate::resource::quantity::reread(text).unwrap().as_str())
            })
        );
    }
}

#[test]
fn max_sockets_overwrites_the_vm_s_without_conflict() {
    let instancetype = json!({"cpu": {"guest": 4, "maxSockets": 2}, "memory": {"guest": "1Gi"}});
    let expanded = spec(
        &json!({"domain": {"cpu": {"maxSockets": 16}}}),
        Some(instancetype),
        None,
    );
    assert_eq!(expanded["domain"]["cpu"]["maxSockets"], json!(2));
    assert_eq!(expanded["domain"]["cpu"]["sockets"], json!(4));
}

#[test]
fn an_empty_node_selector_of_the_vm_conflicts_and_one_of_the_instance_type_vanishes() {
    let instancetype = |selector| json!({"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}, "nodeSelector": selector});
    let empty = json!({"nodeSelector": {}});
    assert_eq!(
        conflicts(Release::V1_9, &empty, instancetype(json!({}))),
        ["nodeSelector"]
    );
    let expanded = spec(&json!({}), Some(instancetype(json!({}))), None);
    assert!(expanded.get("nodeSelector").is_none());
    assert!(
        spec(&empty, Some(sized(1)), None)
            .get("nodeSelector")
            .is_none()
    );
    let set = spec(&json!({}), Some(instancetype(json!({"a": "b"}))), None);
    assert_eq!(set["nodeSelector"], json!({"a": "b"}));
}

#[test]
fn devices_are_taken_whole() {
    let instancetype = json!({"cpu": {"guest": 1}, "memory": {"guest": "1Gi"},
        "gpus": [{"name": "g", "deviceName": "nvidia.com/A"}, {"name": "h", "deviceName": "nvidia.com/B"}],
        "hostDevices": [{"name": "n", "deviceName": "intel.com/qat"}]});
    let expanded = spec(&json!({}), Some(instancetype.clone()), None);
    assert_eq!(expanded["domain"]["devices"]["gpus"], instancetype["gpus"]);
    assert_eq!(
        expanded["domain"]["devices"]["hostDevices"],
        instancetype["hostDevices"]
    );
}
