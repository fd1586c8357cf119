//! A diff of two trees: for people, as JSON, and as unified text.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::plan_view::reason_line;
use crate::diff::tree::ObjectDiff;
use crate::emit::diff;
use crate::resource::ResourceId;
use crate::shown::secret::{NOT_SHOWN, redacted_at};
use crate::shown::{self, Shown};
use crate::update::words::brief;
use crate::yaml::Node;

/// The differences for people: one line an object, one a field.
pub fn text(found: &[ObjectDiff], color: bool) -> String {
    let mut out = String::new();
    for object in found {
        let (sign, code) = match (&object.before, &object.after) {
            (None, _) => ('+', "32"),
            (_, None) => ('-', "31"),
            _ => ('~', "33"),
        };
        let title = format!("{sign} {}", Shown(&object.id));
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
            let line = reason_line(&reason).plain();
            let _ = writeln!(out, "    {}", line.trim_end_matches(": "));
        }
    }
    shown::page(out)
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
    let document = shown::json(json!({ "version": 1, "differences": objects }));
    format!("{document:#}\n")
}

/// The differences as a unified diff of each object's YAML.
pub fn unified(found: &[ObjectDiff]) -> String {
    let mut out = String::new();
    for object in found {
        let side = |node: &Option<Node>, side: char| {
            node.as_ref()
                .map_or("/dev/null".to_owned(), |_| format!("{side}/{}", object.id))
        };
        let names = (side(&object.before, 'a'), side(&object.after, 'b'));
        let (before, after) = (object.before.as_ref(), object.after.as_ref());
        out.push_str(&diff::unified(before, after, (&names.0, &names.1)));
    }
    out
}

fn is_secret(id: &ResourceId) -> bool {
    id.group.is_empty() && id.kind == "Secret"
}
