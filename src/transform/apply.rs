//! What an apply makes of an object that is stored: Git's new words over it.

use crate::yaml::{Map, Node};

/// The stored object with what Git says now, where Git said `was` before: what Git named and no longer names goes, what it
/// names is set, and what only the store has stays. Lists are taken whole, as kubectl apply and server-side apply take those
/// of `KubeVirt`'s kinds. A null takes a field away.
pub fn merge(stored: &Node, was: &Node, now: &Node) -> Node {
    let (Some(held), Some(said)) = (stored.as_map(), now.as_map()) else {
        return now.clone();
    };
    let mut out = held.clone();
    let before = was.as_map();
    let named = before.map(Map::entries).unwrap_or_default();
    for entry in named {
        if said.get(&entry.key).is_none() {
            out.remove(&entry.key);
        }
    }
    for entry in said.entries() {
        if entry.node.is_null() {
            out.remove(&entry.key);
            continue;
        }
        let was = before.and_then(|before| before.get(&entry.key));
        let node = match out.get(&entry.key) {
            Some(held) => merge(held, was.unwrap_or(&NOTHING), &entry.node),
            None => entry.node.clone(),
        };
        out.insert(&entry.key, node);
    }
    Node {
        value: crate::yaml::Value::Map(out),
        origin: now.origin,
    }
}

/// What Git said of a field before it named it.
static NOTHING: Node = Node::map();

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn merged(stored: Json, was: Json, now: Json) -> Json {
        let [stored, was, now] = [stored, was, now].map(|json| Node::from_json(&json));
        merge(&stored, &was, &now).to_json()
    }

    #[test]
    fn what_only_the_store_has_stays() {
        assert_eq!(
            merged(
                json!({"a": {"set": 1, "stored": 2}, "c": 3}),
                json!({"a": {"set": 1}}),
                json!({"a": {"set": 4}})
            ),
            json!({"a": {"set": 4, "stored": 2}, "c": 3})
        );
    }

    #[test]
    fn what_git_no_longer_names_goes() {
        assert_eq!(
            merged(
                json!({"a": {"x": 1, "stored": 2}, "b": 3}),
                json!({"a": {"x": 1}, "b": 3}),
                json!({"a": {}})
            ),
            json!({"a": {"stored": 2}})
        );
        // A mapping goes with what only the store has in it.
        assert_eq!(
            merged(json!({"a": {"stored": 2}}), json!({"a": {}}), json!({})),
            json!({})
        );
    }

    #[test]
    fn a_list_is_taken_whole_and_a_null_takes_away() {
        assert_eq!(
            merged(
                json!({"a": [{"x": 1, "stored": 2}], "b": 1, "c": {"d": 1}}),
                json!({"a": [{"x": 1}]}),
                json!({"a": [{"x": 2}], "b": null, "c": {"d": null}})
            ),
            json!({"a": [{"x": 2}], "c": {}})
        );
        assert_eq!(
            merged(json!({"a": 1}), json!({}), json!({"a": {"b": 1}})),
            json!({"a": {"b": 1}})
        );
    }
}
