//! Workflow commands, which GitHub shows as annotations: GitHub shows ten of each level for a step and drops the
//! rest, so the report says how many there are.

use std::fmt::Write as _;

use super::{Report, subject, whole_message};
use crate::rule::Severity;

/// Annotations GitHub keeps of each level and step.
const KEPT: usize = 10;

pub(super) fn write(report: &Report<'_>) -> String {
    let mut out = String::new();
    let mut left = Vec::new();
    for (severity, command, plural) in [
        (Severity::Error, "error", "errors"),
        (Severity::Warning, "warning", "warnings"),
        (Severity::Note, "notice", "notes"),
    ] {
        let of_level = || {
            report
                .findings
                .iter()
                .filter(|finding| finding.severity == severity)
        };
        for finding in of_level().take(KEPT) {
            let (start, end) = report.positions(&finding.primary);
            let file = report.path(&finding.primary);
            let title = match subject(finding) {
                Some(subject) => format!("{}: {subject}", finding.rule.id),
                None => finding.rule.id.to_owned(),
            };
            let _ = write!(out, "::{command} ");
            if !file.is_empty() {
                let _ = write!(out, "file={},line={}", property(&file), start.line);
                if start.line == end.line {
                    let _ = write!(
                        out,
                        ",endLine={},col={},endColumn={}",
                        end.line, start.column, end.column
                    );
                } else {
                    // GitHub takes columns only where both are on one line.
                    let _ = write!(out, ",endLine={}", end.line);
                }
                out.push(',');
            }
            let _ = writeln!(
                out,
                "title={}::{}",
                property(&title),
                data(&whole_message(finding))
            );
        }
        let over = of_level().count().saturating_sub(KEPT);
        if over > 0 {
            left.push(format!("{over} more {plural}"));
        }
    }
    if !left.is_empty() {
        let _ = writeln!(
            out,
            "driftless: {} are not annotated, because GitHub shows {KEPT} of each level; --format text or sarif has all",
            left.join(", ")
        );
    }
    out
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
