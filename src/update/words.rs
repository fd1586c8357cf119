//! Values and differences in few words, with nothing of user data or secrets.

use super::Reason;
use crate::diff::Difference;
use crate::field_path::FieldPath;
use crate::yaml::{Node, Value};

/// A difference as a reason without words yet.
pub fn shown(difference: &Difference) -> Reason {
    let secret = is_secret(&difference.path);
    let text = |node: &Option<Node>| node.as_ref().map(|node| brief(node, secret));
    Reason {
        field: Some(difference.path.clone()),
        from: text(&difference.from),
        to: text(&difference.to),
        ..Reason::default()
    }
}

fn is_secret(path: &FieldPath) -> bool {
    let path = path.to_string().to_ascii_lowercase();
    ["userdata", "networkdata", "password", "secret", "sysprep"]
        .iter()
        .any(|word| path.contains(word))
}

/// A value in few words; nothing of user data or secrets.
pub fn brief(node: &Node, secret: bool) -> String {
    const MOST: usize = 100;
    if secret && !matches!(node.value, Value::Bool(_) | Value::Null) {
        return "(not shown)".to_owned();
    }
    let text = match &node.value {
        Value::String(text) => text.to_string(),
        Value::Map(_) | Value::Seq(_) => redacted(node).to_json().to_string(),
        _ => node.to_json().to_string(),
    };
    let clean: String = text.chars().filter(|c| !c.is_control()).collect();
    if clean.chars().count() > MOST {
        let cut: String = clean.chars().take(MOST).collect();
        format!("{cut}…")
    } else {
        clean
    }
}

/// A tree without user data and passwords.
pub fn redacted(node: &Node) -> Node {
    let mut node = node.clone();
    hide(&mut node);
    node
}

fn hide(node: &mut Node) {
    match &mut node.value {
        Value::Map(map) => {
            for entry in map.entries_mut() {
                let key = entry.key.to_ascii_lowercase();
                let secret = ["userdata", "networkdata", "password"]
                    .iter()
                    .any(|word| key.contains(word));
                if secret && entry.node.as_str().is_some() {
                    entry.node = Node::string("(not shown)");
                } else {
                    hide(&mut entry.node);
                }
            }
        }
        Value::Seq(items) => items.iter_mut().for_each(hide),
        _ => {}
    }
}
