//! JUnit XML: one test case a resource, a failure for each finding that fails the run.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Report, whole_message};
use crate::finding::Finding;
use crate::shown;

pub(super) fn write(report: &Report<'_>) -> String {
    let mut suites: BTreeMap<String, BTreeMap<String, Vec<&Finding>>> = BTreeMap::new();
    for (file, subject) in report.subjects {
        let path = shown::whole(report.sources.file(*file).path());
        let name = shown::line(&subject.id.to_string());
        suites.entry(path).or_default().entry(name).or_default();
    }
    for finding in report.findings {
        let name = super::subject(finding).unwrap_or_else(|| "the file".to_owned());
        suites
            .entry(report.path(&finding.primary))
            .or_default()
            .entry(name)
            .or_default()
            .push(finding);
    }
    let fails = |finding: &Finding| report.fail_on.is_some_and(|from| finding.severity >= from);
    let failed = |cases: &BTreeMap<String, Vec<&Finding>>| {
        cases
            .values()
            .filter(|findings| findings.iter().any(|finding| fails(finding)))
            .count()
    };
    let tests: usize = suites.values().map(BTreeMap::len).sum();
    let failures: usize = suites.values().map(failed).sum();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuites name=\"driftless\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">"
    );
    for (path, cases) in &suites {
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\">",
            escape(path),
            cases.len(),
            failed(cases)
        );
        for (name, findings) in cases {
            let _ = write!(
                out,
                "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\"",
                escape(path),
                escape(name),
                escape(path)
            );
            if findings.is_empty() {
                out.push_str("/>\n");
                continue;
            }
            out.push_str(">\n");
            let mut quiet = String::new();
            let mut said = String::new();
            let mut first: Option<&Finding> = None;
            for finding in findings {
                let (start, _) = report.positions(&finding.primary);
                let line = format!(
                    "{path}:{}:{}: {}[{}]: {}\n",
                    start.line,
                    start.column,
                    finding.severity,
                    finding.rule.id,
                    whole_message(finding)
                );
                if fails(finding) {
                    first.get_or_insert(finding);
                    said.push_str(&line);
                } else {
                    quiet.push_str(&line);
                }
            }
            // One failure a test case: readers take no more.
            if let Some(finding) = first {
                let _ = writeln!(
                    out,
                    "      <failure message=\"{}\" type=\"{}\">{}</failure>",
                    escape(&shown::line(&finding.message)),
                    finding.rule.id,
                    escape(&said)
                );
            }
            if !quiet.is_empty() {
                let _ = writeln!(out, "      <system-out>{}</system-out>", escape(&quiet));
            }
            out.push_str("    </testcase>\n");
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

/// Text for an attribute or content; control characters are gone before.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&apos;")
}
