//! What a report may not show: user data, passwords, keys and tokens, wherever a tree holds them.

use crate::field_path::{FieldPath, Segment};
use crate::yaml::{Node, Value};

/// What stands in the place of a secret.
pub const NOT_SHOWN: &str = "(not shown)";

const CHANGED: &str = "(not shown, changed)";

/// Parts of keys whose texts may be secrets, in lower case.
const KEYS: [&str; 17] = [
    "accesskey",
    "apikey",
    "binarydata",
    "credential",
    "dhcert",
    "extraheaders",
    "httpheaders",
    "last-applied",
    "networkdata",
    "passphrase",
    "passw",
    "private",
    "secret",
    "stringdata",
    "sysprep",
    "token",
    "userdata",
];

/// Marks of a text that holds a secret among other words, in lower case.
const MARKS: [&str; 18] = [
    "-----begin",
    "api-key",
    "apikey",
    "api_key",
    "authorization",
    "bearer ",
    "credential",
    "enc[",
    "passphrase",
    "passw",
    "private",
    "pwd",
    "secret",
    "signature",
    "sig=",
    "token",
    "userdata",
    "networkdata",
];

/// Whether a value that stands there may not be shown.
pub fn hides(path: &FieldPath, node: &Node) -> bool {
    let below = path.segments().iter().any(|segment| match segment {
        Segment::Field(name) => holds_secrets(name) || name == "sops",
        Segment::Index(_) => false,
    });
    let last = path
        .segments()
        .iter()
        .rev()
        .find_map(|segment| match segment {
            Segment::Field(name) => Some(name.as_str()),
            Segment::Index(_) => None,
        });
    match &node.value {
        Value::Null | Value::Bool(_) | Value::Map(_) | Value::Seq(_) => false,
        Value::String(text) => (below && !last.is_some_and(is_name)) || is_secret_text(text),
        _ => below,
    }
}

/// The tree without what may not be shown.
#[must_use]
pub fn redacted(node: &Node) -> Node {
    let mut node = node.clone();
    hide(&mut node, false);
    node
}

/// As [`redacted`], for a tree that stands at a path.
#[must_use]
pub fn redacted_at(path: &FieldPath, node: &Node) -> Node {
    if hides(path, node) {
        return Node::string(NOT_SHOWN);
    }
    let mut node = node.clone();
    if !matches!(node.value, Value::Map(_) | Value::Seq(_)) {
        return node;
    }
    let below = path.segments().iter().any(
        |segment| matches!(segment, Segment::Field(name) if holds_secrets(name) || name == "sops"),
    );
    hide(&mut node, below);
    node
}

/// Says of each secret in `shown`, the redacted form of `after`, that it is not what it was in `before`: two secrets that
/// differ would look alike.
pub fn mark_changed(before: &Node, after: &Node, shown: &mut Node) {
    match &mut shown.value {
        Value::String(text) if text == NOT_SHOWN && !before.same_value(after) => {
            *text = CHANGED.into();
        }
        Value::Map(map) => {
            for entry in map.entries_mut() {
                if let (Some(before), Some(after)) = (before.get(&entry.key), after.get(&entry.key))
                {
                    mark_changed(before, after, &mut entry.node);
                }
            }
        }
        Value::Seq(items) => {
            let sides = before.items().iter().zip(after.items());
            for (item, (before, after)) in items.iter_mut().zip(sides) {
                mark_changed(before, after, item);
            }
        }
        _ => {}
    }
}

fn hide(node: &mut Node, below: bool) {
    match &mut node.value {
        Value::Map(map) => {
            for entry in map.entries_mut() {
                let below = below || holds_secrets(&entry.key) || entry.key == "sops";
                if !(is_name(&entry.key) && is_plain(&entry.node)) {
                    hide(&mut entry.node, below);
                }
            }
        }
        Value::Seq(items) => items.iter_mut().for_each(|item| hide(item, below)),
        Value::Null | Value::Bool(_) => {}
        Value::String(text) if !below && !is_secret_text(text) => {}
        Value::String(_) => node.value = Value::String(NOT_SHOWN.into()),
        _ if below => node.value = Value::String(NOT_SHOWN.into()),
        _ => {}
    }
}

