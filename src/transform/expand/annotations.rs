//! Annotations of an instance type on the VMI: equal ones are no conflict.

use super::Application;
use crate::conflict::Conflict;
use crate::field_path::FieldPath;
use crate::yaml::{Entry, Node};

/// Mirrors applyInstanceTypeAnnotations, pkg/instancetype/apply/annotations.go @ v1.9.0. KubeVirt lists these conflicts
/// in random order and without a base; ours are sorted by key.
pub(super) fn apply(to: &mut Application) {
    let mut given: Vec<&Entry> = to
        .given("annotations")
        .map(Node::entries)
        .unwrap_or_default()
        .iter()
        .collect();
    given.sort_by(|a, b| a.key.cmp(&b.key));
    for entry in given {
        let held = to
            .target
            .path("metadata.annotations")
            .and_then(|annotations| annotations.as_map()?.entry(&entry.key));
        match held {
            Some(held) if held.node.as_str() != entry.node.as_str() => {
                let conflict = Conflict {
                    name: format!("annotations.{}", entry.key),
                    field: FieldPath::parse(to.base.metadata)
                        .field("annotations")
                        .field(&entry.key),
                    origin: held.key_origin,
                    release: to.release,
                };
                to.conflicts.push(conflict);
            }
            Some(_) => {}
            None => add(to.target, entry),
        }
    }
}

/// Adds an annotation.
pub(super) fn add(target: &mut Node, entry: &Entry) {
    target
        .ensure_map("metadata.annotations", entry.node.origin)
        .push(entry.clone());
}
