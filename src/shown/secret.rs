//! What may not be shown: user data, passwords, keys and tokens, wherever a tree holds them.

use crate::field_path::{FieldPath, Segment};
use crate::yaml::{Node, Value};

/// What stands in the place of a secret.
pub(crate) const NOT_SHOWN: &str = "(not shown)";

/// What stands in the place of a secret that is not what it was.
pub(crate) const CHANGED: &str = "(not shown, changed)";

/// Words that tell of a secret, in a key or in a text, in lower case without `-` and `_`.
const WORDS: [&str; 10] = [
    "accesskey",
    "apikey",
    "credential",
    "networkdata",
    "passphrase",
    "passw",
    "private",
    "secret",
    "token",
    "userdata",
];

/// More words of keys: what stands below them is, or may be, somebody's secret.
const KEY_WORDS: [&str; 11] = [
    "binarydata",
    "cloudinit",
    "dhcert",
    "extraheaders",
    "httpheaders",
    "lastapplied",
    "sops",
    "sshauthorized",
    "sshkey",
    "stringdata",
    "sysprep",
];

/// More marks of a text that holds a secret, in lower case.
const TEXT_MARKS: [&str; 7] = [
    "-----begin",
    "authorization",
    "bearer ",
    "enc[",
    "pwd",
    "signature",
    "sig=",
];

/// Whether a value that stands there may not be shown.
pub(crate) fn hides(path: &FieldPath, node: &Node) -> bool {
    let below = is_below(path);
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
pub(crate) fn redacted(node: &Node) -> Node {
    let mut node = node.clone();
    hide(&mut node, false);
    node
}

/// As [`redacted`], for a tree that stands at a path.
#[must_use]
pub(crate) fn redacted_at(path: &FieldPath, node: &Node) -> Node {
    if hides(path, node) {
        return Node::string(NOT_SHOWN);
    }
    let mut node = node.clone();
    if !matches!(node.value, Value::Map(_) | Value::Seq(_)) {
        return node;
    }
    hide(&mut node, is_below(path));
    node
}

/// Whether a value may be part of a fingerprint. A digest of a short secret gives the secret away.
pub(crate) fn is_digestible(path: &FieldPath, node: &Node) -> bool {
    let is_data = |segment: &Segment| matches!(segment, Segment::Field(name) if name == "data");
    !path.segments().iter().any(is_data) && !hides(path, node)
}

/// Whether a key above the value, or its own, tells of a secret.
fn is_below(path: &FieldPath) -> bool {
    let tells = |segment: &Segment| matches!(segment, Segment::Field(name) if holds_secrets(name));
    path.segments().iter().any(tells)
}

/// Says of each secret in `shown`, the redacted form of `after`, that it is not what it was in `before`: two secrets that
/// differ would look alike.
pub(crate) fn mark_changed(before: &Node, after: &Node, shown: &mut Node) {
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
    visit(node, below, false, &mut |secret| {
        secret.value = Value::String(NOT_SHOWN.into());
    });
}

/// Calls `found` with every scalar that may not be shown, in order. `below` says that a key above tells of secrets, `all`
/// that nothing here is anything else.
pub(super) fn visit(node: &mut Node, below: bool, all: bool, found: &mut dyn FnMut(&mut Node)) {
    let is_shown = match &mut node.value {
        Value::Map(map) => {
            let is_secret = map.get("kind").and_then(Node::as_str) == Some("Secret");
            for entry in map.entries_mut() {
                let all = all || (is_secret && is_data(&entry.key));
                if all || !(is_name(&entry.key) && is_plain(&entry.node)) {
                    let below = below || holds_secrets(&entry.key);
                    visit(&mut entry.node, below, all, found);
                }
            }
            return;
        }
        Value::Seq(items) => {
            return items
                .iter_mut()
                .for_each(|item| visit(item, below, all, found));
        }
        Value::Null => true,
        Value::Bool(_) => !all,
        Value::String(text) => !(below || all || is_secret_text(text)),
        _ => !(below || all),
    };
    if !is_shown {
        found(node);
    }
}

/// Whether a key of a Secret holds its secrets.
pub(super) fn is_data(key: &str) -> bool {
    matches!(key, "data" | "stringData")
}

/// Whether a key tells that its value is a secret, or holds some.
pub(super) fn holds_secrets(key: &str) -> bool {
    let key = folded(key);
    key == "session"
        || WORDS
            .iter()
            .chain(&KEY_WORDS)
            .any(|word| key.contains(word))
}

/// In lower case, without what words are joined by.
fn folded(text: &str) -> String {
    text.chars()
        .filter(|c| !matches!(c, '-' | '_'))
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

/// The name of a secret is none.
pub(super) fn is_name(key: &str) -> bool {
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
    let marked = TEXT_MARKS.iter().any(|mark| lower.contains(mark));
    let words = folded(text);
    let told = WORDS.iter().any(|word| words.contains(word));
    let user_in_url = lower.split("://").skip(1).any(|rest| {
        rest.split(['/', '?', '#', ' '])
            .next()
            .is_some_and(|host| host.contains('@'))
    });
    marked || told || user_in_url
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
            "cloudInitConfigDrive": "a", "user_data": "a", "api-key": "a",
            "list": [{"kind": "Secret", "data": {"name": "a", "on": true, "none": null}, "stringData": "a"}],
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
                "cloudInitConfigDrive": hidden, "user_data": hidden, "api-key": hidden,
                "list": [{"kind": "Secret", "data": {"name": hidden, "on": hidden, "none": null}, "stringData": hidden}],
            })
        );
    }

    #[test]
    fn no_secret_is_part_of_a_digest() {
        let node = Node::string("a");
        for path in [
            "spec.userData",
            "a.password",
            "data.x",
            "stringData.x",
            "sops.mac",
            "spec.cloudInitNoCloud",
        ] {
            assert!(!is_digestible(&FieldPath::parse(path), &node), "{path}");
        }
        for path in ["spec.running", "a.secretRef.name", "metadata.name"] {
            assert!(is_digestible(&FieldPath::parse(path), &node), "{path}");
        }
        let text = Node::string("Bearer abc");
        assert!(!is_digestible(
            &FieldPath::parse("metadata.annotations.a"),
            &text
        ));
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
