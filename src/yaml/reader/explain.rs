//! Errors that say what to do: conflict markers, tabs, missing quotes.

use super::{Error, ErrorKind};
use crate::source::Span;

/// An error at `at` of `text`, explained by what stands there.
pub(super) fn explain(
    kind: ErrorKind,
    span: Span,
    message: String,
    index: usize,
    text: &str,
    at: usize,
) -> Error {
    if let Some(marker) = conflict_marker(text) {
        // The text and the source run in step up to the error, so the distance is the same in both.
        let shift = |offset: usize| {
            let back =
                i64::try_from(at).unwrap_or_default() - i64::try_from(offset).unwrap_or_default();
            u32::try_from(i64::from(span.start) - back).unwrap_or(span.start)
        };
        return Error {
            kind: ErrorKind::Conflict,
            span: Span::new(span.file, shift(marker), shift(marker + 7)),
            message: "merge conflict marker".to_owned(),
            help: Some("resolve the merge conflict and remove its markers"),
            index,
        };
    }
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let indent = text[line..].len() - text[line..].trim_start_matches([' ', '\t']).len();
    let tab = text[line..line + indent].find('\t');
    let first = text[at..].chars().next();
    let help = match (tab, first) {
        (Some(_), _) | (_, Some('\t')) => {
            Some("indent with spaces; YAML does not allow tabs there")
        }
        (None, Some('@' | '`' | '%')) => Some("put the value in quotes"),
        _ => help_for(&message),
    };
    Error {
        kind,
        span,
        message,
        help,
        index,
    }
}

/// What to do about a message, whatever stands there.
pub(super) fn help_for(message: &str) -> Option<&'static str> {
    Some(match message {
        "mapping values are not allowed in this context" => {
            "quote a value that contains `: `, or correct the indentation of this line"
        }
        "did not find expected key"
        | "did not find expected '-' indicator"
        | "could not find expected ':'"
        | "block sequence entries are not allowed in this context" => {
            "correct the indentation of this line, or of the one before"
        }
        "found unknown escape character" => "write `\\\\` for a backslash, or use single quotes",
        "unknown anchor referenced" => {
            "define the anchor earlier in the same document, or quote a value that begins with `*`"
        }
        "did not find expected alphabetic or numeric character" => {
            "quote a value that begins with `*` or `&`"
        }
        "did not find expected <document start>" => {
            "remove the `%` line; kubectl reads what stands before `---` as a document of its own"
        }
        "found incompatible YAML document" => "remove the `%YAML` line; kubectl reads YAML 1.1",
        "found unexpected end of stream" => "close the quote that starts here",
        "did not find expected ',' or ']'" => {
            "close the list with `]`, or separate its items by `,`"
        }
        "did not find expected ',' or '}'" => {
            "close the mapping with `}`, or separate its entries by `,`"
        }
        "a key may not be a mapping or a list" => "quote a value that begins with `{{`",
        "the document is made almost wholly of aliases" => {
            "write the values out instead of aliases of aliases"
        }
        _ => return None,
    })
}

/// Where a line of a merge conflict begins.
fn conflict_marker(text: &str) -> Option<usize> {
    if text.starts_with("<<<<<<< ") {
        return Some(0);
    }
    ["\n<<<<<<< ", "\n>>>>>>> "]
        .iter()
        .filter_map(|marker| text.find(marker))
        .min()
        .map(|at| at + 1)
}

/// Where text that is no blank, comment or `...` begins in what follows a document.
pub(super) fn ignored_from(rest: &str) -> Option<usize> {
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        let content = line.trim();
        if !content.is_empty() && !content.starts_with('#') && content != "..." {
            return Some(at + (line.len() - line.trim_start().len()));
        }
        at += line.len();
    }
    None
}
