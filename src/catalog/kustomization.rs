//! What a kustomization names: resources it builds on, and files that look like resources and are not.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use super::path;
use crate::openshift::Platform;
use crate::release::Release;
use crate::release::cdi::CdiRelease;
use crate::source::FileId;
use crate::yaml::{self, Node, Value};

/// File names under which kustomize looks for its file.
pub const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The paths one kustomization names, normal and relative to the working directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kustomization {
    /// Its file.
    pub file: String,
    /// The directory of that file.
    pub directory: String,
    /// Files and directories it builds on: `resources`, `bases`, `components`.
    pub builds_on: BTreeSet<String>,
    /// Files it uses in another way, with the field that names them: patches, generator inputs, configurations.
    pub other: BTreeMap<String, &'static str>,
    /// What it changes in what it builds on, as far as a virtual machine sees it.
    pub changes: Vec<Rewrite>,
    /// The objects that it generates.
    pub generates: Vec<Generated>,
    /// What it installs: tags of operators' images, releases of `KubeVirt` it fetches.
    pub installs: BTreeSet<Platform>,
    /// The releases of CDI that it installs.
    pub installs_cdi: BTreeSet<CdiRelease>,
}

/// An object that a kustomization generates. Kustomize may put a digest after its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// `ConfigMap` or `Secret`.
    pub kind: &'static str,
    /// Its name as written.
    pub name: String,
}

/// A change that a kustomization makes to objects, such as a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// The field that makes it.
    pub field: &'static str,
    /// The file that holds it, where it is not written in the kustomization itself.
    pub file: Option<String>,
    /// The kind of the objects it changes, where it is known.
    pub kind: Option<String>,
    /// The name of the object it changes, where it is known.
    pub name: Option<String>,
}

impl Rewrite {
    /// Whether it may change an object. A name may be a pattern.
    pub fn may_change(&self, kind: &str, name: &str) -> bool {
        let is_literal = |text: &str| {
            text.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        self.kind
            .as_deref()
            .is_none_or(|known| known == kind || !is_literal(known))
            && self
                .name
                .as_deref()
                .is_none_or(|known| known == name || !is_literal(known))
    }
}

/// Whether a document in a file with a kustomization's name is one; Flux has a resource of the same kind.
pub fn is_kustomization(root: &Node) -> bool {
    !root.str_at("apiVersion").starts_with("kustomize.toolkit.")
}

impl Kustomization {
    /// Reads the kustomization in `file`.
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
        read.read_changes(root);
        read.installs = platforms(root);
        read.installs_cdi = installed(root, "cdi-operator", "kubevirt/containerized-data-importer");
        for (field, kind) in [
            ("configMapGenerator", "ConfigMap"),
            ("secretGenerator", "Secret"),
        ] {
            for item in root.items_at(field) {
                read.generates.push(Generated {
                    kind,
                    name: item.str_at("name").to_owned(),
                });
                read.name(item.str_at("env"), field);
                for text in texts(item, "envs").chain(texts(item, "files")) {
                    let file = text.split_once('=').map_or(text, |(_, file)| file);
                    read.name(file, field);
                }
            }
        }
        read
    }

    fn read_changes(&mut self, root: &Node) {
        for field in ["patches", "patchesJson6902"] {
            for item in root.items_at(field) {
                let target = item.get("target");
                let text = |key: &str| {
                    let text = target.map_or("", |target| target.str_at(key));
                    (!text.is_empty()).then(|| text.to_owned())
                };
                let file = item.str_at("path");
                let mut rewrite = Rewrite {
                    field,
                    file: (!file.is_empty()).then(|| path::join(&self.directory, file)),
                    kind: text("kind"),
                    name: text("name"),
                };
                if target.is_none() {
                    rewrite.read_inline(item.str_at("patch"));
                }
                self.changes.push(rewrite);
            }
        }
        for text in texts(root, "patchesStrategicMerge") {
            let is_inline = text.contains('\n');
            let mut rewrite = Rewrite {
                field: "patchesStrategicMerge",
                file: (!is_inline).then(|| path::join(&self.directory, text)),
                kind: None,
                name: None,
            };
            if is_inline {
                rewrite.read_inline(text);
            }
            self.changes.push(rewrite);
        }
        for field in [
            "replacements",
            "vars",
            "transformers",
            "generators",
            "helmCharts",
        ] {
            if !root.items_at(field).is_empty() {
                self.changes.push(Rewrite {
                    field,
                    file: None,
                    kind: None,
                    name: None,
                });
            }
        }
    }

