//! How the configuration file is read, and which mistakes are named.

use super::*;

fn read(json: &serde_json::Value) -> Result<Config, Error> {
    Config::read(&Node::from_json(json))
}

#[test]
fn every_setting_is_read() {
    let config = read(&json!({
        "kubevirt": 1.8, "namespace": "vms", "profile": ["strict", "harvester"], "fieldValidation": "warn",
        "levels": {"deprecated-running": false, "runtime-data": "error"},
        "ignores": [{"rules": ["runtime-data"], "paths": ["old/**"], "reason": "kept as exported"}],
        "infer": [{"kind": "DataSource", "name": "fedora", "namespace": "golden", "instancetype": "u1.small",
                   "preference": {"name": "fedora", "kind": "VirtualMachinePreference"}}],
        "targets": [{"name": "east", "kubevirt": "v1.7.2"}, {"name": "west", "complete": true}],
    }))
    .unwrap();
    assert_eq!(config.level("deprecated-running"), Some(Level::Off));
    assert_eq!(config.level("runtime-data"), Some(Level::Error));
    assert!(config.has(Profile::Strict) && !config.has(Profile::Openshift));
    assert_eq!(config.targets()[0].platform, Some(Release::V1_7.into()));
    assert_eq!(config.targets()[1].platform, Some(Release::V1_8.into()));
    assert_eq!(config.targets()[1].namespace.as_deref(), Some("vms"));
    let labels = config.infer[0].node.path("metadata.labels").unwrap();
    assert_eq!(
        labels
            .get("instancetype.kubevirt.io/default-preference-kind")
            .and_then(Node::as_str),
        Some("VirtualMachinePreference")
    );
}

#[test]
fn mistakes_are_named() {
    let cases = [
        (
            json!({"kubevrt": "1.9"}),
            "the configuration has no key `kubevrt`",
        ),
        (
            json!({"kubevirt": "2.0"}),
            "`2.0` is not a KubeVirt release",
        ),
        (json!({"levels": {"a": "warn"}}), "`warn` is not a level"),
        (json!({"levels": []}), "`levels` must be a mapping"),
        (
            json!({"targets": [{"kubevirt": "1.9"}]}),
            "a target needs a `name`",
        ),
        (json!({"ignores": [{"paths": ["a"]}]}), "needs a `reason`"),
        (
            json!({"infer": [{"kind": "Pod", "name": "a"}]}),
            "`kind` must be one of",
        ),
        (
            json!({"complete": "perhaps"}),
            "`complete` must be true or false",
        ),
        (json!([1]), "the configuration must be a mapping"),
    ];
    for (json, message) in cases {
        let error = read(&json).unwrap_err();
        assert!(error.message.contains(message), "{error}");
    }
    let error = read(&json!({"kubevrt": "1.9"})).unwrap_err();
    assert_eq!(error.help.as_deref(), Some("did you mean `kubevirt`?"));
    let config = read(&json!({"levels": {"deprecated-runing": "off"}})).unwrap();
    let error = config
        .verify_rules(["deprecated-running"].into_iter())
        .unwrap_err();
    assert_eq!(
        error.help.as_deref(),
        Some("did you mean `deprecated-running`?")
    );
}

#[test]
fn paths_are_seen_from_the_configuration() {
    let config = Config {
        working_directory: "clusters/east".into(),
        ..Config::default()
    };
    assert_eq!(config.relative("./vm.yaml"), "clusters/east/vm.yaml");
    assert_eq!(config.relative("../west/vm.yaml"), "clusters/west/vm.yaml");
    assert_eq!(config.relative("/abs/vm.yaml"), "/abs/vm.yaml");
    assert_eq!(Config::default().relative("a/./b"), "a/b");
    let config = Config {
        working_directory: "..".into(),
        directory: "sub".into(),
        ..Config::default()
    };
    assert_eq!(config.relative("sub/vm.yaml"), "vm.yaml");
}

#[test]
fn openshift_says_the_release_in_place_of_kubevirt() {
    use crate::openshift::OpenShift;

    let config = |json: &serde_json::Value| Config::read(&Node::from_json(json));
    let read = config(&json!({
        "kubevirt": "1.8",
        "targets": [{"name": "east", "openshift": "4.20"}, {"name": "west"}, {"name": "north", "openshift": 4.18}],
    }))
    .unwrap();
    let platforms: Vec<_> = read
        .targets()
        .iter()
        .map(|target| target.platform)
        .collect();
    assert_eq!(
        platforms,
        [
            Some(OpenShift::V4_20.into()),
            Some(Release::V1_8.into()),
            Some(OpenShift::V4_18.into())
        ]
    );
    for (json, says) in [
        (
            json!({"openshift": "4.18", "kubevirt": "1.4"}),
            "both say the release",
        ),
        (json!({"openshift": 4.2}), "put the release in quotes"),
        (json!({"openshift": "4.14"}), "from OpenShift 4.15 on"),
        (json!({"openshift": "4.99"}), "4.15 to 4.22"),
    ] {
        let message = config(&json).unwrap_err().message;
        assert!(message.contains(says), "{message}");
    }
}
