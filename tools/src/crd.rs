//! What a release's CRDs demand of a value beside its type: the schemas that its operator installs, which are YAML in
//! strings of a Go file.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, bail};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::go::{GoFile, unquote, walk};
use crate::release::ReleaseTree;
use crate::table::Column;

/// Where the schemas lie in a source tree.
const PATH: &str = "pkg/virt-operator/resource/generate/components/validations_generated.go";

/// The schemas by lower-case kind: `virtualmachine`.
pub struct Crds {
    schemas: BTreeMap<String, Schema>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    #[serde(rename = "openAPIV3Schema")]
    schema: Schema,
}

/// A node of a structural schema, as far as the table wants it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Schema {
    properties: BTreeMap<String, Self>,
    items: Option<Box<Self>>,
    additional_properties: Option<Box<Self>>,
    r#enum: Option<Vec<Value>>,
    max_items: Option<u64>,
    min_items: Option<u64>,
    max_length: Option<u64>,
    min_length: Option<u64>,
    maximum: Option<Value>,
    minimum: Option<Value>,
    pattern: Option<String>,
    default: Option<Value>,
    #[serde(rename = "x-kubernetes-int-or-string")]
    is_int_or_string: bool,
    #[serde(rename = "x-kubernetes-preserve-unknown-fields")]
    preserves: bool,
    #[serde(rename = "x-kubernetes-validations")]
    rules: Vec<Rule>,
}

#[derive(Debug, Deserialize)]
struct Rule {
    rule: String,
    #[serde(default)]
    message: String,
}

impl Crds {
    /// Reads the schemas of a source tree.
    pub fn read(tree: &ReleaseTree) -> anyhow::Result<Self> {
        let file = GoFile::parse(PATH, tree.read(PATH)?)?;
        let mut texts = Vec::new();
        walk(file.root(), &mut |node| {
            if node.kind() != "keyed_element" {
                return true;
            }
            let mut literals = Vec::new();
            walk(node, &mut |inner| {
                if matches!(
                    inner.kind(),
                    "raw_string_literal" | "interpreted_string_literal"
                ) {
                    literals.push(unquote(file.text(inner)));
                    return false;
                }
                true
            });
            // A text that holds a backquote is several literals joined.
            if let Some((kind, rest)) = literals.split_first() {
                texts.push((kind.clone(), rest.concat()));
            }
            false
        });
        let mut schemas = BTreeMap::new();
        for (kind, text) in texts {
            let file: File = crate::yaml::one(&text).with_context(|| format!("{PATH}: {kind}"))?;
            schemas.insert(kind, file.schema);
        }
        if schemas.is_empty() {
            bail!("{}/{PATH} holds no schema", tree.path().display());
        }
        Ok(Self { schemas })
    }

    /// Writes `limits`, `default` and `preserve` into a column. `kinds` are the types of whole objects, by lower-case kind.
    pub fn limit(&self, column: &mut Column, kinds: &[(String, String)]) -> anyhow::Result<()> {
        let mut found = Limits::default();
        for (kind, type_name) in kinds {
            let schema = self
                .schemas
                .get(kind)
                .with_context(|| format!("{PATH} has no schema for {kind}"))?;
            found.walk(column, type_name, schema, &["status", "metadata"]);
        }
        for ((type_name, field), limits) in found.0 {
            let mut limits = limits.into_iter();
            let (Some(one), None) = (limits.next(), limits.next()) else {
                bail!("the CRDs limit {type_name}.{field} in more than one way");
            };
            if one != "{}"
                && let Some(form) = column
                    .get_mut(&type_name)
                    .and_then(|fields| fields.get_mut(&field))
            {
                form.extend(serde_json::from_str::<Map<_, _>>(&one)?);
            }
        }
        Ok(())
    }
}

/// The limits of a field, in every place that an object has its type: as JSON text, so that equal ones are one.
#[derive(Default)]
struct Limits(BTreeMap<(String, String), BTreeSet<String>>);

impl Limits {
    fn walk(&mut self, column: &Column, type_name: &str, schema: &Schema, but: &[&str]) {
        let Some(fields) = column.get(type_name) else {
            return;
        };
        for (name, schema) in &schema.properties {
            if but.contains(&name.as_str()) {
                continue;
            }
            let Some(of) = fields
                .get(name)
                .and_then(|form| form.get("type"))
                .and_then(Value::as_str)
            else {
                continue;
            };
            self.0
                .entry((type_name.to_owned(), name.clone()))
                .or_default()
                .insert(schema.demands().to_string());
            self.inside(column, of, schema);
        }
    }

    fn inside(&mut self, column: &Column, of: &str, schema: &Schema) {
        if let Some(of) = of.strip_prefix("map[]") {
            if let Some(schema) = &schema.additional_properties {
                self.inside(column, of, schema);
            }
        } else if let Some(of) = of.strip_prefix("[]") {
            if let Some(schema) = &schema.items {
                self.inside(column, of, schema);
            }
        } else {
            self.walk(column, of, schema, &[]);
        }
    }
}

impl Schema {
    /// What the CRD says of a field beside its type, by the table's keys.
    fn demands(&self) -> Value {
        let mut demands = Map::new();
        let limits = self.limits();
        if limits != json!({}) {
            demands.insert("limits".to_owned(), limits);
        }
        // Go cannot tell an empty text from none.
        if let Some(default) = self
            .default
            .as_ref()
            .filter(|default| **default != json!(""))
        {
            demands.insert("default".to_owned(), default.clone());
        }
        if self.preserves {
            let all = if self.properties.is_empty() {
                "all"
            } else {
                "fields"
            };
            demands.insert("preserve".to_owned(), all.into());
        }
        Value::Object(demands)
    }

    /// The demands, by the CRD's own keys.
    fn limits(&self) -> Value {
        let mut limits = Map::new();
        let mut add = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                limits.insert(key.to_owned(), value);
            }
        };
        add("enum", self.r#enum.as_ref().map(|words| json!(words)));
        add("maxItems", self.max_items.map(Value::from));
        add("minItems", self.min_items.map(Value::from));
        add("maxLength", self.max_length.map(Value::from));
        add("minLength", self.min_length.map(Value::from));
        add("maximum", self.maximum.clone());
        add("minimum", self.minimum.clone());
        // The pattern of a quantity is its type.
        if !self.is_int_or_string {
            add("pattern", self.pattern.clone().map(Value::from));
        }
        let rules: Vec<_> = self
            .rules
            .iter()
            .map(|of| json!({"message": of.message, "rule": of.rule}))
            .collect();
        add("rules", (!rules.is_empty()).then(|| json!(rules)));
        Value::Object(limits)
    }
}
