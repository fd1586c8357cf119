//! The marks that tell text that becomes YAML only after a template engine ran.

use crate::source::SourceFile;
use crate::yaml::{Node, Origin, Value};

/// The marks that template engines look for, each with its engine.
const MARKS: [(&str, &str); 3] = [
    ("{{", "Helm or another Go template"),
    ("{%", "Jinja"),
    ("${", "variable substitution"),
];

/// A template mark in a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TemplateMark {
    /// The mark: `{{`.
    pub text: &'static str,
    /// What uses it.
    pub engine: &'static str,
    /// Byte offset in the source.
    pub at: usize,
}

/// The first mark outside comments and block scalars, in text that may not be YAML.
pub(crate) fn mark_in_text(bytes: &[u8]) -> Option<TemplateMark> {
    let mut at = 0;
    let mut block: Option<usize> = None;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let indent = line.iter().take_while(|byte| **byte == b' ').count();
        let text = line[indent..].trim_ascii_end();
        let inside = block.is_some_and(|outer| text.is_empty() || indent > outer);
        if !inside {
            block = None;
            let code = without_comment(text);
            if let Some(mark) = mark_in_line(code, at + indent) {
                return Some(mark);
            }
            if opens_block(code) {
                let dashes = text
                    .iter()
                    .take_while(|byte| matches!(byte, b'-' | b' '))
                    .count();
                let deepest = indent
                    + if dashes > 0 && code.contains(&b':') {
                        dashes
                    } else {
                        0
                    };
                block = Some(deepest);
            }
        }
        at += line.len();
    }
    None
}

/// The first mark in a key or value of the tree, except in block scalars and in text meant for the guest.
pub(crate) fn mark_in_tree(source: &SourceFile, node: &Node) -> Option<TemplateMark> {
    match &node.value {
        Value::Map(map) => map.entries().iter().find_map(|entry| {
            if GUEST_TEXT.contains(&entry.key.as_str()) {
                return None;
            }
            mark_in_scalar(source, &entry.key, entry.key_origin)
                .or_else(|| mark_in_tree(source, &entry.node))
        }),
        Value::Seq(items) => items.iter().find_map(|item| mark_in_tree(source, item)),
        Value::String(text) => mark_in_scalar(source, text, node.origin),
        _ => None,
    }
}

/// Fields whose text the guest reads: a mark there is for the guest.
const GUEST_TEXT: [&str; 4] = [
    "userData",
    "networkData",
    "userDataBase64",
    "networkDataBase64",
];

fn mark_in_scalar(source: &SourceFile, text: &str, origin: Origin) -> Option<TemplateMark> {
    let mark = mark_in_line(text.as_bytes(), 0)?;
    let span = origin.span()?;
    let written = source.bytes().get(span.range())?;
    let is_block = matches!(written.first(), Some(b'|' | b'>'));
    (!is_block).then_some(TemplateMark {
        at: span.start as usize,
        ..mark
    })
}

fn mark_in_line(code: &[u8], at: usize) -> Option<TemplateMark> {
    let found = MARKS.iter().filter_map(|(text, engine)| {
        memchr::memmem::find(code, text.as_bytes()).map(|offset| TemplateMark {
            text,
            engine,
            at: at + offset,
        })
    });
    found.min_by_key(|mark| mark.at)
}

/// The part of a line before a comment; a `#` inside quotes also counts, which only hides a mark after it.
fn without_comment(text: &[u8]) -> &[u8] {
    if text.first() == Some(&b'#') {
        return &[];
    }
    match memchr::memmem::find(text, b" #") {
        Some(at) => text[..at].trim_ascii_end(),
        None => text,
    }
}

/// Whether a line ends in a block scalar's header: `|`, `>-`, `|2+`.
fn opens_block(code: &[u8]) -> bool {
    let Some(header) = code.rsplit(|byte| *byte == b' ').next() else {
        return false;
    };
    matches!(header.first(), Some(b'|' | b'>'))
        && header[1..].len() <= 2
        && header[1..]
            .iter()
            .all(|byte| matches!(byte, b'-' | b'+' | b'1'..=b'9'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(text: &str) -> Option<&'static str> {
        mark_in_text(text.as_bytes()).map(|mark| mark.text)
    }

    #[test]
    fn marks_count_outside_block_scalars_and_comments() {
        assert_eq!(mark("name: {{ .Values.name }}"), Some("{{"));
        assert_eq!(mark("name: ${NAME}\n"), Some("${"));
        assert_eq!(mark("{% if x %}\n"), Some("{%"));
        assert_eq!(mark("# {{ x }}\nname: a # ${b}\n"), None);
        assert_eq!(mark("userData: |\n  ${x}\n\n  {{ y }}\nname: a\n"), None);
        assert_eq!(mark("userData: |\n  ${x}\nname: ${y}\n"), Some("${"));
        assert_eq!(
            mark("- name: a\n  text: |-\n    {{ x }}\n  other: {{ y }}\n"),
            Some("{{")
        );
        assert_eq!(mark("- |\n  {{ x }}\n- a\n"), None);
        assert_eq!(mark("- text: |\n    {{ x }}\n  b: 1\n"), None);
    }
}
