//! What the CRDs of the kinds beside virtual machines demand: their structural schemas as JSON Schemas, without a word of
//! their descriptions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde_json::{Map, Value, json};

use crate::go::{GoFile, unquote, walk};
use crate::release;

/// Where each project's CRDs come from.
#[derive(Debug, clap::Args)]
pub struct Trees {
    /// A source tree of KubeVirt; may repeat, as the others: what any of them knows is known
    #[arg(long, value_name = "DIR", required = true)]
    kubevirt: Vec<PathBuf>,
    /// A source tree of CDI
    #[arg(long, value_name = "DIR", required = true)]
    cdi: Vec<PathBuf>,
    /// A source tree of the HyperConverged operator
    #[arg(long, value_name = "DIR", required = true)]
    hyperconverged: Vec<PathBuf>,
    /// A source tree of network-attachment-definition-client
    #[arg(long, value_name = "DIR", required = true)]
    networks: Vec<PathBuf>,
}

const KUBEVIRT: &str = "pkg/virt-operator/resource/generate/components/validations_generated.go";
const TEMPLATES: &str =
    "pkg/virt-operator/resource/generate/components/data/virt-template/install-virt-operator.yaml";
const CDI: &str = "pkg/operator/resources/crds_generated.go";
const HYPERCONVERGED: &str = "deploy/crds/hco00.crd.yaml";
const NETWORKS: &str = "artifacts/networks-crd.yaml";

/// KubeVirt's kinds that the field table does not have: the name of the schema, the kind, its group and its versions.
const OF_KUBEVIRT: [(&str, &str, &str, &[&str]); 9] = [
    (
        "migrationpolicy",
        "MigrationPolicy",
        "migrations.kubevirt.io",
        &["v1alpha1"],
    ),
    ("plugin", "Plugin", "plugin.kubevirt.io", &["v1alpha1"]),
    (
        "virtualmachinebackup",
        "VirtualMachineBackup",
        "backup.kubevirt.io",
        &["v1alpha1"],
    ),
    (
        "virtualmachinebackuptracker",
        "VirtualMachineBackupTracker",
        "backup.kubevirt.io",
        &["v1alpha1"],
    ),
    (
        "virtualmachineclone",
        "VirtualMachineClone",
        "clone.kubevirt.io",
        &["v1alpha1", "v1beta1"],
    ),
    (
        "virtualmachineexport",
        "VirtualMachineExport",
        "export.kubevirt.io",
        &["v1", "v1alpha1", "v1beta1"],
    ),
    (
        "virtualmachineinstancemigration",
        "VirtualMachineInstanceMigration",
        "kubevirt.io",
        &["v1", "v1alpha3"],
    ),
    (
        "virtualmachinerestore",
        "VirtualMachineRestore",
        "snapshot.kubevirt.io",
        &["v1alpha1", "v1beta1"],
    ),
    (
        "virtualmachinesnapshot",
        "VirtualMachineSnapshot",
        "snapshot.kubevirt.io",
        &["v1alpha1", "v1beta1"],
    ),
];

/// The schemas by `group/version/Kind`.
pub type Kinds = BTreeMap<String, Value>;

/// Reads the schemas of every project.
pub fn read(trees: &Trees) -> anyhow::Result<Kinds> {
    let mut kinds = Kinds::new();
    for tree in &trees.kubevirt {
        let schemas = texts(tree, KUBEVIRT)?;
        for (name, kind, group, versions) in OF_KUBEVIRT {
            // An older release lacks the newer kinds.
            let Some(text) = schemas.get(name) else {
                continue;
            };
            let file: Value =
                crate::yaml::one(text).with_context(|| format!("{KUBEVIRT}: {name}"))?;
            for version in versions {
                let key = format!("{group}/{version}/{kind}");
                put(&mut kinds, key, whole(&file["openAPIV3Schema"]));
            }
        }
    }
    for tree in &trees.cdi {
        for (name, text) in texts(tree, CDI)? {
            let crd: Value = crate::yaml::one(&text).with_context(|| format!("{CDI}: {name}"))?;
            add(&crd, &mut kinds)?;
        }
    }
    for (trees, file) in [
        (&trees.kubevirt, TEMPLATES),
        (&trees.hyperconverged, HYPERCONVERGED),
        (&trees.networks, NETWORKS),
    ] {
        let path = |tree: &PathBuf| tree.join(file);
        for path in trees.iter().map(path).filter(|path| path.is_file()) {
            for document in crate::yaml::all::<Value>(&release::read(&path)?)
                .with_context(|| path.display().to_string())?
            {
                if document["kind"] == "CustomResourceDefinition" {
                    add(&document, &mut kinds)?;
                }
            }
        }
    }
    Ok(kinds)
}

