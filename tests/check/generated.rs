//! What is generated from the rules and the settings, kept in step.

use driftless::{config, rules};

use crate::{compare, repository};

#[test]
fn the_page_of_rules_is_in_step() {
    compare(&repository("docs/rules.md"), &rules::docs::markdown());
}

#[test]
fn the_schema_of_the_settings_is_in_step() {
    let ids: Vec<&str> = rules::ids().collect();
    let schema = serde_json::to_string_pretty(&config::json_schema(&ids)).unwrap() + "\n";
    compare(&repository("schemas/config.json"), &schema);
}

#[test]
fn the_schema_of_the_settings_takes_what_is_read() {
    let ids: Vec<&str> = rules::ids().collect();
    let validator = jsonschema::validator_for(&config::json_schema(&ids)).unwrap();
    let settings = serde_json::json!({
        "kubevirt": 1.9, "clusterConfig": "kubevirt.yaml", "namespace": "vms", "complete": true, "profile": "strict",
        "levels": {"runtime-data": "off"}, "exclude": ["old/**"], "context": ["shared"], "roots": ["apps"],
        "fieldValidation": "warn", "ignores": [{"rules": ["runtime-data"], "paths": ["a"], "reason": "b"}],
        "infer": [{"kind": "DataSource", "name": "fedora", "preference": "fedora"}],
        "plan": {"failOn": ["data-loss", "start-refused"], "maxDown": 0, "maxRestarts": 5},
        "targets": [{"name": "east", "paths": ["east"], "kubevirt": "1.8", "plan": {"maxDown": 1}}],
    });
    assert!(
        validator.is_valid(&settings),
        "{:?}",
        validator
            .iter_errors(&settings)
            .map(|e| e.to_string())
            .collect::<Vec<_>>()
    );
    assert!(config::Config::read(&driftless::yaml::Node::from_json(&settings)).is_ok());
    assert!(!validator.is_valid(&serde_json::json!({"kubevrt": "1.9"})));
}

#[test]
fn every_rule_has_a_case_in_a_folder() {
    for id in rules::ids() {
        let folder = repository("fixtures/check").join(id);
        assert!(folder.is_dir(), "{} is missing", folder.display());
    }
}