    fn name(&mut self, text: &str, field: &'static str) {
        if !text.is_empty() && !text.contains('\n') {
            self.other.insert(path::join(&self.directory, text), field);
        }
    }
}

impl Rewrite {
    /// What a patch written as text says of the object it is for.
    pub fn read_inline(&mut self, text: &str) {
        let first = yaml::parse(FileId(u32::MAX), text.as_bytes())
            .documents
            .into_iter()
            .next();
        if let Some(Ok(document)) = first {
            self.read_patch(&document.root);
        }
    }

    /// What a patch says of the object it is for.
    pub fn read_patch(&mut self, patch: &Node) {
        let text = |path: &str| {
            let text = patch.str_at(path);
            (!text.is_empty()).then(|| text.to_owned())
        };
        self.kind = self.kind.take().or_else(|| text("kind"));
        self.name = self.name.take().or_else(|| text("metadata.name"));
    }
}

/// The releases that a kustomization installs: tags of that operator's image, and what it fetches from that repository.
fn installed<R: FromStr + Ord>(root: &Node, operator: &str, repository: &str) -> BTreeSet<R> {
    let images = root.items_at("images").iter();
    let tags = images
        .filter(|image| image.str_at("name").ends_with(operator))
        .map(|image| image.str_at("newTag"));
    let place = format!("{repository}/releases/download/");
    let fetched = texts(root, "resources")
        .filter_map(|url| url.split_once(place.as_str()))
        .filter_map(|(_, rest)| rest.split('/').next());
    tags.chain(fetched)
        .filter_map(|tag| tag.parse().ok())
        .collect()
}

/// What a kustomization installs of `KubeVirt`, by its own operator or by the HyperConverged one.
fn platforms(root: &Node) -> BTreeSet<Platform> {
    let releases: BTreeSet<Release> = installed(root, "virt-operator", "kubevirt/kubevirt");
    let images = root.items_at("images").iter();
    let hyperconverged = images
        .filter(|image| {
            image
                .str_at("name")
                .ends_with("hyperconverged-cluster-operator")
        })
        .filter_map(|image| Platform::of_operator(image.str_at("newTag")));
    let releases = releases.into_iter().map(Platform::from);
    releases.chain(hyperconverged).collect()
}

fn texts<'a>(node: &'a Node, field: &str) -> impl Iterator<Item = &'a str> {
    node.items_at(field).iter().filter_map(Node::as_str)
}

/// Whether the tree has a `$patch` directive: the document is then a patch, whatever names it.
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
    fn a_kustomization_tells_what_it_changes_and_what_it_installs() {
        let root = Node::from_json(&json!({
            "resources": ["https://github.com/kubevirt/kubevirt/releases/download/v1.6.3/kubevirt-operator.yaml"],
            "images": [{"name": "quay.io/kubevirt/virt-operator", "newTag": "v1.7.1"}, {"name": "x", "newTag": "v1.8.0"}],
            "patches": [
                {"path": "cpu.yaml", "target": {"kind": "VirtualMachine", "name": "web-.*"}},
                {"patch": "kind: Deployment\nmetadata: {name: web}\n"},
            ],
            "namePrefix": "x-",
        }));
        let read = Kustomization::read("a/kustomization.yaml", &root);
        let shown: Vec<_> = read
            .installs
            .iter()
            .map(|platform| platform.release.as_str())
            .collect();
        assert_eq!(shown, ["1.6", "1.7"]);
        let may = |kind, name| {
            let may = read
                .changes
                .iter()
                .filter(|change| change.may_change(kind, name));
            may.count()
        };
        assert_eq!(may("VirtualMachine", "web"), 1);
        assert_eq!(may("Deployment", "web"), 1);
        assert_eq!(may("Deployment", "db"), 0);
        assert_eq!(read.changes[0].file.as_deref(), Some("a/cpu.yaml"));
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
