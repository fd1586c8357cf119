//! Errors that say what to do: conflict markers, tabs, missing quotes.

use crate::source::Span;
use crate::yaml::document::Error;
use crate::yaml::problem::YamlProblem;
use crate::yaml::scan::Fault;

/// The error for a fault in `text`, with help that fits the text there.
pub(super) fn explain(fault: &Fault, span: Span, index: usize, text: &str) -> Error {
    let at = fault.at;
    if let Some(marker) = conflict_marker(text) {
        // The text and the source run in step up to the error, so the distance is the same in both.
        let start = (span.start as usize + marker).saturating_sub(at);
        let span = Span::of(span.file, start, start + 7);
        return YamlProblem::ConflictMarker.at(span, index);
    }
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let indent = text[line..].len() - text[line..].trim_start_matches([' ', '\t']).len();
    let has_tab = text[line..line + indent].contains('\t');
    let mut error = fault.problem.at(span, index);
    match text[at..].chars().next() {
        first if has_tab || first == Some('\t') => {
            error.help = Some("indent with spaces; YAML does not allow tabs there");
        }
        Some('@' | '`' | '%') => error.help = Some("put the value in quotes"),
        _ => {}
    }
    error
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
