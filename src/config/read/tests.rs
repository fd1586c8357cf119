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
    assert_eq!(config.targets()[0].kubevirt, Some(Release::V1_7));
    assert_eq!(config.targets()[1].kubevirt, Some(Release::V1_8));
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