/// Adds a schema to what other releases say of the kind.
fn put(kinds: &mut Kinds, key: String, schema: Value) {
    match kinds.get_mut(&key) {
        Some(known) => loosen(known, &schema),
        None => {
            kinds.insert(key, schema);
        }
    }
}

/// Makes a schema take what another one takes too.
fn loosen(known: &mut Value, other: &Value) {
    if known == other {
        return;
    }
    let (Value::Object(known), Value::Object(other)) = (known, other) else {
        return;
    };
    known.retain(|key, of| match (key.as_str(), other.get(key)) {
        ("properties", Some(Value::Object(more))) => {
            if let Value::Object(fields) = of {
                for (name, field) in more {
                    match fields.get_mut(name) {
                        Some(held) => loosen(held, field),
                        None => {
                            fields.insert(name.clone(), field.clone());
                        }
                    }
                }
                fields.sort_keys();
            }
            true
        }
        ("properties", None) => true,
        ("items" | "additionalProperties", Some(more)) => {
            loosen(of, more);
            of.is_object() || of == more
        }
        ("required", Some(Value::Array(more))) => {
            if let Value::Array(names) = of {
                names.retain(|name| more.contains(name));
            }
            true
        }
        ("enum", Some(Value::Array(more))) => {
            if let Value::Array(words) = of {
                let new: Vec<Value> = more
                    .iter()
                    .filter(|word| !words.contains(word))
                    .cloned()
                    .collect();
                words.extend(new);
            }
            true
        }
        (_, more) => more == Some(of),
    });
}

/// The file: one kind a line.
pub fn write(kinds: &Kinds) -> String {
    let lines: Vec<String> = kinds
        .iter()
        .map(|(key, schema)| format!("{}:{schema}", json!(key)))
        .collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

/// What differs between two files, a line each.
pub fn differences(old: &Kinds, new: &Kinds) -> Vec<String> {
    let mut lines = Vec::new();
    for key in old.keys().filter(|key| !new.contains_key(*key)) {
        lines.push(format!("{key} is gone"));
    }
    for (key, schema) in new {
        match old.get(key) {
            None => lines.push(format!("{key} is new")),
            Some(old) if old != schema => lines.push(format!("{key} differs")),
            Some(_) => {}
        }
    }
    lines
}

/// The texts of a Go file's map of texts, by key.
fn texts(tree: &Path, file: &str) -> anyhow::Result<BTreeMap<String, String>> {
    let go = GoFile::parse(file, release::read(&tree.join(file))?)?;
    let mut texts = BTreeMap::new();
    walk(go.root(), &mut |node| {
        if node.kind() != "keyed_element" {
            return true;
        }
        let mut literals = Vec::new();
        walk(node, &mut |inner| {
            let is_text = inner.kind().ends_with("string_literal");
            if is_text {
                literals.push(unquote(go.text(inner)));
            }
            !is_text
        });
        if let Some((key, rest)) = literals.split_first() {
            texts.insert(key.clone(), rest.concat());
        }
        false
    });
    if texts.is_empty() {
        bail!("{}: {file} holds no schema", tree.display());
    }
    Ok(texts)
}

/// Adds every served version of a CRD.
fn add(crd: &Value, kinds: &mut Kinds) -> anyhow::Result<()> {
    let spec = &crd["spec"];
    let (Some(group), Some(kind)) = (spec["group"].as_str(), spec["names"]["kind"].as_str()) else {
        bail!("a CRD names no group or kind");
    };
    for version in spec["versions"].as_array().into_iter().flatten() {
        if version["served"] == true
            && let Some(name) = version["name"].as_str()
        {
            let key = format!("{group}/{name}/{kind}");
            put(kinds, key, whole(&version["schema"]["openAPIV3Schema"]));
        }
    }
    Ok(())
}

/// The schema of a whole object: what the API server itself sees to is left open.
fn whole(schema: &Value) -> Value {
    let mut slim = slim(schema);
    if let Some(properties) = slim["properties"].as_object_mut() {
        properties.insert("apiVersion".to_owned(), json!({"type": "string"}));
        properties.insert("kind".to_owned(), json!({"type": "string"}));
        properties.insert("metadata".to_owned(), json!({"type": "object"}));
        properties.insert("status".to_owned(), json!({}));
    }
    slim
}

/// Keywords that mean the same in a JSON Schema.
const KEPT: [&str; 12] = [
    "enum",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "pattern",
    "required",
    "type",
];

/// The structural facts of a schema. A field that no property names is refused, where the API server drops it.
fn slim(schema: &Value) -> Value {
    let mut out = Map::new();
    for key in KEPT {
        if let Some(value) = schema.get(key) {
            out.insert(key.to_owned(), value.clone());
        }
    }
    for key in ["allOf", "anyOf", "oneOf"] {
        if let Some(all) = schema.get(key).and_then(Value::as_array) {
            out.insert(key.to_owned(), all.iter().map(part).collect());
        }
    }
    if schema["x-kubernetes-int-or-string"] == true {
        out.remove("type");
        out.insert(
            "anyOf".to_owned(),
            json!([{"type": "integer"}, {"type": "string"}]),
        );
    }
    if schema["nullable"] == true
        && let Some(kind) = out.get("type").cloned()
    {
        out.insert("type".to_owned(), json!([kind, "null"]));
    }
    if let Some(items) = schema.get("items") {
        out.insert("items".to_owned(), slim(items));
    }
    let preserves = schema["x-kubernetes-preserve-unknown-fields"] == true;
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        let held: Map<String, Value> = properties
            .iter()
            .map(|(name, of)| (name.clone(), slim(of)))
            .collect();
        // What has a default is never missing.
        if let Some(required) = out.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| {
                let of = name.as_str().and_then(|name| properties.get(name));
                of.is_none_or(|of| of.get("default").is_none())
            });
        }
        out.insert("properties".to_owned(), Value::Object(held));
        if !preserves {
            out.insert("additionalProperties".to_owned(), json!(false));
        }
    }
    if let Some(values) = schema
        .get("additionalProperties")
        .filter(|of| of.is_object())
    {
        out.insert("additionalProperties".to_owned(), slim(values));
    }
    out.sort_keys();
    Value::Object(out)
}

