//! Text to documents as kubectl reads them: split, decoded, parsed; an error says where it is and, if possible, what to do.

use super::build::build;
use super::document::{Document, Error, Stream};
use super::grammar;
use super::problem::YamlProblem;
use super::raw::Raw;
use crate::source::{FileId, Span};

mod decode;
mod explain;
mod split;

/// Reads every document of a source, split as kubectl splits files.
pub fn parse(file: FileId, bytes: &[u8]) -> Stream {
    let mut stream = Stream::default();
    let mut comments = Vec::new();
    for (index, chunk) in split::chunks(bytes).into_iter().enumerate() {
        let span = Span::of(file, chunk.start, chunk.end);
        comments.extend(chunk.comment.map(|(start, end)| Span::of(file, start, end)));
        if let Some((start, end)) = chunk.bad_separator {
            let place = Span::of(file, start, end);
            let error = YamlProblem::TextAfterSeparator.at(place, index);
            stream.documents.push(Err(error));
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

/// Whether a text is YAML whose first document is a mapping, told without its values. Not for what cannot be decoded.
pub(crate) fn is_mapping(bytes: &[u8]) -> bool {
    let text = decode::decode(bytes, false);
    let (document, _) = grammar::parse(&text.text, false);
    let root = document
        .ok()
        .and_then(|document| document.nodes.into_iter().next());
    text.bad.is_none() && root.is_some_and(|root| matches!(root.raw, Raw::Mapping(_)))
}

enum Read {
    Document(Box<Document>),
    Nothing(Vec<Span>),
}

fn read(file: FileId, bytes: &[u8], base: usize, json: bool, index: usize) -> Result<Read, Error> {
    let text = decode::decode(bytes, json);
    let place = |start, end| Span::of(file, base + text.offset(start), base + text.offset(end));
    let (document, touched) = grammar::parse(&text.text, json);
    if let Some(bad) = &text.bad
        && touched
    {
        let span = Span::of(file, base + bad.at, base + bad.at + bad.len);
        return Err(bad.problem.at(span, index));
    }
    let document = document.map_err(|fault| {
        let end = text.text[fault.at..]
            .chars()
            .next()
            .map_or(fault.at, |character| fault.at + character.len_utf8());
        explain::explain(&fault, place(fault.at, end), index, &text.text)
    })?;
    let comments: Vec<_> = document
        .comments
        .iter()
        .map(|(start, end)| place(*start, *end))
        .collect();
    if document.nodes.is_empty() {
        return Ok(Read::Nothing(comments));
    }
    let built = build(&document.nodes, &place)
        .map_err(|refused| refused.problem.at(refused.span, index))?;
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
        span: Span::of(file, base, base + bytes.len()),
        strict: built.strict,
        comments,
        aliases: built.aliases,
        ignored,
        utf8: text.map.is_none(),
    })))
}

#[cfg(test)]
mod tests;
