//! What a kustomization names: resources it builds on, and files that are no resources though they look so.

use std::collections::{BTreeMap, BTreeSet};

use super::path;
use crate::yaml::{Node, Value};

/// File names under which kustomize looks for its file.
pub const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The paths one kustomization names, normal and relative to the working directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kustomization {
    /// Its file.
    pub file: String,
    /// Directory it stands in.
    pub directory: String,
    /// Files and directories it builds on: `resources`, `bases`, `components`.
    pub builds_on: BTreeSet<String>,
    /// Files it uses in another way, with the field that names them: patches, generator inputs, configurations.
    pub other: BTreeMap<String, &'static str>,
}

/// Whether a document that stands under a kustomization's file name is one; Flux has a resource of the same kind.
pub fn is_kustomization(root: &Node) -> bool {
    !root.str_at("apiVersion").starts_with("kustomize.toolkit.")
}

impl Kustomization {
    /// Reads the kustomization that stands in `file`.
    pub fn read(file: &str, root: &Node) -> Self {
        let directory = &path::parent(file).unwrap_or_default();
        let mut read = Self {
            file: file.to_owned(),
            directory: directory.clone(),
            ..Self::default()
        };
        for field in ["resources", "bases", "components"] {
            for text in texts(root, field) {
                read.builds_on.insert(path::join(directory, text));
            }
        }
        for field in [
            "patchesStrategicMerge",
            "transformers",
            "generators",
            "validators",
            "configurations",
        ] {
            for text in texts(root, field) {
                read.name(text, field);
            }
        }
        for (field, key) in [
            ("patches", "path"),
            ("patchesJson6902", "path"),
            ("replacements", "path"),
            ("helmCharts", "valuesFile"),
            ("helmChartInflationGenerator", "values"),
        ] {
            for item in root.items_at(field) {
                read.name(item.str_at(key), field);
            }
        }
        for item in root.items_at("helmCharts") {
            for text in texts(item, "additionalValuesFiles") {
                read.name(text, "helmCharts");
            }
        }
        read.name(root.str_at("openapi.path"), "openapi");
        for field in ["configMapGenerator", "secretGenerator"] {
            for item in root.items_at(field) {
                read.name(item.str_at("env"), field);
                for text in texts(item, "envs").chain(texts(item, "files")) {
                    let file = text.split_once('=').map_or(text, |(_, file)| file);
                    read.name(file, field);
                }
            }
        }
        read
    }

    fn name(&mut self, text: &str, field: &'static str) {
        if !text.is_empty() && !text.contains('\n') {
            self.other.insert(path::join(&self.directory, text), field);
        }
    }
}

fn texts<'a>(node: &'a Node, field: &str) -> impl Iterator<Item = &'a str> {
    node.items_at(field).iter().filter_map(Node::as_str)
}

/// Whether a `$patch` directive stands anywhere in the tree: the document is a patch, whatever names it.
pub fn has_patch_directive(node: &Node) -> bool {
    match &node.value {
        Value::Map(map) => map
            .entries()
            .iter()
            .any(|entry| entry.key == "$patch" || has_patch_directive(&entry.node)),
        Value::Seq(items) => items.iter().any(has_patch_directive),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_kustomization_names_resources_and_others() {
        let root = Node::from_json(&json!({
            "resources": ["../../base", "vm.yaml"],
            "components": ["../gpu"],
            "patches": [{"path": "cpu.yaml"}, {"patch": "- op: add"}],
            "patchesStrategicMerge": ["old.yaml", "kind: X\nmetadata: {}"],
            "patchesJson6902": [{"path": "json.yaml"}],
            "configMapGenerator": [{"files": ["seed=seed.yaml", "plain.yaml"]}],
            "openapi": {"path": "schema.json"},
        }));
        let read = Kustomization::read("overlays/west/kustomization.yaml", &root);
        let builds_on: Vec<_> = read.builds_on.iter().map(String::as_str).collect();
        assert_eq!(builds_on, ["base", "overlays/gpu", "overlays/west/vm.yaml"]);
        let other: Vec<_> = read
            .other
            .iter()
            .map(|(path, field)| (path.as_str(), *field))
            .collect();
        assert_eq!(
            other,
            [
                ("overlays/west/cpu.yaml", "patches"),
                ("overlays/west/json.yaml", "patchesJson6902"),
                ("overlays/west/old.yaml", "patchesStrategicMerge"),
                ("overlays/west/plain.yaml", "configMapGenerator"),
                ("overlays/west/schema.json", "openapi"),
                ("overlays/west/seed.yaml", "configMapGenerator"),
            ]
        );
    }

    #[test]
    fn a_patch_directive_is_found_anywhere() {
        assert!(has_patch_directive(&Node::from_json(
            &json!({"spec": {"disks": [{"$patch": "delete"}]}})
        )));
        assert!(!has_patch_directive(&Node::from_json(
            &json!({"spec": "$patch"})
        )));
    }
}
