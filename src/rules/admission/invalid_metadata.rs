//! Metadata that the API server refuses, whatever the kind.

use super::names;
use crate::cause::Cause;
use crate::field_path::FieldPath;
use crate::yaml::Node;

rule! {
    /// ## What it does
    ///
    /// Reports names, namespaces, labels, annotations, finalizers and owner references that the API server refuses.
    ///
    /// ## Why it matters
    ///
    /// The API server validates the metadata of every object before it stores it, whatever the kind: nothing of the object
    /// is applied (`ValidateObjectMetaAccessor`, k8s.io/apimachinery/pkg/api/validation/objectmeta.go). All annotations
    /// together, keys and values, may have 256 KiB.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// metadata:
    ///   name: web_1
    /// ```
    ///
    /// ```text
    /// metadata.name: metadata.name: Invalid value: "web_1": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
    /// ```
    ///
    /// ```yaml,good
    /// metadata:
    ///   name: web-1
    /// ```
    "invalid-metadata": "the API server refuses the metadata"
}

/// Bytes that all annotations of an object may have together.
const ANNOTATIONS: usize = 256 << 10;

/// One objection: the field of the document, and the API server's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Objection {
    /// Where.
    pub(crate) path: FieldPath,
    /// The API server's field and words.
    pub(crate) cause: Cause,
}

/// Collects objections below `metadata`.
struct Objections(Vec<Objection>);

impl Objections {
    fn add(&mut self, field: &str, path: FieldPath, value: Option<&str>, words: &str) {
        let field = format!("metadata.{field}");
        let message = match value {
            Some(value) => format!("{field}: Invalid value: {value:?}: {words}"),
            None => format!("{field}: {words}"),
        };
        self.0.push(Objection {
            path,
            cause: Cause::new(field, message),
        });
    }
}

/// What the API server refuses in the metadata of an object that is created, or updated: then its finalizers stand.
pub(crate) fn check(object: &Node, is_update: bool) -> Vec<Objection> {
    let mut found = Objections(Vec::new());
    let Some(metadata) = object.get("metadata") else {
        return found.0;
    };
    let at = FieldPath::root().field("metadata");
    let generate = metadata.str_at("generateName");
    if !generate.is_empty() {
        for words in names::dns_subdomain(&unmasked(generate)) {
            let path = at.field("generateName");
            found.add("generateName", path, Some(generate), &words);
        }
    }
    let name = metadata.str_at("name");
    if !name.is_empty() {
        for words in names::dns_subdomain(name) {
            found.add("name", at.field("name"), Some(name), &words);
        }
    } else if generate.is_empty() {
        let words = "Required value: name or generateName is required";
        found.add("name", at.field("name"), None, words);
    }
    let namespace = metadata.str_at("namespace");
    if !namespace.is_empty() {
        for words in names::dns_label(namespace) {
            found.add("namespace", at.field("namespace"), Some(namespace), &words);
        }
    }
    let generation = metadata.int_at("generation");
    if generation < 0 {
        let words = "must be greater than or equal to 0";
        let value = generation.to_string();
        found.add("generation", at.field("generation"), Some(&value), words);
    }
    labels(metadata, &at, &mut found);
    annotations(metadata, &at, &mut found);
    owners(metadata, &at, &mut found);
    if !is_update {
        finalizers(metadata, &at, &mut found);
    }
    found.0
}

/// A prefix as a name would be that begins with it: a dash at its end is followed by letters.
fn unmasked(prefix: &str) -> String {
    match prefix.strip_suffix('-') {
        Some(stem) if !stem.is_empty() => {
            let mut stem = stem.to_owned();
            stem.pop();
            stem + "a"
        }
        _ => prefix.to_owned(),
    }
}

fn labels(metadata: &Node, at: &FieldPath, found: &mut Objections) {
    let Some(labels) = metadata.get("labels") else {
        return;
    };
    let at = at.field("labels");
    for label in labels.entries() {
        for words in names::label_key(&label.key) {
            let path = at.field(&label.key);
            found.add("labels", path, Some(&label.key), &words);
        }
        let value = label.node.as_str().unwrap_or_default();
        for words in names::label_value(value) {
            let path = at.field(&label.key);
            found.add("labels", path, Some(value), &words);
        }
    }
}

fn annotations(metadata: &Node, at: &FieldPath, found: &mut Objections) {
    let Some(annotations) = metadata.get("annotations") else {
        return;
    };
    let at = at.field("annotations");
    let mut size = 0;
    for annotation in annotations.entries() {
        let value = annotation.node.as_str().unwrap_or_default();
        size += annotation.key.len() + value.len();
        for words in names::label_key(&annotation.key.to_lowercase()) {
            let path = at.field(&annotation.key);
            found.add("annotations", path, Some(&annotation.key), &words);
        }
    }
    if size > ANNOTATIONS {
        let words = format!("Too long: may not be more than {ANNOTATIONS} bytes");
        found.add("annotations", at, None, &words);
    }
}

