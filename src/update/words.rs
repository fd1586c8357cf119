//! Values and differences in few words, with nothing of user data or secrets.

use super::Reason;
use crate::diff::Difference;
use crate::shown::{self, secret};
use crate::yaml::{Node, Value};

/// A difference as a reason without words yet.
pub fn shown(difference: &Difference) -> Reason {
    let text = |node: &Option<Node>| {
        node.as_ref()
            .map(|node| brief(&secret::redacted_at(&difference.path, node), false))
    };
    Reason {
        field: Some(difference.path.clone()),
        from: text(&difference.from),
        to: text(&difference.to),
        ..Reason::default()
    }
}

/// A value in few words; nothing of user data or secrets.
pub fn brief(node: &Node, secret: bool) -> String {
    const MOST: usize = 100;
    if secret && !matches!(node.value, Value::Bool(_) | Value::Null) {
        return secret::NOT_SHOWN.to_owned();
    }
    let text = match &node.value {
        Value::String(text) => text.to_string(),
        Value::Map(_) | Value::Seq(_) => secret::redacted(node).to_json().to_string(),
        _ => node.to_json().to_string(),
    };
    let clean = shown::line(&text);
    if clean.chars().count() > MOST {
        let cut: String = clean.chars().take(MOST).collect();
        format!("{cut}…")
    } else {
        clean
    }
}
