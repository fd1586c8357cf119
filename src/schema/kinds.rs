//! JSON Schemas of the kinds beside virtual machines, and of the user's own: each is compiled when the first object of its
//! kind is met.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use jsonschema::Validator;
use jsonschema::error::{TypeKind, ValidationError, ValidationErrorKind};
use jsonschema::paths::LocationSegment;
use serde_json::Value as Json;
use serde_json::value::RawValue;

use crate::field_path::FieldPath;
use crate::yaml::{Node, Value};

/// Schemas by `group/version/Kind`.
#[derive(Debug, Default)]
pub struct Kinds(BTreeMap<String, Kind>);

#[derive(Debug)]
struct Kind {
    text: Box<RawValue>,
    compiled: OnceLock<Option<Compiled>>,
}

#[derive(Debug)]
struct Compiled {
    schema: Json,
    validator: Validator,
}

/// What an object does that its schema does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Where.
    pub path: FieldPath,
    /// What.
    pub kind: MisfitKind,
}

/// The kinds of [`Misfit`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MisfitKind {
    /// The schema has no such field: the API server drops it.
    UnknownField {
        /// The fields that it has there.
        known: Vec<String>,
    },
    /// The field must be written and is not.
    Missing,
    /// The value is of another type.
    WrongType {
        /// What the schema wants, in words.
        expected: String,
    },
    /// The value is none that the schema lists.
    NotListed {
        /// What it lists.
        allowed: Vec<String>,
    },
    /// The value breaks another demand.
    BeyondLimit {
        /// The demand, in words that do not repeat the value.
        demand: String,
    },
}

/// A schema that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// The user's file is neither.
    #[error(
        "it is neither a CustomResourceDefinition nor a JSON Schema with `x-kubernetes-group-version-kind`"
    )]
    Neither,
    /// The user's schema is no JSON Schema.
    #[error("the schema of {kind} cannot be used: {reason}")]
    Invalid {
        /// The kind it is for.
        kind: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl Kinds {
    /// The schemas that are built in, read from `schemas/kinds.json` when first asked for.
    pub fn builtin() -> &'static Self {
        static BUILTIN: LazyLock<Kinds> = LazyLock::new(|| {
            let text = include_str!("../../schemas/kinds.json");
            let kinds: BTreeMap<String, Box<RawValue>> =
                serde_json::from_str(text).expect("schemas/kinds.json is an object of schemas");
            let held = kinds.into_iter().map(|(key, text)| (key, Kind::new(text)));
            Kinds(held.collect())
        });
        &BUILTIN
    }

    /// Whether a kind has a schema.
    pub fn has(&self, api_version: &str, kind: &str) -> bool {
        self.0.contains_key(&key(api_version, kind))
    }

    /// Whether there is no schema at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a document of the user's: a CustomResourceDefinition, or a JSON Schema that names its kinds.
    pub fn add(&mut self, document: &Node) -> Result<(), SchemaError> {
        let named = if document.str_at("kind") == "CustomResourceDefinition" {
            of_definition(document)
        } else {
            of_schema(document)
        };
        if named.is_empty() {
            return Err(SchemaError::Neither);
        }
        for (key, schema) in named {
            let invalid = |reason: String| SchemaError::Invalid {
                kind: key.clone(),
                reason,
            };
            jsonschema::validator_for(&schema)
                .map_err(|error| invalid(error.masked().to_string()))?;
            let text = serde_json::value::to_raw_value(&schema)
                .map_err(|error| invalid(error.to_string()))?;
            self.0.insert(key, Kind::new(text));
        }
        Ok(())
    }

    /// What an object does that its schema does not allow, in the order of the schema; `None` where its kind has none.
    pub fn misfits(&self, api_version: &str, kind: &str, node: &Node) -> Option<Vec<Misfit>> {
        let compiled = self.0.get(&key(api_version, kind))?.compiled()?;
        let json = without_nulls(node).to_json();
        let mut misfits = Vec::new();
        for error in compiled.validator.iter_errors(&json) {
            misfits.extend(misfit(&error, &compiled.schema));
        }
        Some(misfits)
    }

    /// Whether the schema of a kind has a field.
    pub(crate) fn knows(&self, api_version: &str, kind: &str, path: &FieldPath) -> bool {
        let held = self.0.get(&key(api_version, kind));
        let compiled = held.and_then(Kind::compiled);
        compiled.is_some_and(|compiled| {
            let pointer = path.to_string();
            let mut parts = pointer.split(['.', '[']);
            let schema = parts.try_fold(&compiled.schema, |schema, part| {
                if part.ends_with(']') {
                    schema.get("items")
                } else {
                    schema.get("properties")?.get(part)
                }
            });
            schema.is_some()
        })
    }
}

