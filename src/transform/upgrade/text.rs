//! What an upgrade makes of one source: edited spans, documents added and removed, every other byte as it was.

use std::ops::Range;

use crate::field_path::{FieldPath, Segment};
use crate::finding::FixStep;
use crate::source::{FileId, Span};
use crate::yaml::edit::{CannotEdit, Edit, EditSet};
use crate::yaml::{self, Document, Node};

use super::steps;

/// A place in a source: the document, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePlace {
    /// The document's place among those of the source.
    pub document: usize,
    /// The path of the resource in it: empty, or `items[3]`.
    pub prefix: FieldPath,
}

/// Everything that happens to one source.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Steps inside resources that stay.
    pub steps: Vec<(SourcePlace, Vec<FixStep>)>,
    /// New resources, each beside the one it belongs to.
    pub added: Vec<(SourcePlace, Node)>,
    /// Resources that are removed.
    pub removed: Vec<SourcePlace>,
}

/// A source after its changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether a resource is left in them.
    pub is_empty: bool,
}

/// The source with every change made, or why it cannot be edited. Nothing is half done.
pub fn rewrite(file: FileId, bytes: &[u8], changes: &Changes) -> Result<Rewritten, CannotEdit> {
    let stream = yaml::parse(file, bytes);
    let mut set = EditSet::new();
    let mut left = 0;
    for document in &stream.documents {
        let Ok(document) = document else {
            left += 1;
            continue;
        };
        let edited = Edited {
            bytes,
            document,
            newline: newline(bytes),
        };
        let whole = edited.changes(changes, &mut set)?;
        left += usize::from(!whole);
    }
    let mut out = set.apply(bytes);
    if left == 0 && out.trim_ascii().is_empty() {
        // Readers of empty files differ; those of a comment do not.
        out = b"# nothing is left here\n".to_vec();
    }
    Ok(Rewritten {
        bytes: out,
        is_empty: left == 0,
    })
}

struct Edited<'a> {
    bytes: &'a [u8],
    document: &'a Document,
    newline: &'static str,
}

