//! A diff of two trees: for people, as JSON, and as unified text.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};
use similar::TextDiff;

use super::plan_text::{line, printable};
use crate::diff::tree::ObjectDiff;
use crate::resource::ResourceId;
use crate::secret::{NOT_SHOWN, mark_changed, redacted, redacted_at};
use crate::update::words::brief;
use crate::yaml::{Map, Node, Value, emit};

/// The differences for people: one line an object, one a field.
pub fn text(found: &[ObjectDiff], color: bool) -> String {
    let mut out = String::new();
    for object in found {
        let (sign, code) = match (&object.before, &object.after) {
            (None, _) => ('+', "32"),
            (_, None) => ('-', "31"),
            _ => ('~', "33"),
        };
        let title = format!("{sign} {}", printable(&object.id.to_string()));
        if color {
            let _ = writeln!(out, "\u{1b}[{code}m{title}\u{1b}[0m");
        } else {
            let _ = writeln!(out, "{title}");
        }
        for difference in &object.fields {
            let mut reason = crate::update::words::shown(difference);
            if is_secret(&object.id) {
                let hide = |node: &Option<Node>| node.as_ref().map(|node| brief(node, true));
                reason.from = hide(&difference.from);
                reason.to = hide(&difference.to);
            }
            let line = line(&reason);
            let _ = writeln!(out, "    {}", line.trim_end_matches(": "));
        }
    }
    out
}

/// The differences as JSON.
pub fn json(found: &[ObjectDiff]) -> String {
    let objects: Vec<Json> = found
        .iter()
        .map(|object| {
            let change = match (&object.before, &object.after) {
                (None, _) => "added",
                (_, None) => "removed",
                _ => "modified",
            };
            let fields: Vec<Json> = object
                .fields
                .iter()
                .map(|difference| {
                    let mut field = json!({ "path": difference.path.to_string() });
                    let value = |node: &Node| {
                        if is_secret(&object.id) {
                            Json::from(NOT_SHOWN)
                        } else {
                            redacted_at(&difference.path, node).to_json()
                        }
                    };
                    if let Some(from) = &difference.from {
                        field["from"] = value(from);
                    }
                    if let Some(to) = &difference.to {
                        field["to"] = value(to);
                    }
                    field
                })
                .collect();
            let mut resource = json!({ "group": object.id.group, "kind": object.id.kind });
            if let Some(namespace) = &object.id.namespace {
                resource["namespace"] = json!(namespace);
            }
            resource["name"] = json!(object.id.name);
            json!({ "resource": resource, "change": change, "fields": fields })
        })
        .collect();
    let mut text = serde_json::to_string_pretty(&json!({ "version": 1, "differences": objects }))
        .unwrap_or_default();
    text.push('\n');
    text
}

/// The differences as a unified diff of each object's YAML.
pub fn unified(found: &[ObjectDiff]) -> String {
    let mut out = String::new();
    for object in found {
        let hidden = |node: &Option<Node>| {
            node.as_ref().map(|node| {
                let mut node = redacted(node);
                if is_secret(&object.id) {
                    hide_data(&mut node);
                }
                node
            })
        };
        let emitted =
            |node: Option<Node>| node.map_or_else(String::new, |node| emit::to_string(&node));
        let mut marked = hidden(&object.after);
        if let (Some(before), Some(after), Some(marked)) =
            (&object.before, &object.after, &mut marked)
        {
            mark_changed(before, after, marked);
        }
        let (before, after) = (emitted(hidden(&object.before)), emitted(marked));
        let name = printable(&object.id.to_string());
        let side = |node: &Option<Node>, side: char| {
            if node.is_some() {
                format!("{side}/{name}")
            } else {
                "/dev/null".to_owned()
            }
        };
        let diff = TextDiff::from_lines(before.as_str(), after.as_str());
        let _ = write!(
            out,
            "{}",
            diff.unified_diff()
                .context_radius(3)
                .header(&side(&object.before, 'a'), &side(&object.after, 'b'))
        );
    }
    out
}

fn is_secret(id: &ResourceId) -> bool {
    id.group.is_empty() && id.kind == "Secret"
}

fn hide_data(node: &mut Node) {
    for key in ["data", "stringData"] {
        let entries = node.get_mut(key).and_then(Node::as_map_mut);
        for entry in entries.into_iter().flat_map(Map::entries_mut) {
            entry.node.value = Value::String(NOT_SHOWN.into());
        }
    }
}
