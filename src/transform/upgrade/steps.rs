//! Applying steps to a tree: the same steps that edit the text.

use crate::field_path::{FieldPath, Segment};
use crate::finding::{FixAction, FixStep};
use crate::yaml::{Node, Value};

/// A step that sets a value.
pub(super) fn set(path: FieldPath, node: Node) -> FixStep {
    FixStep {
        path,
        action: FixAction::Set(node),
    }
}

/// A step that takes a key out.
pub(super) fn remove(path: FieldPath) -> FixStep {
    FixStep {
        path,
        action: FixAction::Remove,
    }
}

/// The tree after all steps.
pub(super) fn apply(node: &Node, steps: &[FixStep]) -> Node {
    let mut node = node.clone();
    for step in steps {
        apply_one(&mut node, step);
    }
    node
}

fn apply_one(node: &mut Node, step: &FixStep) {
    let Some((last, above)) = step.path.segments().split_last() else {
        return;
    };
    let mut node = node;
    for segment in above {
        node = match (segment, &mut node.value) {
            (Segment::Field(name), Value::Map(map)) => {
                if map.get(name).is_none_or(Node::is_null) {
                    if !matches!(step.action, FixAction::Set(_)) {
                        return;
                    }
                    map.insert(name, Node::map());
                }
                match map.get_mut(name) {
                    Some(next) => next,
                    None => return,
                }
            }
            (Segment::Index(index), Value::Seq(items)) => match items.get_mut(*index) {
                Some(next) => next,
                None => return,
            },
            _ => return,
        };
    }
    match (last, &mut node.value, &step.action) {
        (Segment::Field(name), Value::Map(map), FixAction::Set(value)) => {
            map.insert(name, value.clone());
        }
        (Segment::Field(name), Value::Map(map), FixAction::Remove) => {
            map.remove(name);
        }
        (Segment::Field(name), Value::Map(map), FixAction::Rename(new)) => {
            if let Some(entry) = map.entries_mut().iter_mut().find(|one| one.key == *name) {
                entry.key = new.clone();
            }
        }
        (Segment::Index(index), Value::Seq(items), FixAction::Remove) if *index < items.len() => {
            items.remove(*index);
        }
        (Segment::Index(index), Value::Seq(items), FixAction::Set(value)) => {
            if let Some(item) = items.get_mut(*index) {
                *item = value.clone();
            }
        }
        _ => {}
    }
}
