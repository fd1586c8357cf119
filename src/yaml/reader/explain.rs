//! Errors that say what to do: conflict markers, tabs, missing quotes.

use crate::source::Span;
use crate::yaml::document::{Error, ErrorKind};
use crate::yaml::scan::Fault;

/// The error for a fault in `text`, explained by what stands there.
pub(super) fn explain(fault: &Fault, span: Span, index: usize, text: &str) -> Error {
    let at = fault.at;
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
            message: "merge conflict marker",
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
        _ => fault.problem.help(),
    };
    Error {
        kind: fault.problem.kind(),
        span,
        message: fault.problem.message(),
        help,
        index,
    }
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
