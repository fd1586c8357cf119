//! Reviewdog's diagnostic format, as one document or one diagnostic a line.

use serde_json::{Value as Json, json};

use super::{Report, whole_message};
use crate::finding::{Finding, Location};
use crate::rule::{self, Severity};
use crate::shown;

pub(super) fn write(report: &Report<'_>) -> String {
    let document = json!({
        "source": {"name": "driftless", "url": rule::HOMEPAGE},
        "severity": report.findings.iter().map(|finding| finding.severity).max().map_or("INFO", level),
        "diagnostics": report.findings.iter().map(|finding| diagnostic(report, finding)).collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&document).expect("strings and numbers serialize") + "\n"
}

pub(super) fn write_lines(report: &Report<'_>) -> String {
    let mut out = String::new();
    for finding in report.findings {
        let mut line = diagnostic(report, finding);
        line["source"] = json!({"name": "driftless", "url": rule::HOMEPAGE});
        out.push_str(&line.to_string());
        out.push('\n');
    }
    out
}

fn diagnostic(report: &Report<'_>, finding: &Finding) -> Json {
    let mut diagnostic = json!({
        "message": whole_message(finding),
        "location": location(report, &finding.primary),
        "severity": level(finding.severity),
        "code": {"value": finding.rule.id, "url": finding.rule.url()},
    });
    if !finding.related.is_empty() {
        diagnostic["related_locations"] = finding
            .related
            .iter()
            .map(|place| json!({"message": shown::line(&place.note), "location": location(report, place)}))
            .collect();
    }
    diagnostic
}

fn location(report: &Report<'_>, place: &Location) -> Json {
    let (start, end) = report.positions(place);
    json!({
        "path": report.path(place),
        "range": {
            "start": {"line": start.line, "column": start.column},
            "end": {"line": end.line, "column": end.column},
        },
    })
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "ERROR",
        Severity::Warning => "WARNING",
        Severity::Note => "INFO",
    }
}
