//! How objects are written out.

use super::*;

#[test]
fn documents_are_separated() {
    let node = Node::from_json(&json!({"kind": "A"}));
    assert_eq!(
        emit_all(Syntax::Yaml, [&node, &node]),
        "kind: A\n---\nkind: A\n"
    );
    assert_eq!(emit_all(Syntax::Yaml, []), "");
}

#[test]
fn json_is_always_a_list() {
    let node = Node::from_json(&json!({"kind": "A", "spec": {}}));
    let text = emit_all(Syntax::Json, [&node]);
    let read: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        read,
        json!({"apiVersion": "v1", "kind": "List", "items": [{"kind": "A", "spec": {}}]})
    );
    assert!(emit_all(Syntax::Json, []).contains("\"items\": []"));
}
