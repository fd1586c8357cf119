//! GitLab's code quality report: fingerprints are unique, and stay when lines move.

use serde_json::json;

use super::{Report, whole_message};
use crate::rule::Severity;

pub(super) fn write(report: &Report<'_>) -> String {
    let entries: Vec<_> = report
        .findings
        .iter()
        .zip(report.fingerprints())
        .map(|(finding, fingerprint)| {
            let (start, end) = report.positions(&finding.primary);
            json!({
                "description": whole_message(finding),
                "check_name": finding.rule.id,
                "fingerprint": fingerprint,
                "severity": match finding.severity {
                    Severity::Error => "major",
                    Severity::Warning => "minor",
                    Severity::Note => "info",
                },
                "location": {
                    "path": report.path(&finding.primary),
                    "lines": {"begin": start.line, "end": end.line},
                },
            })
        })
        .collect();
    serde_json::to_string_pretty(&entries).expect("strings and numbers serialize") + "\n"
}
