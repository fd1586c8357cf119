//! Edits as replaced spans of the original bytes: what no edit touches stays as it was written.
//!
//! A change is made on a copy of the document's tree; the edits that bring the text there are found from the two trees,
//! and the edited text is read again before anyone sees it.

use crate::source::Span;

use super::reader::parse;
use super::{Document, Node, StrictKind};

mod block;
mod flow;
mod lines;
mod plan;
mod rewrite;

/// One span replaced by other text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes taken out; empty to insert.
    pub span: Span,
    /// The text that replaces them.
    pub text: String,
}

/// Edits of one source that do not overlap, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditSet {
    edits: Vec<Edit>,
}

/// Why a document is left as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotEdit {
    /// An anchor, alias or merge: changing one place would change another.
    #[error("the document shares values by anchors, so editing one place would change another")]
    Shared(Span),
    /// The document sets a key twice, and it is not known which one is meant.
    #[error("the document sets a key twice")]
    DuplicateKey(Span),
    /// The document is not UTF-8, or uses line ends no editor would.
    #[error("the document's encoding or line ends are not ones that can be edited")]
    Encoding(Span),
    /// The layout is one the editor does not know.
    #[error("the document is laid out in a way that can only be edited by hand")]
    Layout(Span),
    /// Two edits touch the same bytes.
    #[error("two edits touch the same text")]
    Overlap(Span),
    /// The edited text would not have the intended value.
    #[error("the edited text would not mean what was intended")]
    Mismatch(Span),
}

impl EditSet {
    /// No edits.
    pub const fn new() -> Self {
        Self { edits: Vec::new() }
    }

    /// The edits that turn the document's value into `intended`, proven by reading the result.
    ///
    /// Start from a clone of `document.root`: nodes that keep their origin keep their bytes, wherever they move in a list;
    /// an entry whose key changes but whose `key_origin` does not is a renamed key. `bytes` is the whole source.
    pub fn between(bytes: &[u8], document: &Document, intended: &Node) -> Result<Self, CannotEdit> {
        if document.root.same_value(intended) {
            return Ok(Self::new());
        }
        editable(bytes, document)?;
        let mut set = Self::new();
        for edit in rewrite::edits(bytes, document, intended)? {
            set.push(edit)?;
        }
        set.prove(bytes, document, intended)?;
        Ok(set)
    }

    /// Adds an edit, in order.
    pub fn push(&mut self, edit: Edit) -> Result<(), CannotEdit> {
        let at = self.edits.partition_point(|other| {
            (other.span.start, other.span.end) <= (edit.span.start, edit.span.end)
        });
        let before = at.checked_sub(1).and_then(|at| self.edits.get(at));
        let clashes = before.is_some_and(|other| other.span.end > edit.span.start)
            || self
                .edits
                .get(at)
                .is_some_and(|other| other.span.start < edit.span.end);
        if clashes {
            return Err(CannotEdit::Overlap(edit.span));
        }
        self.edits.insert(at, edit);
        Ok(())
    }

    /// Adds the edits of another set, all or none.
    pub fn merge(&mut self, other: Self) -> Result<(), CannotEdit> {
        let mut merged = self.clone();
        for edit in other.edits {
            merged.push(edit)?;
        }
        *self = merged;
        Ok(())
    }

    /// The edits in order.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The bytes of the source with every edit made.
    pub fn apply(&self, bytes: &[u8]) -> Vec<u8> {
        self.apply_to(bytes, 0)
    }

    /// As [`Self::apply`] for a part of the source that begins at `base`.
    fn apply_to(&self, bytes: &[u8], base: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len() + 64);
        let mut at = 0;
        for edit in &self.edits {
            let span = edit.span.range();
            out.extend_from_slice(&bytes[at..span.start - base]);
            out.extend_from_slice(edit.text.as_bytes());
            at = span.end - base;
        }
        out.extend_from_slice(&bytes[at..]);
        out
    }

    /// Reads the edited document: it is one document still, ends its line if it did, and has the intended value.
    fn prove(&self, bytes: &[u8], document: &Document, intended: &Node) -> Result<(), CannotEdit> {
        let mismatch = CannotEdit::Mismatch(document.span);
        let span = document.span.range();
        let outside = |edit: &Edit| {
            edit.span.start < document.span.start || edit.span.end > document.span.end
        };
        if self.edits.iter().any(outside) {
            return Err(mismatch);
        }
        let before = &bytes[span.clone()];
        let edited = self.apply_to(before, span.start);
        // Objects of a JSON stream may share a line.
        let ends_line = before.ends_with(b"\n") && span.end < bytes.len();
        if ends_line && !edited.ends_with(b"\n") {
            return Err(mismatch);
        }
        let mut stream = parse(document.file, &edited);
        match (stream.documents.pop(), stream.documents.pop()) {
            (Some(Ok(read)), None) if read.root.same_value(intended) && read.strict.is_empty() => {
                Ok(())
            }
            _ => Err(mismatch),
        }
    }
}

fn editable(bytes: &[u8], document: &Document) -> Result<(), CannotEdit> {
    if let Some(span) = document.aliases.first() {
        return Err(CannotEdit::Shared(*span));
    }
    if let Some(problem) = document
        .strict
        .iter()
        .find(|problem| problem.kind != StrictKind::Merged)
    {
        return Err(CannotEdit::DuplicateKey(problem.second));
    }
    let text = bytes
        .get(document.span.range())
        .and_then(|bytes| std::str::from_utf8(bytes).ok());
    let odd_lines = |text: &str| {
        text.contains(['\u{85}', '\u{2028}', '\u{2029}'])
            || text.replace("\r\n", "\n").contains('\r')
    };
    if !document.utf8 || text.is_none_or(odd_lines) {
        return Err(CannotEdit::Encoding(document.span));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
