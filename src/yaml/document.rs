//! What reading gives: documents, what a strict reader refuses in them, and errors.

use smol_str::SmolStr;

use super::Node;
use crate::source::{FileId, Span};

/// The documents of one source.
#[derive(Debug, Default)]
pub struct Stream {
    /// Every document in order; documents without content are left out.
    pub documents: Vec<Result<Document, Error>>,
}

/// One document of a stream.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its source.
    pub file: FileId,
    /// Its place among the documents of the source, from 0; documents without content count.
    pub index: usize,
    /// The value, read leniently: the last of two equal keys wins.
    pub root: Node,
    /// The bytes between its separators.
    pub span: Span,
    /// What a strict reader would refuse.
    pub strict: Vec<StrictProblem>,
    /// The comments, from `#` to the end of their line, with those of documents without content before it.
    pub comments: Vec<Span>,
    /// Aliases and merge keys. A document that has any is not edited: one place would change several.
    pub aliases: Vec<Span>,
    /// Text after the end of the document that kubectl never reads: a second value, or anything after `...`.
    pub ignored: Option<Span>,
    /// Whether the bytes are UTF-8; only such documents are edited.
    pub utf8: bool,
}

/// Something a strict reader refuses and a lenient one does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrictProblem {
    /// What is wrong.
    pub kind: StrictKind,
    /// The key set twice.
    pub key: SmolStr,
    /// The key whose value is lost.
    pub first: Span,
    /// The key whose value wins.
    pub second: Span,
    /// Whether it is a key of the document itself.
    pub at_root: bool,
}

impl StrictProblem {
    /// What to do about it, where the file shows it.
    pub fn help(&self) -> Option<&'static str> {
        let starts_object = matches!(self.key.as_str(), "apiVersion" | "kind");
        (self.at_root && starts_object && self.kind == StrictKind::Duplicate)
            .then_some("put `---` on a line of its own between two documents")
    }
}

/// How a key came to be set twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrictKind {
    /// The same key is twice in one mapping.
    Duplicate,
    /// A merge (`<<`) and the mapping, or two merges, set the same key.
    Merged,
    /// Two spellings such as `1` and `"1"` become one key. A strict reader lets this pass and keeps either value.
    Spellings,
}

/// Text that cannot be read as a manifest; the user has to correct it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What kind of error it is.
    pub kind: ErrorKind,
    /// Where reading stopped, or the place that explains why.
    pub span: Span,
    /// What is wrong: lower case, no full stop.
    pub message: &'static str,
    /// What to do about it.
    pub help: Option<&'static str>,
    /// The place of the document among those of its source, from 0.
    pub index: usize,
}

/// The kinds of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The bytes are not UTF-8 (or UTF-16 with its mark).
    NotUtf8,
    /// The text is not YAML.
    Syntax,
    /// Kubernetes cannot hold the value: a key that is a list, infinity, a tag that does not fit.
    Value,
    /// The document is too deep or repeats itself too often.
    TooLarge,
    /// The line holds a merge conflict marker.
    Conflict,
}
