//! How a node is found by its path.

use super::*;

#[test]
fn what_is_found_can_be_changed() {
    let mut node = Node::from_json(&serde_json::json!({"volumes": [{"name": "a"}]}));
    let path = FieldPath::parse("volumes[0].name");
    *path.find_mut(&mut node).unwrap() = Node::string("b");
    assert_eq!(path.find(&node).and_then(Node::as_str), Some("b"));
    for path in ["volumes.name", "volumes[1]", "volumes[0].name.x", "disks"] {
        assert!(FieldPath::parse(path).find_mut(&mut node).is_none());
    }
}

#[test]
fn the_nearest_ancestor_stands_in_for_a_missing_field() {
    let node = Node::from_json(&serde_json::json!({"spec": {"volumes": [{"name": "a"}]}}));
    let (path, _) = FieldPath::parse("spec.volumes[0].dataVolume.name").nearest(&node);
    assert_eq!(path.to_string(), "spec.volumes[0]");
}
