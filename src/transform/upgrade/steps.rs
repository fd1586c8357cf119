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

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn applied(path: &str, action: FixAction) -> Json {
        let before = json!({"a": {"b": 1}, "list": [{"n": 1}, {"n": 2}], "null": null});
        let path = FieldPath::parse(path);
        apply(&Node::from_json(&before), &[FixStep { path, action }]).to_json()
    }

    fn node(value: &Json) -> FixAction {
        FixAction::Set(Node::from_json(value))
    }

    #[test]
    fn a_step_sets_a_value_and_the_maps_above_it() {
        assert_eq!(applied("a.b", node(&json!(2)))["a"], json!({"b": 2}));
        assert_eq!(
            applied("c.d.e", node(&json!(2)))["c"],
            json!({"d": {"e": 2}})
        );
        assert_eq!(applied("null.x", node(&json!(2)))["null"], json!({"x": 2}));
        let list = |path| applied(path, node(&json!({"n": 9})))["list"].clone();
        assert_eq!(list("list[0]"), json!([{"n": 9}, {"n": 2}]));
        assert_eq!(list("list[1]"), json!([{"n": 1}, {"n": 9}]));
        assert_eq!(list("list[2]"), json!([{"n": 1}, {"n": 2}]));
        assert_eq!(
            applied("list[1].n", node(&json!(9)))["list"],
            json!([{"n": 1}, {"n": 9}])
        );
    }

    #[test]
    fn a_step_takes_out_what_is_there_and_makes_nothing() {
        assert_eq!(applied("a.b", FixAction::Remove)["a"], json!({}));
        let list = |path| applied(path, FixAction::Remove)["list"].clone();
        assert_eq!(list("list[0]"), json!([{"n": 2}]));
        assert_eq!(list("list[1]"), json!([{"n": 1}]));
        assert_eq!(list("list[2]"), json!([{"n": 1}, {"n": 2}]));
        assert_eq!(list("list[2].n"), json!([{"n": 1}, {"n": 2}]));
        let absent = applied("c.d", FixAction::Remove);
        assert!(
            absent.get("c").is_none() && absent["null"].is_null(),
            "{absent}"
        );
        assert!(applied("null.x", FixAction::Remove)["null"].is_null());
    }

    #[test]
    fn a_step_renames_one_key() {
        let renamed = applied("a.b", FixAction::Rename("c".into()));
        assert_eq!(renamed["a"], json!({"c": 1}));
        assert_eq!(
            applied("a.x", FixAction::Rename("c".into()))["a"],
            json!({"b": 1})
        );
    }
}
