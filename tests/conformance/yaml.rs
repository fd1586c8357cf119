//! Values and refusals of `sigs.k8s.io/yaml`, lenient and strict.

use driftless::source::FileId;
use driftless::yaml::reader::parse_first;
use driftless::yaml::{Document, Node, StrictKind, Value, parse};
use serde_json::Value as Json;

use crate::Case;

/// The text reads as recorded, or both refuse it; a strict reader likewise.
pub(crate) fn check(case: &Case) -> Result<(), String> {
    let text = case.input["yaml"].as_str().unwrap_or_default();
    survive(text.as_bytes());
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

/// Damaged further, the text is read or refused, never a panic; what is read can be written and read again.
fn survive(text: &[u8]) {
    const WITH: &[u8] = b"\\\"'|>{}[],:?-#&*!%@`~ \n\r\t\0\xff\xc2\x85\xef\xbb\xbf<=x0";
    let mut state = text.iter().fold(0x9E37_79B9_7F4A_7C15_u64, |state, byte| {
        (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
    }) | 1;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 11).unwrap_or_default() % limit
    };
    for _ in 0..12 {
        let mut bytes = text.to_vec();
        for _ in 0..=below(3) {
            let at = below(bytes.len() + 1);
            let with = WITH[below(WITH.len())];
            match below(4) {
                0 => bytes.truncate(at),
                1 if at < bytes.len() => bytes[at] = with,
                2 if at < bytes.len() => _ = bytes.remove(at),
                _ => bytes.insert(at, with),
            }
        }
        for document in parse(FileId(0), &bytes).documents.into_iter().flatten() {
            let emitted = driftless::yaml::emit::to_string(&document.root);
            let again = parse_first(FileId(0), emitted.as_bytes()).expect("what we write is YAML");
            let same = again.is_none_or(|again| again.root.same_value(&document.root));
            assert!(
                same,
                "{emitted:?} reads otherwise than {:?}",
                bytes.escape_ascii().to_string()
            );
        }
    }
}
