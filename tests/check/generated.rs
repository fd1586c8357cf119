//! What is generated from the rules and the settings, kept in step.

use driftless::action::Gate;
use driftless::config::{Config, FieldValidation, INFER_KINDS, Profile};
use driftless::openshift::OpenShift;
use driftless::release::Release;
use driftless::rules;
use serde_json::{Value as Json, json};

use crate::{compare, repository};

/// The JSON Schema of `driftless.yaml`, for editors.
fn json_schema(rules: &[&str]) -> Json {
    let strings = json!({"type": "array", "items": {"type": "string"}});
    let level = json!({"enum": ["off", "note", "warning", "error", false]});
    let profiles: Vec<&str> = Profile::ALL.map(Profile::as_str).to_vec();
    let targets = Release::TARGETS.iter();
    let releases: Vec<&str> = targets.map(|target| target.as_str()).collect();
    let targets = OpenShift::TARGETS.iter();
    let platforms: Vec<&str> = targets.map(|target| target.as_str()).collect();
    let target = [
        (
            "kubevirt",
            json!({"type": ["string", "number"], "description": format!("KubeVirt release of the cluster: {} to {}", Release::OLDEST, Release::NEWEST), "examples": releases}),
        ),
        (
            "openshift",
            json!({"type": ["string", "number"], "description": format!("OpenShift release of the cluster, in place of kubevirt: {} to {}", OpenShift::OLDEST, OpenShift::NEWEST), "examples": platforms}),
        ),
        (
            "clusterConfig",
            json!({"type": "string", "description": "file with a KubeVirt or HyperConverged object or a spec.configuration"}),
        ),
        (
            "namespace",
            json!({"type": "string", "description": "namespace assumed for objects without one"}),
        ),
        (
            "complete",
            json!({"type": "boolean", "description": "whether the tree holds everything the VMs name; a missing reference is then an error"}),
        ),
        (
            "external",
            json!({
                "type": "array", "description": "what the VMs name and the tree does not hold, though it is complete; a target has its own entries and these",
                "items": {
                    "type": "object", "additionalProperties": false, "anyOf": [{"required": ["kinds"]}, {"required": ["names"]}],
                    "properties": {
                        "kinds": {"type": "array", "items": {"type": "string"}, "description": "kinds, such as Secret; all where left out"},
                        "namespaces": {"type": "array", "items": {"type": "string"}, "description": "globs of namespaces; all where left out"},
                        "names": {"type": "array", "items": {"type": "string"}, "description": "globs of names; all where left out"},
                    },
                },
            }),
        ),
        (
            "plan",
            json!({
                "type": "object", "additionalProperties": false, "description": "what fails a plan; a target's own holds for its rows",
                "properties": {
                    "failOn": {"type": "array", "items": {"enum": Gate::ALL.map(Gate::as_str)}, "description": "actions that fail a plan"},
                    "maxDown": {"type": "integer", "minimum": 0, "description": "most guests that may stop because the change is applied"},
                    "maxRestarts": {"type": "integer", "minimum": 0, "description": "most guests that may need a restart"},
                },
            }),
        ),
    ];
    let mut properties = serde_json::Map::new();
    for (name, schema) in &target {
        properties.insert((*name).to_owned(), schema.clone());
    }
    let levels: serde_json::Map<String, Json> = rules
        .iter()
        .map(|rule| ((*rule).to_owned(), level.clone()))
        .collect();
    let one_or_more =
        |values: &Json| json!({"oneOf": [values, {"type": "array", "items": values}]});
    let mut named = properties.clone();
    named.insert(
        "name".into(),
        json!({"type": "string", "description": "name to select it by"}),
    );
    named.insert("paths".into(), strings.clone());
    let matcher = json!({
        "oneOf": [
            {"type": "string"},
            {"type": "object", "required": ["name"], "additionalProperties": false,
             "properties": {"name": {"type": "string"}, "kind": {"type": "string"}}},
        ]
    });
    for (name, schema) in [
        ("profile", {
            let mut profile = one_or_more(&json!({"enum": profiles}));
            profile["description"] = "`strict` turns every rule on; harvester, openshift and forklift stand for the keys those vendors' controllers write, of which none is listed yet".into();
            profile
        }),
        (
            "levels",
            json!({"type": "object", "description": "level of each rule", "properties": levels, "additionalProperties": false}),
        ),
        (
            "exclude",
            json!({"type": "array", "items": {"type": "string"}, "description": "globs of paths that are not read"}),
        ),
        (
            "context",
            json!({"type": "array", "items": {"type": "string"}, "description": "directories to resolve against, not reported on"}),
        ),
        (
            "roots",
            json!({"type": "array", "items": {"type": "string"}, "description": "directories whose resources are judged together"}),
        ),
        (
            "schemas",
            json!({"type": "array", "items": {"type": "string"}, "description": "files with CustomResourceDefinitions or JSON Schemas of other kinds, and directories of such files"}),
        ),
        (
            "fieldValidation",
            json!({"enum": FieldValidation::ALL.map(FieldValidation::as_str), "description": "what happens to fields the API server drops"}),
        ),
        (
            "ignores",
            json!({
                "type": "array", "description": "findings that are not reported, by path",
                "items": {"type": "object", "required": ["paths", "reason"], "additionalProperties": false, "properties": {
                    "rules": {"type": "array", "items": {"enum": rules}},
                    "paths": strings,
                    "reason": {"type": "string", "minLength": 1},
                }},
            }),
        ),
        (
            "infer",
            json!({
                "type": "array", "description": "default instance type and preference of volume sources that are not in the tree",
                "items": {"type": "object", "required": ["kind", "name"], "additionalProperties": false, "properties": {
                    "kind": {"enum": INFER_KINDS.map(|(kind, _)| kind)},
                    "name": {"type": "string"}, "namespace": {"type": "string"},
                    "instancetype": matcher, "preference": matcher,
                }},
            }),
        ),
        (
            "targets",
            json!({
                "type": "array", "description": "clusters this repository is for; settings above are their defaults",
                "items": {"type": "object", "required": ["name"], "additionalProperties": false, "properties": named},
            }),
        ),
    ] {
        properties.insert(name.to_owned(), schema);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "driftless.yaml",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

#[test]
fn the_page_of_rules_is_in_step() {
    compare(&repository("docs/rules.md"), &rules::docs::markdown());
}

#[test]
fn the_schema_of_the_settings_is_in_step() {
    let ids: Vec<&str> = rules::ids().collect();
    let schema = serde_json::to_string_pretty(&json_schema(&ids)).unwrap() + "\n";
    compare(&repository("schemas/config.json"), &schema);
}

#[test]
fn the_schema_of_the_settings_takes_what_is_read() {
    let ids: Vec<&str> = rules::ids().collect();
    let validator = jsonschema::validator_for(&json_schema(&ids)).unwrap();
    let settings = serde_json::json!({
        "kubevirt": 1.9, "clusterConfig": "kubevirt.yaml", "namespace": "vms", "complete": true, "profile": "strict",
        "external": [{"kinds": ["Secret"], "namespaces": ["vms"], "names": ["vault-*"]}],
        "levels": {"runtime-data": "off"}, "exclude": ["old/**"], "context": ["shared"], "roots": ["apps"], "schemas": ["crds"],
        "fieldValidation": "warn", "ignores": [{"rules": ["runtime-data"], "paths": ["a"], "reason": "b"}],
        "infer": [{"kind": "DataSource", "name": "fedora", "preference": "fedora"}],
        "plan": {"failOn": ["data-loss", "start-refused"], "maxDown": 0, "maxRestarts": 5},
        "targets": [{"name": "east", "paths": ["east"], "kubevirt": "1.8", "plan": {"maxDown": 1}}, {"name": "west", "openshift": "4.20"}],
    });
    assert!(
        validator.is_valid(&settings),
        "{:?}",
        validator
            .iter_errors(&settings)
            .map(|e| e.to_string())
            .collect::<Vec<_>>()
    );
    assert!(Config::read(&driftless::yaml::Node::from_json(&settings)).is_ok());
    assert!(!validator.is_valid(&serde_json::json!({"kubevrt": "1.9"})));
}

#[test]
fn every_rule_has_a_case_in_a_folder() {
    for id in rules::ids() {
        let folder = repository("fixtures/check").join(id);
        assert!(folder.is_dir(), "{} is missing", folder.display());
    }
}