/// A part of a choice: it closes nothing by itself.
fn part(schema: &Value) -> Value {
    let mut slim = slim(schema);
    if let Some(map) = slim.as_object_mut() {
        map.remove("additionalProperties");
    }
    slim
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_keeps_its_facts_and_no_words() {
        let schema = json!({
            "description": "words", "type": "object", "required": ["a", "b"],
            "properties": {
                "a": {"type": "string", "description": "words", "default": "x"},
                "b": {"type": "integer", "minimum": 1, "nullable": true},
                "c": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]},
                "d": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {}},
                "e": {"type": "object", "additionalProperties": {"type": "string", "description": "words"}}
            }
        });
        assert_eq!(
            slim(&schema),
            json!({
                "type": "object", "required": ["b"], "additionalProperties": false,
                "properties": {
                    "a": {"type": "string"},
                    "b": {"type": ["integer", "null"], "minimum": 1},
                    "c": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
                    "d": {"type": "object", "properties": {}},
                    "e": {"type": "object", "additionalProperties": {"type": "string"}}
                }
            })
        );
    }

    #[test]
    fn what_one_release_takes_is_taken() {
        let of = |schema: Value| {
            let mut kinds = Kinds::new();
            put(&mut kinds, "a".to_owned(), slim(&schema));
            kinds
        };
        let mut kinds = of(json!({
            "type": "object", "required": ["a", "b"],
            "properties": {"a": {"type": "string", "enum": ["x"]}, "b": {"type": "integer", "minimum": 1}}
        }));
        let newer = json!({
            "type": "object", "required": ["a"],
            "properties": {"a": {"type": "string", "enum": ["x", "y"]}, "b": {"type": "integer"}, "c": {}}
        });
        put(&mut kinds, "a".to_owned(), slim(&newer));
        assert_eq!(
            kinds["a"],
            json!({
                "type": "object", "required": ["a"], "additionalProperties": false,
                "properties": {"a": {"type": "string", "enum": ["x", "y"]}, "b": {"type": "integer"}, "c": {}}
            })
        );
    }

    #[test]
    fn what_changed_is_said() {
        let of = |text: &str| serde_json::from_str::<Kinds>(text).unwrap();
        let old = of(r#"{"a": 1, "b": 2}"#);
        let new = of(r#"{"b": 3, "c": 4}"#);
        assert_eq!(
            differences(&old, &new),
            ["a is gone", "b differs", "c is new"]
        );
        assert_eq!(of(&write(&new)), new);
    }
}
