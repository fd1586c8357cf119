//! Quantities in Kubernetes' own text, only where a field's type is one and only where the amount stays the same.

use crate::release::Release;
use crate::resource::quantity;
use crate::schema::{self, Shape};
use crate::yaml::{Node, Value};

/// Rewrites the quantities of a resource of a known kind; other fields, known or not, are left alone.
pub(crate) fn canonical(release: Release, group: &str, kind: &str, node: &mut Node) {
    let (of, node) = match (group, kind) {
        ("", "PersistentVolumeClaim") => ("k8s.PersistentVolumeClaimSpec", node.get_mut("spec")),
        ("cdi.kubevirt.io", "DataVolume") => ("v1beta1.DataVolumeSpec", node.get_mut("spec")),
        _ => match schema::type_of(group, kind) {
            Some(of) => (of, Some(node)),
            None => return,
        },
    };
    if let Some(node) = node {
        schema::visit(release, of, node, |shape, node| {
            if *shape == Shape::Quantity {
                rewrite(node);
            }
        });
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
