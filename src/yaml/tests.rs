//! Comparing trees, and setting values by path.

mod robustness;

use super::*;

#[test]
fn a_node_stays_small() {
    assert!(size_of::<Node>() <= 48, "{} bytes", size_of::<Node>());
}

#[test]
fn values_compare_whatever_the_order_of_keys() {
    let a = Node::from_json(&serde_json::json!({"a": 1, "b": [true]}));
    let b = Node::from_json(&serde_json::json!({"b": [true], "a": 1}));
    assert!(a.same_value(&b));
    assert!(!a.same_value(&Node::from_json(&serde_json::json!({"a": 1, "c": [true]}))));
}

#[test]
fn setting_a_path_makes_what_lies_above() {
    let mut node = Node::map();
    node.set("spec.template.spec", Node::from(true));
    assert!(node.bool_at("spec.template.spec"));
    assert!(node.remove("spec.template.spec").is_some());
    assert!(node.path("spec.template").is_some());
}
