//! The patch in the annotation: RFC 6902, but read back into the object it changes.
//!
//! Mirrors `applyAnnotationPatch`, `controllers/operands/operand.go`: Go reads the patched JSON into the object that is
//! there. So a field that the patch removes stays, a struct that it replaces is merged, the items of a list of structs are
//! merged by position, and null clears what Go keeps by pointer.

use json_patch::{Patch, PatchOperation};
use serde_json::json;

use crate::release::Release;
use crate::schema::{self, ProblemKind, Schema, Shape};
use crate::yaml::{Node, Value};

/// The `spec` of a `KubeVirt` object after a patch of the object.
pub(super) fn apply(text: &str, spec: Node, release: Release) -> Result<Node, String> {
    let patch: Patch = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let is_of_spec = |operation: &PatchOperation| operation.path().as_str().starts_with("/spec/");
    if !patch.0.iter().all(is_of_spec) {
        return Err("it may change `/spec/` only".to_owned());
    }
    let mut document = json!({"spec": spec.to_json()});
    json_patch::patch(&mut document, &patch).map_err(|error| error.to_string())?;
    let patched = Node::from_json(&document["spec"]);
    let shape = Schema::builtin().shape_named("v1.KubeVirtSpec");
    let Some(shape) = shape else {
        return Ok(patched);
    };
    let read = schema::decode(release, "v1.KubeVirtSpec", &patched);
    let unreadable = read.problems.iter().find(|problem| {
        matches!(
            problem.kind,
            ProblemKind::WrongType { .. } | ProblemKind::OutOfRange { .. }
        )
    });
    if let Some(problem) = unreadable {
        return Err(problem.to_string());
    }
    let merged = merged(release, &shape, Some(spec), &patched);
    Ok(schema::decode(release, "v1.KubeVirtSpec", &merged).node)
}

/// What Go makes of a value that it reads over another one.
fn merged(release: Release, shape: &Shape, held: Option<Node>, read: &Node) -> Node {
    match shape {
        Shape::Struct(index) => {
            let of = Schema::builtin().type_at(*index);
            let mut out = held
                .filter(|held| held.as_map().is_some())
                .unwrap_or_else(Node::map);
            for entry in read.entries() {
                let Some(variant) = of.variant(&entry.key, release) else {
                    continue;
                };
                let is_cleared = variant.pointer
                    || matches!(variant.shape, Shape::List(_) | Shape::Map(_) | Shape::Any);
                if entry.node.is_null() {
                    if is_cleared {
                        out.remove(&entry.key);
                    }
                    continue;
                }
                let before = out.get(&entry.key).cloned();
                let value = merged(release, &variant.shape, before, &entry.node);
                out.set(&entry.key, value);
            }
            out
        }
        Shape::Map(inner) => {
            let mut out = held
                .filter(|held| held.as_map().is_some())
                .unwrap_or_else(Node::map);
            if let Some(map) = out.as_map_mut() {
                for entry in read.entries() {
                    map.insert(&entry.key, merged(release, inner, None, &entry.node));
                }
            }
            out
        }
        Shape::List(inner) => {
            let before = held.as_ref().map(Node::items).unwrap_or_default();
            let items = read.items().iter().enumerate().map(|(at, item)| {
                let before = before.get(at).cloned();
                merged(release, inner, before, item)
            });
            Node::new(Value::Seq(items.collect()))
        }
        _ => read.clone(),
    }
}
