//! Accessors over defaults, by release.

use serde_json::json;

use super::*;

fn config(json: &serde_json::Value) -> ClusterConfig {
    ClusterConfig::known(Node::from_json(json))
}

#[test]
fn an_empty_configuration_is_kubevirts_defaults() {
    for config in [ClusterConfig::default(), config(&json!({}))] {
        assert_eq!(config.default_architecture(), "amd64");
        assert_eq!(config.machine_type("amd64", Release::V1_9), "q35");
        assert_eq!(config.machine_type("arm64", Release::V1_9), "virt");
        assert_eq!(
            config.machine_type("s390x", Release::V1_5),
            "s390-ccw-virtio"
        );
        assert_eq!(config.machine_type("ppc64le", Release::V1_6), "pseries");
        assert_eq!(config.machine_type("ppc64le", Release::V1_7), "q35");
        assert_eq!(
            config.emulated_machines("amd64", Release::V1_9),
            ["q35*", "pc-q35*"]
        );
        assert_eq!(config.cpu_request().to_string(), "100m");
        assert_eq!(config.memory_overcommit(), 100);
        assert_eq!(config.eviction_strategy(), "None");
        assert_eq!(config.default_network_interface(), "bridge");
        assert!(config.permits_bridge_on_pod_network());
        assert!(!config.rolls_out_live(Release::V1_5));
        assert!(!config.rolls_out_live(Release::V1_4));
        assert!(config.rolls_out_live(Release::V1_6));
        assert_eq!(config.max_hotplug_ratio(), 4);
        assert_eq!(config.max_cpu_sockets(), 0);
        assert_eq!(config.max_guest(), None);
        assert_eq!(
            config.reference_policy(Release::V1_9),
            ReferencePolicy::Reference
        );
    }
    assert!(!ClusterConfig::default().is_known());
}

#[test]
fn a_machine_type_for_all_beats_the_one_of_an_architecture() {
    let some = config(&json!({
        "architectureConfiguration": {
            "amd64": {"machineType": "pc-q35-rhel9.2.0", "emulatedMachines": ["pc-q35-rhel*"]},
            "s390x": {"machineType": "s390-ccw-virtio-rhel9.2.0"},
        },
    }));
    assert_eq!(
        some.machine_type("amd64", Release::V1_9),
        "pc-q35-rhel9.2.0"
    );
    assert_eq!(some.machine_type("s390x", Release::V1_6), "s390-ccw-virtio");
    assert_eq!(
        some.machine_type("s390x", Release::V1_7),
        "s390-ccw-virtio-rhel9.2.0"
    );
    assert_eq!(
        some.emulated_machines("amd64", Release::V1_9),
        ["pc-q35-rhel*"]
    );
    let all = config(&json!({"machineType": "pc-q35-9.0", "emulatedMachines": ["a*"]}));
    assert_eq!(all.machine_type("arm64", Release::V1_9), "pc-q35-9.0");
    assert_eq!(all.emulated_machines("arm64", Release::V1_9), ["a*"]);
}

#[test]
fn the_architecture_is_the_one_the_operator_writes_into_the_status() {
    let object = |spec: serde_json::Value, status: serde_json::Value| {
        let node = Node::from_json(&json!({
            "apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": {"name": "kubevirt"},
            "spec": {"configuration": spec}, "status": status,
        }));
        ClusterConfig::from_resource_node(&node).unwrap()
    };
    let given = json!({"architectureConfiguration": {"defaultArchitecture": "s390x"}});
    let seen = json!({"defaultArchitecture": "arm64"});
    assert_eq!(
        object(given.clone(), seen.clone()).default_architecture(),
        "s390x"
    );
    assert_eq!(object(json!({}), seen).default_architecture(), "arm64");
    assert_eq!(object(json!({}), json!({})).default_architecture(), "amd64");
    assert_eq!(config(&given).default_architecture(), "amd64");
}

