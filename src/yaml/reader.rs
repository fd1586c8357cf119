//! Text to documents as kubectl reads them: split, decoded, parsed; an error says where and, if it can, what to do.

use smol_str::SmolStr;

use super::Node;
use super::build::build;
use super::grammar;
use super::scan::TOO_DEEP;
use crate::source::{FileId, Span};

mod decode;
mod explain;
mod split;

/// The documents of one source.
#[derive(Debug, Default)]
pub struct Stream {
    /// Every document in order; documents without content are left out.
    pub documents: Vec<Result<Document, Error>>,
}

/// One document of a stream.
#[derive(Clone, Debug)]
pub struct Document {
    /// The source it stands in.
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
    /// The same key stands twice in one mapping.
    Duplicate,
    /// A merge (`<<`) and the mapping, or two merges, set the same key.
    Merged,
    /// Two spellings such as `1` and `"1"` become one key. A strict reader lets this pass and keeps either value.
    Spellings,
}

/// Text that is no manifest: the user's to correct.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What kind of error it is.
    pub kind: ErrorKind,
    /// Where reading stopped, or the place that explains why.
    pub span: Span,
    /// What is wrong: lower case, no full stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<&'static str>,
    /// The place of the document among those of its source, from 0.
    pub index: usize,
}

/// The kinds of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The bytes are no UTF-8 (or UTF-16 with its mark).
    NotUtf8,
    /// The text is no YAML.
    Syntax,
    /// The YAML is no value Kubernetes can hold: a key that is a list, infinity, a tag that does not fit.
    Value,
    /// The document is too deep or repeats itself too often.
    TooLarge,
    /// The line holds a merge conflict marker.
    Conflict,
}

/// Reads every document of a source, split as kubectl splits files.
pub fn parse(file: FileId, bytes: &[u8]) -> Stream {
    let mut stream = Stream::default();
    let mut comments = Vec::new();
    for (index, chunk) in split::chunks(bytes).into_iter().enumerate() {
        let span = span(file, chunk.start, chunk.end);
        comments.extend(
            chunk
                .comment
                .map(|(start, end)| self::span(file, start, end)),
        );
        if let Some((start, end)) = chunk.bad_separator {
            stream.documents.push(Err(Error {
                kind: ErrorKind::Syntax,
                span: self::span(file, start, end),
                message: "only a comment may follow `---` on its line".to_owned(),
                help: Some("start the document on the next line, as kubectl requires"),
                index,
            }));
            continue;
        }
        match read(
            file,
            &bytes[chunk.start..chunk.end],
            chunk.start,
            chunk.json,
            index,
        ) {
            Ok(Read::Document(mut document)) => {
                document.span = span;
                document.comments.splice(0..0, comments.drain(..));
                stream.documents.push(Ok(*document));
            }
            Ok(Read::Nothing(met)) => comments.extend(met),
            Err(error) => {
                comments.clear();
                stream.documents.push(Err(error));
            }
        }
    }
    stream
}

/// Reads the first document of a text that is not split first, as `sigs.k8s.io/yaml` does. None where it holds nothing.
pub fn parse_first(file: FileId, bytes: &[u8]) -> Result<Option<Document>, Error> {
    Ok(match read(file, bytes, 0, false, 0)? {
        Read::Document(document) => Some(*document),
        Read::Nothing(_) => None,
    })
}

enum Read {
    Document(Box<Document>),
    Nothing(Vec<Span>),
}

fn read(file: FileId, bytes: &[u8], base: usize, json: bool, index: usize) -> Result<Read, Error> {
    let text = decode::decode(bytes, json);
    let place = |start, end| span(file, base + text.offset(start), base + text.offset(end));
    let fail = |(kind, start, end, message): (ErrorKind, usize, usize, String)| {
        let place = place(start, end);
        explain::explain(kind, place, message, index, &text.text, start)
    };
    let bad_bytes = |bad: &decode::Bad| {
        let span = span(file, base + bad.at, base + bad.at + bad.len);
        Error {
            kind: bad.kind,
            span,
            message: bad.message.to_owned(),
            help: bad.help,
            index,
        }
    };
    let (document, touched) = grammar::parse(&text.text, json);
    if let Some(bad) = &text.bad
        && touched
    {
        return Err(bad_bytes(bad));
    }
    let document = document.map_err(|fault| {
        let end = text.text[fault.at..]
            .chars()
            .next()
            .map_or(fault.at, |character| fault.at + character.len_utf8());
        let kind = if fault.message == TOO_DEEP {
            ErrorKind::TooLarge
        } else {
            ErrorKind::Syntax
        };
        fail((kind, fault.at, end, fault.message.to_owned()))
    })?;
    let comments: Vec<_> = document
        .comments
        .iter()
        .map(|(start, end)| place(*start, *end))
        .collect();
    if document.nodes.is_empty() {
        return Ok(Read::Nothing(comments));
    }
    let built = build(&document.nodes, &place).map_err(|refused| Error {
        kind: refused.kind,
        span: refused.span,
        message: refused.message.to_owned(),
        help: explain::help_for(refused.message),
        index,
    })?;
    let ignored = explain::ignored_from(&text.text[document.end..]).map(|from| {
        let from = document.end + from;
        place(from, text.text.trim_end().len().max(from))
    });
    if built.root.is_null() && ignored.is_none() && document.nodes[0].start == document.nodes[0].end
    {
        return Ok(Read::Nothing(comments));
    }
    Ok(Read::Document(Box::new(Document {
        file,
        index,
        root: built.root,
        span: span(file, base, base + bytes.len()),
        strict: built.strict,
        comments,
        aliases: built.aliases,
        ignored,
        utf8: text.map.is_none(),
    })))
}

fn span(file: FileId, start: usize, end: usize) -> Span {
    let clip = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
    Span::new(file, clip(start), clip(end))
}

#[cfg(test)]
mod tests;