impl Kind {
    const fn new(text: Box<RawValue>) -> Self {
        Self {
            text,
            compiled: OnceLock::new(),
        }
    }

    fn compiled(&self) -> Option<&Compiled> {
        let compile = || {
            let schema: Json = serde_json::from_str(self.text.get()).ok()?;
            let validator = jsonschema::validator_for(&schema).ok()?;
            Some(Compiled { schema, validator })
        };
        self.compiled.get_or_init(compile).as_ref()
    }
}

fn key(api_version: &str, kind: &str) -> String {
    format!("{api_version}/{kind}")
}

/// The schemas of a CustomResourceDefinition.
fn of_definition(document: &Node) -> Vec<(String, Json)> {
    let group = document.str_at("spec.group");
    let kind = document.str_at("spec.names.kind");
    let versions = document.items_at("spec.versions").iter();
    let served = versions.filter_map(|version| {
        let schema = version.path("schema.openAPIV3Schema")?.to_json();
        let key = format!("{group}/{}/{kind}", version.str_at("name"));
        Some((key, closed(schema, true)))
    });
    served.collect()
}

/// A JSON Schema for each kind that it names.
fn of_schema(document: &Node) -> Vec<(String, Json)> {
    let named = document.items_at("x-kubernetes-group-version-kind").iter();
    let named = named.map(|of| {
        let group = match of.str_at("group") {
            "" => String::new(),
            group => format!("{group}/"),
        };
        format!("{group}{}/{}", of.str_at("version"), of.str_at("kind"))
    });
    named.map(|key| (key, document.to_json())).collect()
}