#[test]
fn a_bare_configuration_is_read_and_other_objects_are_not() {
    let bare = json!({"cpuModel": "Skylake", "evictionStrategy": "LiveMigrate"});
    for document in [
        bare.clone(),
        json!({"configuration": bare}),
        json!({"spec": {"configuration": bare}}),
    ] {
        let read = ClusterConfig::from_resource_node(&Node::from_json(&document)).unwrap();
        assert_eq!(read.node.str_at("cpuModel"), "Skylake");
        assert!(read.is_known());
    }
    for document in [json!({"kind": "ConfigMap"}), json!([]), json!("x")] {
        assert!(ClusterConfig::from_resource_node(&Node::from_json(&document)).is_none());
    }
}

#[test]
fn one_bad_value_throws_the_whole_configuration_away() {
    let bad = config(&json!({
        "network": {"defaultNetworkInterface": "passt"}, "evictionStrategy": "LiveMigrate",
        "developerConfiguration": {"featureGates": ["Sidecar"]},
    }));
    assert_eq!(
        bad.problem().unwrap(),
        "invalid default-network-interface in config: passt"
    );
    assert!(bad.written("cpuModel").is_none());
    assert!(!bad.gate_enabled("Sidecar", Release::V1_9));
    assert!(
        config(&json!({"developerConfiguration": {"memoryOvercommit": -1}}))
            .problem()
            .is_some()
    );
}

#[test]
fn the_reference_policy_needs_its_gate_in_1_5() {
    let node = json!({"instancetype": {"referencePolicy": "expandAll"}});
    assert_eq!(
        config(&node).reference_policy(Release::V1_5),
        ReferencePolicy::Reference
    );
    assert_eq!(
        config(&node).reference_policy(Release::V1_6),
        ReferencePolicy::ExpandAll
    );
    let gated = json!({
        "instancetype": {"referencePolicy": "expand"},
        "developerConfiguration": {"featureGates": ["InstancetypeReferencePolicy"]},
    });
    assert_eq!(
        config(&gated).reference_policy(Release::V1_5),
        ReferencePolicy::Expand
    );
}

#[test]
fn live_update_is_read_with_zero_as_unset() {
    let set = config(&json!({
        "vmRolloutStrategy": "Stage",
        "liveUpdateConfiguration": {"maxHotplugRatio": 0, "maxCpuSockets": 16, "maxGuest": "32Gi"},
    }));
    assert!(!set.rolls_out_live(Release::V1_9));
    assert_eq!(set.max_hotplug_ratio(), 4);
    assert_eq!(set.max_cpu_sockets(), 16);
    assert_eq!(set.max_guest().unwrap().to_string(), "32Gi");
}

#[test]
fn gates_are_read_from_the_developer_configuration() {
    let set = config(&json!({"developerConfiguration": {
        "featureGates": ["LiveMigration", "Sidecar", "Made-Up"], "disabledFeatureGates": ["PasstBinding"],
    }}));
    assert!(set.gate_enabled("Sidecar", Release::V1_9));
    assert!(!set.gate_enabled("PasstBinding", Release::V1_9));
    assert!(set.lists_gate("Sidecar"));
}

#[test]
fn persistent_reservation_became_a_field() {
    let field = config(&json!({"persistentReservationConfiguration": {"enabled": true}}));
    assert!(field.persistent_reservation_enabled(Release::V1_9));
    assert!(!field.persistent_reservation_enabled(Release::V1_8));
    let gate =
        config(&json!({"developerConfiguration": {"featureGates": ["PersistentReservation"]}}));
    assert!(gate.persistent_reservation_enabled(Release::V1_8));
    assert!(gate.persistent_reservation_enabled(Release::V1_9));
}

#[test]
fn live_update_needs_its_gate_in_1_4_alone() {
    let live = |release, gates: &[&str]| {
        config(&json!({"vmRolloutStrategy": "LiveUpdate", "developerConfiguration": {"featureGates": gates}}))
            .rolls_out_live(release)
    };
    assert!(!live(Release::V1_4, &[]));
    assert!(live(Release::V1_4, &["VMLiveUpdateFeatures"]));
    assert!(live(Release::V1_5, &[]));
    let gated =
        config(&json!({"developerConfiguration": {"featureGates": ["VMLiveUpdateFeatures"]}}));
    assert!(
        !gated.rolls_out_live(Release::V1_4),
        "the strategy is Stage unless it is set"
    );
}
