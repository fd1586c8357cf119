//! A document with an identity.

pub mod cluster;
pub mod quantity;

use std::fmt;

use smol_str::SmolStr;

use crate::field_path::FieldPath;
use crate::source::FileId;
use crate::yaml::Node;

/// What makes a resource itself: group and kind, namespace, name. The version does not count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceId {
    /// API group; empty for the core group.
    pub group: SmolStr,
    /// Kind as written.
    pub kind: SmolStr,
    /// Namespace as written; `None` for cluster-scoped kinds and where the file names none.
    pub namespace: Option<SmolStr>,
    /// Name; empty where the file has only `generateName`.
    pub name: SmolStr,
}

impl fmt::Display for ResourceId {
    /// `VirtualMachine vms/web`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "{} {namespace}/{}", self.kind, self.name),
            None => write!(f, "{} {}", self.kind, self.name),
        }
    }
}

/// A document (or an item of a List) that has apiVersion, kind and a name.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Its identity.
    pub id: ResourceId,
    /// `apiVersion` as written.
    pub api_version: SmolStr,
    /// The tree, from the resource's own root.
    pub node: Node,
    /// Its source; `None` for the built-in bundle and values made in memory.
    pub file: Option<FileId>,
    /// Index of the document in its file.
    pub document: usize,
    /// The path of the resource in its document: empty, or `items[3]` inside a List.
    pub prefix: FieldPath,
}

/// Group and version of an `apiVersion`; the group is empty for the core group.
pub fn group_version(api_version: &str) -> (&str, &str) {
    api_version.rsplit_once('/').unwrap_or(("", api_version))
}

impl Resource {
    /// The resource of a tree, when it has the three fields that make one.
    pub fn from_node(
        node: Node,
        file: Option<FileId>,
        document: usize,
        prefix: FieldPath,
    ) -> Result<Self, Node> {
        let text = |path| node.path(path).and_then(Node::as_str);
        let (Some(api_version), Some(kind)) = (text("apiVersion"), text("kind")) else {
            return Err(node);
        };
        let name = text("metadata.name").unwrap_or_default();
        if name.is_empty() && text("metadata.generateName").is_none() {
            return Err(node);
        }
        let id = ResourceId {
            group: group_version(api_version).0.into(),
            kind: kind.into(),
            namespace: text("metadata.namespace")
                .filter(|namespace| !namespace.is_empty())
                .map(Into::into),
            name: name.into(),
        };
        let api_version = api_version.into();
        Ok(Self {
            id,
            api_version,
            node,
            file,
            document,
            prefix,
        })
    }

    /// The version part of `apiVersion`.
    pub fn version(&self) -> &str {
        group_version(&self.api_version).1
    }

    /// Whether this is of that group and kind.
    pub fn is(&self, group: &str, kind: &str) -> bool {
        self.id.group == group && self.id.kind == kind
    }

    /// The namespace, or the one assumed for objects without.
    pub fn namespace_or<'a>(&'a self, assumed: &'a str) -> &'a str {
        self.id.namespace.as_deref().unwrap_or(assumed)
    }
}
