//! Values and refusals of `sigs.k8s.io/yaml`, lenient and strict.

use driftless::source::FileId;
use driftless::yaml::reader::parse_first;
use driftless::yaml::{Document, Node, StrictKind, Value};
use serde_json::Value as Json;

use crate::Case;

/// The text reads as recorded, or both refuse it; a strict reader likewise.
pub(crate) fn check(case: &Case) -> Result<(), String> {
    let text = case.input["yaml"].as_str().unwrap_or_default();
    let document = parse_first(FileId(0), text.as_bytes());
    match (&document, case.expected.get("json")) {
        (Err(_), None) => return Ok(()),
        (Err(error), Some(_)) => return Err(format!("refused: {error}")),
        (Ok(_), None) => return Err(format!("accepted, recorded: {}", case.expected["error"])),
        (Ok(document), Some(json)) => same(document.as_ref(), json)?,
    }
    let document = document.ok().flatten();
    let refused = document.as_ref().is_some_and(|document| {
        document
            .strict
            .iter()
            .any(|problem| problem.kind != StrictKind::Spellings)
    });
    match (refused, case.expected.get("strictJson")) {
        (true, None) => Ok(()),
        (true, Some(_)) => Err("strict problem, recorded none".into()),
        (false, None) => Err(format!(
            "no strict problem, recorded: {}",
            case.expected["strictError"]
        )),
        (false, Some(json)) => same(document.as_ref(), json),
    }
}

fn same(document: Option<&Document>, json: &Json) -> Result<(), String> {
    let Some(document) = document else {
        return if json.is_null() {
            Ok(())
        } else {
            Err(format!("no value, recorded {json}"))
        };
    };
    // Go keeps whichever of two spellings its random map order gives last.
    let either: Vec<_> = document
        .strict
        .iter()
        .filter(|problem| problem.kind == StrictKind::Spellings)
        .map(|problem| problem.key.as_str())
        .collect();
    if same_value(&document.root, &Node::from_json(json), &either) {
        Ok(())
    } else {
        Err(format!("{} is not {json}", document.root.to_json()))
    }
}

fn same_value(ours: &Node, recorded: &Node, either: &[&str]) -> bool {
    match (&ours.value, &recorded.value) {
        // The JSON library that reads the recordings rounds the last digit differently.
        (Value::Float(a), Value::Float(b)) => (a - b).abs() <= a.abs() * 1e-15,
        (Value::Seq(a), Value::Seq(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_value(a, b, either))
        }
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len()
                && a.entries().iter().all(|entry| {
                    b.get(&entry.key).is_some_and(|other| {
                        either.contains(&entry.key.as_str())
                            || same_value(&entry.node, other, either)
                    })
                })
        }
        _ => ours.same_value(recorded),
    }
}
