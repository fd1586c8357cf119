//! What a release's `swagger.json` says of a type's fields.

use std::collections::HashMap;

use anyhow::Context as _;
use serde::Deserialize;

use crate::release::ReleaseTree;

/// Where it lies in a source tree.
const PATH: &str = "api/openapi-spec/swagger.json";

/// The definitions of a release, by their name there.
#[derive(Debug, Default, Deserialize)]
pub struct Swagger {
    definitions: HashMap<String, Definition>,
}

/// One definition.
#[derive(Debug, Default, Deserialize)]
pub struct Definition {
    #[serde(default)]
    required: Vec<String>,
    #[serde(default)]
    properties: HashMap<String, Property>,
}

/// One property, as far as the table wants it.
#[derive(Debug, Default, Deserialize)]
pub struct Property {
    /// The text, which says where a field is deprecated.
    #[serde(default)]
    pub description: String,
    /// The words a value may be.
    #[serde(default, rename = "enum")]
    words: Vec<String>,
    /// The fields that tell the items of a list apart.
    #[serde(default, rename = "x-kubernetes-list-map-keys")]
    pub keys: Vec<String>,
    #[serde(rename = "x-kubernetes-list-type")]
    list_type: Option<String>,
    /// The items of a list.
    items: Option<Box<Self>>,
}

impl Property {
    /// The words that a value may be; of a list, those of its items.
    pub fn words(&self) -> &[String] {
        match &self.items {
            Some(items) if self.words.is_empty() => &items.words,
            _ => &self.words,
        }
    }

    /// Whether a list holds each item once.
    pub fn is_set(&self) -> bool {
        self.list_type.as_deref() == Some("set")
    }
}

impl Swagger {
    /// Reads the definitions of a source tree.
    pub fn read(tree: &ReleaseTree) -> anyhow::Result<Self> {
        let text = tree.read(PATH)?;
        serde_json::from_str(&text).with_context(|| tree.path().join(PATH).display().to_string())
    }

    /// The definition of that name.
    pub fn definition(&self, name: &str) -> Option<&Definition> {
        self.definitions.get(name)
    }
}

impl Definition {
    /// The property of that name.
    pub fn property(&self, name: &str) -> Option<&Property> {
        self.properties.get(name)
    }

    /// Whether the definition requires it.
    pub fn requires(&self, name: &str) -> bool {
        self.required.iter().any(|required| required == name)
    }
}