fn owners(metadata: &Node, at: &FieldPath, found: &mut Objections) {
    let at = at.field("ownerReferences");
    let mut controller: Option<String> = None;
    for (index, owner) in metadata.items_at("ownerReferences").iter().enumerate() {
        let at = at.index(index);
        let version = owner.str_at("apiVersion");
        let is_versioned = match version.split('/').collect::<Vec<_>>().as_slice() {
            [version] | [_, version] => !version.is_empty(),
            _ => false,
        };
        if !is_versioned {
            let words = "version must not be empty";
            let field = "ownerReferences.apiVersion";
            found.add(field, at.field("apiVersion"), Some(version), words);
        }
        for key in ["kind", "name", "uid"] {
            if owner.str_at(key).is_empty() {
                let field = format!("ownerReferences.{key}");
                found.add(&field, at.field(key), Some(""), "must not be empty");
            }
        }
        if version == "v1" && owner.str_at("kind") == "Event" {
            let words = "/v1, Kind=Event is disallowed from being an owner";
            found.add("ownerReferences", at.clone(), None, words);
        }
        if owner.bool_at("controller") {
            let this = format!("{}/{}", owner.str_at("kind"), owner.str_at("name"));
            match &controller {
                Some(first) => {
                    let words = format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {this}"
                    );
                    found.add("ownerReferences", at, None, &words);
                }
                None => controller = Some(this),
            }
        }
    }
}

fn finalizers(metadata: &Node, at: &FieldPath, found: &mut Objections) {
    let at = at.field("finalizers");
    let finalizers = metadata.items_at("finalizers");
    for (index, finalizer) in finalizers.iter().enumerate() {
        let finalizer = finalizer.as_str().unwrap_or_default();
        for words in names::label_key(finalizer) {
            found.add("finalizers", at.index(index), Some(finalizer), &words);
        }
    }
    let has = |name: &str| finalizers.iter().any(|one| one.as_str() == Some(name));
    if has("orphan") && has("foregroundDeletion") {
        let words = "finalizer orphan and foregroundDeletion cannot be both set";
        found.add("finalizers", at, None, words);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn fields(metadata: &Json) -> Vec<String> {
        let found = check(&Node::from_json(&json!({"metadata": metadata})), false);
        found.into_iter().map(|of| of.cause.field).collect()
    }

    /// AD02: both sides of every limit.
    #[test]
    fn metadata_is_held_as_the_api_server_holds_it() {
        let long = |count: usize| "a".repeat(count);
        let reference = |key: &str, value: Json| {
            let mut owner =
                json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "c", "uid": "u"});
            owner[key] = value;
            json!({"name": "a", "ownerReferences": [owner]})
        };
        for valid in [
            json!({"name": "a"}),
            json!({"name": "a.b-c.1"}),
            json!({"name": long(253)}),
            json!({"generateName": "web-"}),
            json!({"name": "a", "namespace": long(63)}),
            json!({"name": "a", "labels": {"example.com/a_B.c": "", "b": "x.Y_z"}}),
            json!({"name": "a", "labels": {"a": long(63)}}),
            json!({"name": "a", "annotations": {"Example.COM/A": "any text, even {}"}}),
            json!({"name": "a", "annotations": {"a": long((256 << 10) - 1)}}),
            json!({"name": "a", "finalizers": ["example.com/f", "orphan"]}),
            reference("controller", json!(true)),
            reference("apiVersion", json!("apps/v1")),
        ] {
            assert_eq!(fields(&valid), Vec::<String>::new(), "{valid}");
        }
        for (invalid, field) in [
            (json!({"labels": {}}), "name"),
            (json!({"name": "A"}), "name"),
            (json!({"name": "a_b"}), "name"),
            (json!({"name": "a."}), "name"),
            (json!({"name": long(254)}), "name"),
            (json!({"generateName": "Web-"}), "generateName"),
            (json!({"generateName": "-"}), "generateName"),
            (json!({"name": "a", "namespace": "a.b"}), "namespace"),
            (json!({"name": "a", "namespace": long(64)}), "namespace"),
            (json!({"name": "a", "labels": {"a b": "c"}}), "labels"),
            (json!({"name": "a", "labels": {"a/b/c": "c"}}), "labels"),
            (json!({"name": "a", "labels": {"a": "b c"}}), "labels"),
            (json!({"name": "a", "labels": {"a": long(64)}}), "labels"),
            (json!({"name": "a", "labels": {long(64): "a"}}), "labels"),
            (
                json!({"name": "a", "annotations": {"/a": "b"}}),
                "annotations",
            ),
            (
                json!({"name": "a", "annotations": {"a": long(256 << 10)}}),
                "annotations",
            ),
            (json!({"name": "a", "finalizers": ["x y"]}), "finalizers"),
            (
                json!({"name": "a", "finalizers": ["orphan", "foregroundDeletion"]}),
                "finalizers",
            ),
            (reference("uid", json!("")), "ownerReferences.uid"),
            (reference("kind", json!("")), "ownerReferences.kind"),
            (
                reference("apiVersion", json!("apps/")),
                "ownerReferences.apiVersion",
            ),
            (reference("kind", json!("Event")), "ownerReferences"),
        ] {
            assert_eq!(fields(&invalid), [format!("metadata.{field}")], "{invalid}");
        }
        let owner = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "c", "uid": "u", "controller": true});
        assert_eq!(
            fields(&json!({"name": "a", "ownerReferences": [owner, owner]})),
            ["metadata.ownerReferences"]
        );
    }
}