fn holds_secrets(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key == "session" || KEYS.iter().any(|part| key.contains(part))
}

/// The name of a secret is none.
fn is_name(key: &str) -> bool {
    matches!(key, "name" | "key" | "kind" | "namespace" | "optional")
        || key.ends_with("Name")
        || key.ends_with("Ref")
}

fn is_plain(node: &Node) -> bool {
    matches!(&node.value, Value::String(text) if !is_secret_text(text))
}

/// Whether a text says that it holds a secret. A bare name does not, whatever it is called.
fn is_secret_text(text: &str) -> bool {
    let bare = text
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '/'));
    if bare {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    let marked = MARKS.iter().any(|mark| lower.contains(mark));
    let user_in_url = lower.split("://").skip(1).any(|rest| {
        rest.split(['/', '?', '#', ' '])
            .next()
            .is_some_and(|host| host.contains('@'))
    });
    marked || user_in_url
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_go_and_their_names_stay() {
        let node = Node::from_json(&json!({
            "cloudInitNoCloud": {"userData": "a", "secretRef": {"name": "ci"}, "networkDataBase64": "a"},
            "accessCredentials": [{"userPassword": {"source": {"secret": {"secretName": "pw"}}}}],
            "httpHeaders": [{"name": "X", "value": "a"}],
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "a/token": "a", "note": "kept"},
            "command": ["sh", "-c", "login --password a"],
            "url": "https://me:a@example.com/disk", "image": "https://example.com/a@b",
            "claimName": "secret-disk", "pin": {"password": 1234}, "enabled": {"token": true},
        }));
        let hidden = NOT_SHOWN;
        assert_eq!(
            redacted(&node).to_json(),
            json!({
                "cloudInitNoCloud": {"userData": hidden, "secretRef": {"name": "ci"}, "networkDataBase64": hidden},
                "accessCredentials": [{"userPassword": {"source": {"secret": {"secretName": "pw"}}}}],
                "httpHeaders": [{"name": "X", "value": hidden}],
                "annotations": {"kubectl.kubernetes.io/last-applied-configuration": hidden, "a/token": hidden, "note": "kept"},
                "command": ["sh", "-c", hidden],
                "url": hidden, "image": "https://example.com/a@b",
                "claimName": "secret-disk", "pin": {"password": hidden}, "enabled": {"token": true},
            })
        );
    }

    #[test]
    fn a_secret_that_changes_is_said_to() {
        let [before, after] = ["a", "b"].map(|value| {
            Node::from_json(&json!({"users": [{"password": value}], "token": "same", "n": 1}))
        });
        let mut shown = redacted(&after);
        mark_changed(&before, &after, &mut shown);
        assert_eq!(
            shown.to_json(),
            json!({"users": [{"password": CHANGED}], "token": NOT_SHOWN, "n": 1})
        );
    }

    #[test]
    fn what_is_above_a_value_counts() {
        let at = |path: &str| FieldPath::parse(path);
        let text = Node::string("a");
        assert!(hides(&at("spec.sysprep.unattend"), &text));
        assert!(!hides(&at("spec.sysprep.secret.name"), &text));
        let shown = |path: &str, node: &Node| redacted_at(&at(path), node).to_json();
        assert_eq!(shown("spec.sysprep.configMap.name", &text), json!("a"));
        assert_eq!(shown("spec.sysprep.unattend", &text), json!(NOT_SHOWN));
        let list = Node::from_json(&json!(["a"]));
        assert_eq!(shown("spec.sysprep", &list), json!([NOT_SHOWN]));
        assert!(!hides(&at("spec.runStrategy"), &text));
        assert!(hides(
            &at("spec.runStrategy"),
            &Node::string("ENC[AES256_GCM,data:a]")
        ));
    }
}
