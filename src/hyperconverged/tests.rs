//! What the recordings do not ask: words of refusals, releases without recordings, what is beside the configuration.

use serde_json::{Value as Json, json};

use super::*;

fn object(annotations: &Json, spec: &Json) -> Node {
    Node::from_json(&json!({
        "apiVersion": "hco.kubevirt.io/v1beta1", "kind": "HyperConverged",
        "metadata": {"name": "kubevirt-hyperconverged", "annotations": annotations}, "spec": spec,
    }))
}

fn written(release: OpenShift, annotations: &Json, spec: &Json) -> Node {
    kubevirt(&object(annotations, spec), release, Nodes::Several).unwrap()
}

#[test]
fn only_its_own_kind_is_one() {
    assert!(is_hyperconverged(&object(&json!({}), &json!({}))));
    for (api, kind) in [
        ("hco.kubevirt.io/v1", "Other"),
        ("kubevirt.io/v1", "HyperConverged"),
    ] {
        let other = json!({"apiVersion": api, "kind": kind});
        assert!(!is_hyperconverged(&Node::from_json(&other)), "{api} {kind}");
    }
}

#[test]
fn every_release_has_masquerade_and_host_devices() {
    for release in OpenShift::TARGETS.iter().copied().chain([OpenShift::Next]) {
        let written = written(release, &json!({}), &json!({}));
        let at = |path: &str| written.path(path);
        assert_eq!(
            written.str_at("spec.configuration.network.defaultNetworkInterface"),
            "masquerade"
        );
        let gates = written.items_at("spec.configuration.developerConfiguration.featureGates");
        assert!(
            gates
                .iter()
                .any(|gate| gate.as_str() == Some("HostDevices")),
            "{release}"
        );
        // Live updates came with the operator 1.12.
        let rolls_out = at("spec.configuration.vmRolloutStrategy").is_some();
        assert_eq!(rolls_out, release >= OpenShift::V4_16, "{release}");
        let has_l2bridge = at("spec.configuration.network.binding.l2bridge").is_some();
        assert_eq!(has_l2bridge, release >= OpenShift::V4_17, "{release}");
        let reads_downward = gates
            .iter()
            .any(|gate| gate.as_str() == Some("DownwardMetrics"));
        assert_eq!(reads_downward, release == OpenShift::V4_15, "{release}");
    }
}

#[test]
fn guests_are_migrated_for_updates_unless_the_object_says_otherwise() {
    let methods = |spec: Json| {
        let written = written(OpenShift::V4_20, &json!({}), &spec);
        let methods = written.items_at("spec.workloadUpdateStrategy.workloadUpdateMethods");
        methods
            .iter()
            .filter_map(Node::as_str)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(methods(json!({})), ["LiveMigrate"]);
    assert_eq!(
        methods(json!({"workloadUpdateStrategy": {"batchEvictionSize": 3}})),
        ["LiveMigrate"]
    );
    let evicts = json!({"workloadUpdateStrategy": {"workloadUpdateMethods": ["Evict"]}});
    assert_eq!(methods(evicts), ["Evict"]);
    let none = json!({"workloadUpdateStrategy": {"workloadUpdateMethods": []}});
    assert!(methods(none).is_empty());
}

#[test]
fn an_even_count_of_processors_is_asked_for_by_annotation() {
    let parity = |spec: Json| {
        let written = written(OpenShift::V4_18, &json!({}), &spec);
        written
            .path("metadata.annotations")
            .is_some_and(|of| of.get(EMULATOR_PARITY).is_some())
    };
    assert!(parity(json!({"featureGates": {"alignCPUs": true}})));
    assert!(!parity(json!({"featureGates": {"alignCPUs": false}})));
    assert!(!parity(json!({})));
}

#[test]
fn refusals_say_what_is_wrong() {
    let refusal = |annotations: Json, spec: Json| {
        let object = object(&annotations, &spec);
        kubevirt(&object, OpenShift::V4_19, Nodes::Several)
            .unwrap_err()
            .to_string()
    };
    for (patch, says) in [
        ("", "cannot be applied"),
        ("- op: add", "cannot be applied"),
        (
            r#"[{"op": "add", "path": "/metadata/labels", "value": {}}]"#,
            "it may change `/spec/` only",
        ),
        (
            r#"[{"op": "remove", "path": "/spec/configuration/nothing"}]"#,
            "cannot be applied",
        ),
        (
            r#"[{"op": "add", "path": "/spec/configuration/developerConfiguration/featureGates", "value": "x"}]"#,
            "featureGates is not a list",
        ),
    ] {
        let words = refusal(json!({PATCH: patch}), json!({}));
        assert!(words.contains(says), "{patch}: {words}");
    }
    for (rates, says) in [
        (json!({}), "is missing"),
        (json!({TUNING: "qps=1"}), "is not JSON"),
        (
            json!({TUNING: "{\"qps\": 0, \"burst\": 1}"}),
            "no `qps` above 0",
        ),
        (json!({TUNING: "{\"qps\": 1}"}), "no `burst` above 0"),
    ] {
        let words = refusal(rates, json!({"tuningPolicy": "annotation"}));
        assert!(words.contains(says), "{words}");
    }
}

#[test]
fn a_patch_is_read_back_into_what_it_changes() {
    let patched = |patch: &str| {
        written(
            OpenShift::V4_18,
            &json!({PATCH: patch}),
            &json!({"evictionStrategy": "None"}),
        )
    };
    let removed = patched(r#"[{"op": "remove", "path": "/spec/configuration/evictionStrategy"}]"#);
    assert_eq!(
        removed.str_at("spec.configuration.evictionStrategy"),
        "None"
    );
    let cleared = patched(
        r#"[{"op": "add", "path": "/spec/configuration/evictionStrategy", "value": null}]"#,
    );
    assert!(
        cleared
            .path("spec.configuration.evictionStrategy")
            .is_none()
    );
    let merged = patched(
        r#"[{"op": "replace", "path": "/spec/configuration", "value": {"cpuModel": "EPYC"}}]"#,
    );
    assert_eq!(merged.str_at("spec.configuration.cpuModel"), "EPYC");
    assert_eq!(merged.str_at("spec.configuration.evictionStrategy"), "None");
    let staged = patched(
        r#"[{"op": "replace", "path": "/spec/configuration/vmRolloutStrategy", "value": "Stage"}]"#,
    );
    assert_eq!(
        staged.str_at("spec.configuration.vmRolloutStrategy"),
        "Stage"
    );
}
