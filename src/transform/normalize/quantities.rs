//! Quantities in Kubernetes' own text, only where a field's type is one and only where the amount stays the same.

use crate::release::Release;
use crate::resource::quantity;
use crate::schema::{self, Schema, Shape, Type};
use crate::yaml::{Map, Node, Value};

/// Rewrites the quantities of a resource of a known kind; other fields, known or not, are left alone.
pub fn canonical(release: Release, group: &str, kind: &str, node: &mut Node) {
    let schema = Schema::builtin();
    let (of, node) = match (group, kind) {
        ("", "PersistentVolumeClaim") => ("k8s.PersistentVolumeClaimSpec", node.get_mut("spec")),
        ("cdi.kubevirt.io", "DataVolume") => ("v1beta1.DataVolumeSpec", node.get_mut("spec")),
        _ => match schema::type_of(group, kind) {
            Some(of) => (of, Some(node)),
            None => return,
        },
    };
    if let (Some(of), Some(node)) = (schema.type_named(of), node) {
        walk_struct(schema, release, of, node);
    }
}

fn walk_struct(schema: &'static Schema, release: Release, of: &'static Type, node: &mut Node) {
    for entry in node
        .as_map_mut()
        .map(Map::entries_mut)
        .into_iter()
        .flatten()
    {
        let variant = of
            .field(&entry.key)
            .and_then(|field| field.variant(release));
        if let Some(variant) = variant {
            walk(schema, release, &variant.shape, &mut entry.node);
        }
    }
}

fn walk(schema: &'static Schema, release: Release, shape: &'static Shape, node: &mut Node) {
    match shape {
        Shape::Quantity => rewrite(node),
        Shape::Struct(index) => walk_struct(schema, release, schema.type_at(*index), node),
        Shape::List(of) => {
            for item in node.items_mut().into_iter().flatten() {
                walk(schema, release, of, item);
            }
        }
        Shape::Map(of) => {
            for entry in node
                .as_map_mut()
                .map(Map::entries_mut)
                .into_iter()
                .flatten()
            {
                walk(schema, release, of, &mut entry.node);
            }
        }
        _ => {}
    }
}

fn rewrite(node: &mut Node) {
    let Some(text) = quantity::text(&node.value) else {
        return;
    };
    if let Some(canonical) = quantity::reread(&text)
        && quantity::same_value(&text, &canonical)
    {
        node.value = Value::String(canonical);
    }
}