/// A structural schema as a JSON Schema: what no property names is refused unless the schema preserves it, and what the
/// API server sees to itself is left open.
fn closed(mut schema: Json, is_whole: bool) -> Json {
    let Json::Object(map) = &mut schema else {
        return schema;
    };
    let is = |map: &serde_json::Map<String, Json>, key: &str| {
        map.get(key).and_then(Json::as_bool).unwrap_or_default()
    };
    if is(map, "nullable")
        && let Some(kind) = map.get("type").cloned()
    {
        map.insert("type".to_owned(), serde_json::json!([kind, "null"]));
    }
    let preserves = is(map, "x-kubernetes-preserve-unknown-fields");
    if let Some(Json::Object(properties)) = map.get_mut("properties") {
        let mut defaulted = Vec::new();
        for (name, field) in properties.iter_mut() {
            if field.get("default").is_some() {
                defaulted.push(name.clone());
            }
            *field = closed(field.take(), false);
        }
        if is_whole {
            for (name, open) in [
                ("metadata", "object"),
                ("apiVersion", "string"),
                ("kind", "string"),
            ] {
                properties.insert(name.to_owned(), serde_json::json!({"type": open}));
            }
            properties.insert("status".to_owned(), serde_json::json!({}));
        }
        if !preserves {
            map.insert("additionalProperties".to_owned(), Json::Bool(false));
        }
        if let Some(Json::Array(required)) = map.get_mut("required") {
            required.retain(|name| {
                !defaulted
                    .iter()
                    .any(|known| name.as_str() == Some(known.as_str()))
            });
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(held) = map.get_mut(key).filter(|held| held.is_object()) {
            *held = closed(held.take(), false);
        }
    }
    schema
}

/// The tree without the nulls that the API server drops.
fn without_nulls(node: &Node) -> Node {
    let mut node = node.clone();
    drop_nulls(&mut node);
    node
}

fn drop_nulls(node: &mut Node) {
    match &mut node.value {
        Value::Map(map) => {
            map.retain(|entry| !entry.node.is_null());
            for entry in map.entries_mut() {
                drop_nulls(&mut entry.node);
            }
        }
        Value::Seq(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

fn misfit(error: &ValidationError<'_>, schema: &Json) -> Vec<Misfit> {
    let mut path = FieldPath::root();
    for segment in error.instance_path() {
        path = match segment {
            LocationSegment::Property(name) => path.field(&name),
            LocationSegment::Index(index) => path.index(index),
        };
    }
    let one = |kind| {
        vec![Misfit {
            path: path.clone(),
            kind,
        }]
    };
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let known = known_fields(schema, error);
            let misfit = |name: &String| Misfit {
                path: path.field(name),
                kind: MisfitKind::UnknownField {
                    known: known.clone(),
                },
            };
            unexpected.iter().map(misfit).collect()
        }
        ValidationErrorKind::Required { property } => vec![Misfit {
            path: path.field(property.as_str().unwrap_or_default()),
            kind: MisfitKind::Missing,
        }],
        ValidationErrorKind::Type { kind } => one(MisfitKind::WrongType {
            expected: expected(kind),
        }),
        ValidationErrorKind::Enum { options } => {
            let words = options.as_array().into_iter().flatten();
            let word = |word: &Json| {
                word.as_str()
                    .map_or_else(|| word.to_string(), str::to_owned)
            };
            one(MisfitKind::NotListed {
                allowed: words.map(word).collect(),
            })
        }
        _ => one(MisfitKind::BeyondLimit {
            demand: error.masked_with("it").to_string(),
        }),
    }
}

/// The fields that the schema has where an unknown one was met.
fn known_fields(schema: &Json, error: &ValidationError<'_>) -> Vec<String> {
    let mut schema = Some(schema);
    for segment in error.instance_path() {
        schema = schema.and_then(|schema| match segment {
            LocationSegment::Property(name) => schema
                .get("properties")
                .and_then(|fields| fields.get(name.as_ref()))
                .or_else(|| schema.get("additionalProperties")),
            LocationSegment::Index(_) => schema.get("items"),
        });
    }
    let fields = schema.and_then(|schema| schema.get("properties"));
    let fields = fields.and_then(Json::as_object);
    fields.map_or_else(Vec::new, |fields| fields.keys().cloned().collect())
}

fn expected(kind: &TypeKind) -> String {
    let word = |kind: &str| match kind {
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "a boolean",
        "array" => "a list",
        "object" => "a mapping",
        "null" => "null",
        _ => "a string",
    };
    match kind {
        TypeKind::Single(kind) => word(&kind.to_string()).to_owned(),
        TypeKind::Multiple(kinds) => {
            let words: Vec<&str> = kinds.iter().map(|kind| word(&kind.to_string())).collect();
            words.join(" or ")
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn met(kinds: &Kinds, json: &Json) -> Vec<String> {
        let node = Node::from_json(json);
        let (version, kind) = (node.str_at("apiVersion"), node.str_at("kind"));
        let misfits = kinds.misfits(version, kind, &node).unwrap();
        misfits
            .into_iter()
            .map(|misfit| {
                let kind = match misfit.kind {
                    MisfitKind::UnknownField { .. } => "unknown".to_owned(),
                    MisfitKind::Missing => "missing".to_owned(),
                    MisfitKind::WrongType { expected } => expected,
                    MisfitKind::NotListed { allowed } => allowed.join(","),
                    MisfitKind::BeyondLimit { .. } => "limit".to_owned(),
                };
                format!("{}: {kind}", misfit.path)
            })
            .collect()
    }

    fn snapshot(spec: &Json) -> Json {
        json!({"apiVersion": "snapshot.kubevirt.io/v1beta1", "kind": "VirtualMachineSnapshot",
            "metadata": {"name": "a"}, "spec": spec})
    }

    #[test]
    fn every_builtin_schema_compiles() {
        for (key, kind) in &Kinds::builtin().0 {
            assert!(kind.compiled().is_some(), "{key}");
        }
    }

    #[test]
    fn an_object_is_held_to_its_schema() {
        let builtin = Kinds::builtin();
        let source = json!({"apiGroup": "kubevirt.io", "kind": "VirtualMachine", "name": "web"});
        assert!(met(builtin, &snapshot(&json!({"source": source}))).is_empty());
        assert_eq!(
            met(builtin, &snapshot(&json!({}))),
            ["spec.source: missing"]
        );
        assert_eq!(
            met(builtin, &snapshot(&json!({"source": source, "sorce": 1}))),
            ["spec.sorce: unknown"]
        );
        assert_eq!(
            met(builtin, &snapshot(&json!({"source": "web"}))),
            ["spec.source: a mapping"]
        );
        // The API server drops a null, and does not look at the status of what is applied.
        assert!(
            met(
                builtin,
                &snapshot(&json!({"source": source, "failureDeadline": null}))
            )
            .is_empty()
        );
        let node = Node::from_json(&json!({}));
        assert!(builtin.misfits("example.com/v1", "Other", &node).is_none());
    }

    #[test]
    fn a_field_that_the_schema_has_is_known() {
        let knows = |path: &str| {
            let path = FieldPath::parse(path);
            Kinds::builtin().knows("cdi.kubevirt.io/v1beta1", "DataVolume", &path)
        };
        assert!(knows("spec.source.http.checksum"));
        assert!(knows("spec.checkpoints[0].current"));
        assert!(!knows("spec.source.http.sum"));
    }

    #[test]
    fn the_user_adds_definitions_and_schemas() {
        let mut kinds = Kinds::default();
        let definition = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "spec": {"group": "example.com", "names": {"kind": "Disk"}, "versions": [{"name": "v1", "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": {"type": "object", "required": ["size", "class"],
                    "properties": {"size": {"type": "integer", "minimum": 1}, "class": {"type": "string", "default": "fast"},
                        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {}}}}}}}}]}});
        kinds.add(&Node::from_json(&definition)).unwrap();
        let disk = |spec: Json| {
            let disk = json!({"apiVersion": "example.com/v1", "kind": "Disk", "metadata": {"name": "a"}, "spec": spec});
            met(&kinds, &disk)
        };
        assert!(disk(json!({"size": 1, "free": {"a": 1}})).is_empty());
        assert_eq!(disk(json!({"size": 0})), ["spec.size: limit"]);
        assert_eq!(disk(json!({"class": "x"})), ["spec.size: missing"]);
        let mut kinds = Kinds::default();
        let schema = json!({"type": "object", "required": ["data"],
            "x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "ConfigMap"}]});
        kinds.add(&Node::from_json(&schema)).unwrap();
        assert_eq!(
            met(&kinds, &json!({"apiVersion": "v1", "kind": "ConfigMap"})),
            ["data: missing"]
        );
    }

    #[test]
    fn what_is_no_schema_is_refused() {
        let refused = |json: Json| {
            let error = Kinds::default().add(&Node::from_json(&json)).unwrap_err();
            error.to_string()
        };
        assert!(refused(json!({"type": "object"})).contains("neither"));
        let named = json!([{"group": "a", "version": "v1", "kind": "B"}]);
        let wrong = refused(json!({"type": "no", "x-kubernetes-group-version-kind": named}));
        assert!(
            wrong.contains("the schema of a/v1/B cannot be used"),
            "{wrong}"
        );
    }
}
