//! One file sorted: its resources, its other documents, and what cannot be read.

use smol_str::SmolStr;

use super::{Input, SideFile, SkipReason, Skipped, Unidentified};
use crate::catalog::kustomization;
use crate::catalog::root::{Exempt, RootLayout};
use crate::catalog::template;
use crate::field_path::FieldPath;
use crate::resource::Resource;
use crate::source::Sources;
use crate::yaml::{self, Node, Value};

/// What one file holds.
pub(super) struct Parsed {
    pub(super) file: SideFile,
    pub(super) resources: Vec<Resource>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) loose: Vec<Unidentified>,
    pub(super) broken: Vec<yaml::Error>,
    /// Whether another side parsed the file.
    pub(super) is_taken_over: bool,
}

impl Parsed {
    pub(super) fn new(sources: &Sources, input: Input, layout: &RootLayout) -> Self {
        let source = sources.file(input.file);
        let mut parsed = Self {
            file: SideFile {
                id: input.file,
                role: input.role,
                root: layout.root_of(source.place()),
                documents: Vec::new(),
            },
            resources: Vec::new(),
            skipped: Vec::new(),
            loose: Vec::new(),
            broken: Vec::new(),
            is_taken_over: false,
        };
        if let Some(exempt) = layout.exempt(source.place()) {
            let is_other =
                exempt == Exempt::Kustomization && !layout.is_kustomization(source.place());
            if !is_other {
                parsed.skip(None, SkipReason::Exempt(exempt));
                return parsed;
            }
        }
        let stream = yaml::parse(input.file, source.bytes());
        let mut documents = Vec::new();
        for document in stream.documents {
            match document {
                Ok(document) => documents.push(document),
                Err(error) => parsed.broken.push(error),
            }
        }
        let mark = if parsed.broken.is_empty() {
            documents
                .iter()
                .filter(|document| is_ours(&document.root))
                .find_map(|document| template::mark_in_tree(source, &document.root))
        } else {
            template::mark_in_text(source.bytes())
        };
        if let Some(mark) = mark {
            parsed.broken.clear();
            let reason = SkipReason::Template {
                mark: mark.text,
                engine: mark.engine,
                at: u32::try_from(mark.at).unwrap_or(u32::MAX),
            };
            parsed.skip(None, reason);
            return parsed;
        }
        let may_patch = memchr::memmem::find(source.bytes(), b"$patch").is_some();
        for mut document in documents {
            let root = std::mem::replace(&mut document.root, Node::new(Value::Null));
            let left = parsed.take(root, document.index, FieldPath::root(), may_patch);
            document.root = left.unwrap_or_else(|| Node::new(Value::Null));
            parsed.file.documents.push(document);
        }
        parsed
    }

    fn skip(&mut self, document: Option<usize>, reason: SkipReason) {
        self.skipped.push(Skipped {
            file: self.file.id,
            document,
            reason,
        });
    }

    /// Sorts one object in: a List gives its items, anything without a name is loose. Gives what is left of a List.
    fn take(
        &mut self,
        mut node: Node,
        document: usize,
        prefix: FieldPath,
        may_patch: bool,
    ) -> Option<Node> {
        if node.is_null() {
            return None;
        }
        let (api_version, kind) = (node.get("apiVersion").is_some(), node.get("kind").is_some());
        if !api_version && !kind {
            self.skip(Some(document), SkipReason::NotKubernetes);
            return None;
        }
        if is_list(&node) && node.get("sops").is_some() {
            self.skip(Some(document), SkipReason::EncryptedList);
            return None;
        }
        if is_list(&node) {
            let of: SmolStr = node.str_at("kind").trim_end_matches("List").into();
            let version: SmolStr = node.str_at("apiVersion").into();
            let items = node.get_mut("items").and_then(Node::items_mut);
            for (at, mut item) in items
                .map(std::mem::take)
                .unwrap_or_default()
                .into_iter()
                .enumerate()
            {
                name_item(&mut item, &of, &version);
                let prefix = prefix.field("items").index(at);
                self.take(item, document, prefix, may_patch);
            }
            return Some(node);
        }
        if may_patch && kustomization::has_patch_directive(&node) {
            self.skip(Some(document), SkipReason::PatchDirective);
            return None;
        }
        if is_local_config(&node) {
            self.skip(Some(document), SkipReason::LocalConfig);
            return None;
        }
        match Resource::from_node(node, Some(self.file.id), document, prefix.clone()) {
            Ok(resource) => self.resources.push(resource),
            Err(node) => self.loose.push(Unidentified {
                file: self.file.id,
                document,
                prefix,
                node,
            }),
        }
        None
    }
}

/// Whether a document is a `v1 List` or a typed list such as `VirtualMachineList`.
fn is_list(node: &Node) -> bool {
    node.str_at("kind").ends_with("List")
        && node.path("metadata.name").is_none()
        && matches!(
            node.get("items").map(|items| &items.value),
            Some(Value::Seq(_) | Value::Null)
        )
}

/// Gives an item of a typed list the kind that the list implies.
fn name_item(item: &mut Node, kind: &str, version: &str) {
    let Some(map) = item.as_map_mut().filter(|_| !kind.is_empty()) else {
        return;
    };
    if map.get("apiVersion").is_none() && map.get("kind").is_none() {
        map.insert("apiVersion", Node::string(version));
        map.insert("kind", Node::string(kind));
    }
}

fn is_local_config(node: &Node) -> bool {
    let annotation = FieldPath::root()
        .field("metadata")
        .field("annotations")
        .field("config.kubernetes.io/local-config");
    annotation
        .find(node)
        .is_some_and(|value| value.as_str() != Some("false"))
}

/// Whether a document, or an item of it, is of a kind whose text driftless judges: a template mark in it is a template.
fn is_ours(node: &Node) -> bool {
    let version = node.str_at("apiVersion");
    let kind = node.str_at("kind");
    let group = version.split('/').next().unwrap_or_default();
    // A template of its own kind names its parameters, and is made with them.
    group.ends_with("kubevirt.io") && kind != "VirtualMachineTemplate"
        || matches!(
            kind,
            "PersistentVolumeClaim" | "VolumeSnapshot" | "ControllerRevision"
        )
        || node.items_at("items").iter().any(is_ours)
}
