use base64::Engine as _;
use serde_json::json;

use super::*;

fn bare(spec: &str) -> Node {
    let spec = base64::engine::general_purpose::STANDARD.encode(spec);
    Node::from_json(&json!({"apiVersion": "", "spec": spec}))
}

/// D01: data without a kind is the first releases' bare spec.
#[test]
fn a_bare_spec_is_read_preference_first_and_strictly() {
    let stored = read(
        Release::V1_9,
        &bare(r#"{"cpu":{"guest":2},"memory":{"guest":"1Gi"}}"#),
        None,
    )
    .unwrap();
    assert_eq!(
        (stored.form, stored.matcher),
        (Form::BareSpec, Matcher::Instancetype)
    );
    let preference = bare(r#"{"cpu":{"preferredCPUTopology":"preferCores"}}"#);
    let stored = read(Release::V1_9, &preference, None).unwrap();
    assert_eq!(stored.matcher, Matcher::Preference);
    for strict in [
        r#"{"cpu":{"guest":2},"kind":"x"}"#,
        r#"{"cpu":{"guest":2,"guest":3}}"#,
        "not json",
        "[]",
    ] {
        assert_eq!(
            read(Release::V1_9, &bare(strict), None).unwrap_err(),
            StoredError::Untyped("Kind"),
            "{strict}"
        );
    }
}

/// D01: an empty spec reads both ways; the matcher that names the revision settles it.
#[test]
fn an_ambiguous_spec_is_settled_by_the_matcher() {
    for text in ["{}", r#"{"cpu":{}}"#, "null"] {
        let data = bare(text);
        assert_eq!(
            read(Release::V1_9, &data, None).unwrap_err(),
            StoredError::Ambiguous
        );
        for matcher in Matcher::ALL {
            let stored = read(Release::V1_9, &data, Some(matcher)).unwrap();
            assert_eq!((stored.matcher, stored.ambiguous), (matcher, true));
        }
        assert!(is_ours(&data));
        assert!(decode_spec(Release::V1_6, &data, Matcher::Preference).is_ok());
        assert_eq!(
            decode_spec(Release::V1_6, &data, Matcher::Instancetype)
                .unwrap_err()
                .to_string(),
            "unexpected type in ControllerRevision: *v1beta1.VirtualMachinePreference"
        );
    }
}

/// D02: from 1.7 on a cluster reads v1beta1 only.
#[test]
fn older_forms_are_read_here_but_by_no_cluster_since_1_7() {
    let data = Node::from_json(&json!({
        "apiVersion": "instancetype.kubevirt.io/v1alpha2", "kind": "VirtualMachineInstancetype",
        "spec": {"cpu": {"guest": 2}, "memory": {"guest": "1Gi"}},
    }));
    assert!(decode(Release::V1_6, &data).is_ok());
    for release in [Release::V1_7, Release::V1_8, Release::V1_9] {
        let error = decode(release, &data).unwrap_err();
        assert!(matches!(error, StoredError::Unregistered { .. }), "{error}");
        assert_eq!(read(release, &data, None).unwrap().form, Form::V1alpha2);
        assert!(!Form::V1alpha2.decodable(release));
    }
}

/// D03: the conversion keeps the meaning; KubeVirt's own sets three fields nobody set.
#[test]
fn zero_values_are_written_only_as_kubevirt() {
    let data = Node::from_json(&json!({
        "apiVersion": "instancetype.kubevirt.io/v1alpha2", "kind": "VirtualMachineInstancetype",
        "metadata": {"name": "it"},
        "spec": {"cpu": {"guest": 2, "dedicatedCPUPlacement": false}, "memory": {"guest": "1Gi"}},
    }));
    let stored = read(Release::V1_9, &data, None).unwrap();
    assert_eq!(
        stored
            .to_v1beta1(Release::V1_9, Conversion::KeepMeaning)
            .to_json()["spec"],
        json!({"cpu": {"guest": 2}, "memory": {"guest": "1Gi"}})
    );
    assert_eq!(
        stored
            .to_v1beta1(Release::V1_9, Conversion::AsKubevirt)
            .to_json()["spec"]["cpu"],
        json!({"guest": 2, "model": "", "dedicatedCPUPlacement": false, "isolateEmulatorThread": false})
    );
}

/// D09: revisions of VM starts and StatefulSets are not ours.
#[test]
fn revisions_of_others_are_not_ours() {
    for data in [
        json!({"spec": {"template": {"spec": {"domain": {}}}}}),
        json!({"spec": {"template": {"$patch": "replace", "spec": {"containers": []}}}}),
        json!({"spec": "bm90IGpzb24="}),
        json!(null),
        json!("text"),
    ] {
        assert!(!is_ours(&Node::from_json(&data)), "{data}");
    }
    let vm = Node::from_json(&json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine"}));
    assert_eq!(
        decode(Release::V1_9, &vm).unwrap_err().to_string(),
        "unexpected type in ControllerRevision: *v1.VirtualMachine"
    );
    assert!(!is_ours(&vm));
}

#[test]
fn a_matcher_kind_is_read_as_kubevirt_reads_it() {
    let of = |text| Matcher::Instancetype.kind_meant(text);
    assert_eq!(of(""), Some("VirtualMachineClusterInstancetype"));
    assert_eq!(
        of("virtualmachineclusterinstancetypes"),
        Some("VirtualMachineClusterInstancetype")
    );
    assert_eq!(
        of("VirtualMachineInstancetype"),
        Some("VirtualMachineInstancetype")
    );
    assert_eq!(of("VirtualMachinePreference"), None);
}
