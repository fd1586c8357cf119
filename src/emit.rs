//! Resources as text: a YAML stream, a `v1 List` in JSON.

pub mod diff;
pub mod file_name;
pub mod order;
pub mod patches;

use serde_json::json;

use crate::word::words;
use crate::yaml::{self, Node};

words! {
    /// How resources are written.
    #[derive(Default)]
    Syntax {
        /// One document a resource, with `---` before each but the first.
        #[default]
        Yaml = "yaml",
        /// One `v1 List`.
        Json = "json",
    }
}

/// Every resource in one text.
pub fn emit_all<'a>(syntax: Syntax, resources: impl IntoIterator<Item = &'a Node>) -> String {
    match syntax {
        Syntax::Yaml => emit_yaml(resources),
        Syntax::Json => emit_json(resources),
    }
}

/// A stream of documents.
fn emit_yaml<'a>(resources: impl IntoIterator<Item = &'a Node>) -> String {
    let texts: Vec<_> = resources.into_iter().map(yaml::emit::to_string).collect();
    texts.join("---\n")
}

/// A `v1 List` of the resources.
fn emit_json<'a>(resources: impl IntoIterator<Item = &'a Node>) -> String {
    let items: Vec<_> = resources.into_iter().map(Node::to_json).collect();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    format!("{list:#}\n")
}

#[cfg(test)]
mod tests;