impl Edited<'_> {
    /// Adds the edits of this document; says whether it is taken out whole.
    fn changes(&self, changes: &Changes, set: &mut EditSet) -> Result<bool, CannotEdit> {
        let here = |place: &&SourcePlace| place.document == self.document.index;
        let mut intended = self.document.root.clone();
        for (place, steps) in &changes.steps {
            if here(&place) {
                let steps: Vec<_> = steps
                    .iter()
                    .map(|step| FixStep {
                        path: place.prefix.join(&step.path),
                        action: step.action.clone(),
                    })
                    .collect();
                intended = steps::apply(&intended, &steps);
            }
        }
        // From the last item to the first, so that positions stay true.
        let mut touched: Vec<&FieldPath> = changes
            .added
            .iter()
            .map(|(place, _)| place)
            .chain(&changes.removed)
            .filter(here)
            .map(|place| &place.prefix)
            .collect();
        touched.sort_by(|a, b| b.cmp(a));
        touched.dedup();
        let mut whole = false;
        let mut beside: Vec<&Node> = Vec::new();
        for prefix in touched {
            let added = changes
                .added
                .iter()
                .filter(|(place, _)| here(&place) && place.prefix == *prefix)
                .map(|(_, node)| node);
            let removed = changes
                .removed
                .iter()
                .any(|place| here(&place) && place.prefix == *prefix);
            if prefix.is_root() {
                beside.extend(added);
                whole = removed;
            } else {
                edit_list(&mut intended, prefix, added, removed);
            }
        }
        if whole && beside.is_empty() {
            set.push(self.take_out())?;
            return Ok(true);
        }
        if whole {
            // As if the old one had been taken out later, so that a run that was stopped ends alike.
            set.push(self.replace(&beside))?;
            return Ok(false);
        }
        set.merge(EditSet::between(self.bytes, self.document, &intended)?)?;
        if !beside.is_empty() {
            self.add_beside(&beside, set)?;
        }
        Ok(false)
    }

    fn is_json(&self) -> bool {
        let span = self.document.span.range();
        self.bytes[span].trim_ascii_start().starts_with(b"{")
            && serde_json::from_slice::<serde::de::IgnoredAny>(
                &self.bytes[self.document.span.range()],
            )
            .is_ok()
    }

    /// Puts resources after this document: more documents, or a List around it where it is JSON.
    fn add_beside(&self, nodes: &[&Node], set: &mut EditSet) -> Result<(), CannotEdit> {
        let span = self.document.span.range();
        if self.is_json() {
            let text = &self.bytes[span.clone()];
            let start = span.start + text.len() - text.trim_ascii_start().len();
            let end = span.start + text.trim_ascii_end().len();
            let items = nodes
                .iter()
                .map(|node| format!(",{}{}", self.newline, self.json(node)));
            let head = r#"{"apiVersion":"v1","kind":"List","items":["#;
            set.push(self.edit(start, start, head))?;
            return set.push(self.edit(end, end, &format!("{}]}}", items.collect::<String>())));
        }
        let mut text = String::new();
        if !self.bytes[..span.end].ends_with(b"\n") {
            text.push_str(self.newline);
        }
        for node in nodes {
            text.push_str("---");
            text.push_str(self.newline);
            text.push_str(&self.yaml(node));
        }
        set.push(self.edit(span.end, span.end, &text))
    }

    /// This document's content replaced whole.
    fn replace(&self, nodes: &[&Node]) -> Edit {
        let nodes = nodes.iter();
        let text = if self.is_json() {
            nodes.map(|node| self.json(node) + self.newline).collect()
        } else {
            let texts: Vec<_> = nodes.map(|node| self.yaml(node)).collect();
            texts.join(&format!("---{}", self.newline))
        };
        Edit {
            span: self.document.span,
            text,
        }
    }

    /// This document and one separator taken out.
    fn take_out(&self) -> Edit {
        let Range { start, end } = self.document.span.range();
        let before = &self.bytes[..start];
        let separator = line_before(before).filter(|at| before[*at..].starts_with(b"---"));
        let after = &self.bytes[end..];
        match separator {
            Some(at) => self.edit(at, end, ""),
            None if after.starts_with(b"---") => {
                let line = after.iter().position(|byte| *byte == b'\n');
                let line = line.map_or(after.len(), |at| at + 1);
                self.edit(start, end + line, "")
            }
            None => self.edit(start, end, ""),
        }
    }

    fn edit(&self, start: usize, end: usize, text: &str) -> Edit {
        Edit {
            span: Span::of(self.document.file, start, end),
            text: text.to_owned(),
        }
    }

    fn yaml(&self, node: &Node) -> String {
        yaml::emit::to_string(node).replace('\n', self.newline)
    }

    fn json(&self, node: &Node) -> String {
        format!("{:#}", node.to_json()).replace('\n', self.newline)
    }
}

/// Items of a list added after one, which may go.
fn edit_list<'n>(
    intended: &mut Node,
    prefix: &FieldPath,
    added: impl Iterator<Item = &'n Node>,
    removed: bool,
) {
    let Some(Segment::Index(index)) = prefix.segments().last() else {
        return;
    };
    let Some(items) = prefix.parent().find_mut(intended).and_then(Node::items_mut) else {
        return;
    };
    for (at, node) in added.enumerate() {
        let place = (index + 1 + at).min(items.len());
        items.insert(place, node.clone());
    }
    if removed && *index < items.len() {
        items.remove(*index);
    }
}

/// Where the line that ends just before the end of `bytes` begins.
fn line_before(bytes: &[u8]) -> Option<usize> {
    let line = bytes.strip_suffix(b"\n")?;
    Some(
        line.iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1),
    )
}

/// The line end the source uses.
fn newline(bytes: &[u8]) -> &'static str {
    let first = bytes.iter().position(|byte| *byte == b'\n');
    match first {
        Some(at) if at > 0 && bytes[at - 1] == b'\r' => "\r\n",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_those_of_the_first_line() {
        for (text, end) in [
            ("a\r\nb\n", "\r\n"),
            ("a\nb\r\n", "\n"),
            ("\na", "\n"),
            ("\r\na", "\r\n"),
            ("", "\n"),
        ] {
            assert_eq!(newline(text.as_bytes()), end, "{text:?}");
        }
    }

    #[test]
    fn the_last_line_begins_after_the_line_end_before_it() {
        assert_eq!(line_before(b"ab\ncd\n"), Some(3));
        assert_eq!(line_before(b"ab\n"), Some(0));
        assert_eq!(line_before(b"ab"), None);
    }
}
