//! SARIF 2.1.0 in the shape GitHub code scanning takes: one run, every rule listed, at most 5,000 results.

use serde_json::{Value as Json, json};

use super::{Report, subject, whole_message};
use crate::finding::{Finding, Location};
use crate::rule::{self, Level, RuleInfo, Severity};
use crate::rules;
use crate::shown;

/// Results GitHub keeps of an upload.
const KEPT: usize = 5000;
/// Locations GitHub shows of a result.
const RELATED: usize = 100;

pub(super) fn write(report: &Report<'_>) -> String {
    let mut order: Vec<(usize, &Finding, String)> = report
        .findings
        .iter()
        .zip(report.fingerprints())
        .enumerate()
        .map(|(at, (finding, fingerprint))| (at, finding, fingerprint))
        .collect();
    let over = order.len().saturating_sub(KEPT);
    if over > 0 {
        order.sort_by_key(|(at, finding, _)| (std::cmp::Reverse(finding.severity), *at));
        order.truncate(KEPT);
        order.sort_by_key(|(at, _, _)| *at);
    }
    let results: Vec<Json> = order
        .iter()
        .map(|(_, finding, fingerprint)| result(report, finding, fingerprint))
        .collect();
    let mut invocation = json!({"executionSuccessful": true});
    let mut notifications: Vec<Json> = report
        .assumptions
        .iter()
        .map(|text| json!({"level": "note", "message": {"text": shown::line(text)}}))
        .collect();
    if over > 0 {
        notifications.push(json!({
            "level": "warning",
            "message": {"text": format!("{over} more findings were left out; GitHub keeps {KEPT}")},
        }));
    }
    if !notifications.is_empty() {
        invocation["toolExecutionNotifications"] = notifications.into();
    }
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "driftless",
                "informationUri": rule::HOMEPAGE,
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules::ALL.iter().map(|rule| descriptor(&rule.info)).collect::<Vec<_>>(),
            }},
            "automationDetails": {"id": "driftless/check/"},
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation],
            "results": results,
        }],
    });
    serde_json::to_string_pretty(&document).expect("strings and numbers serialize") + "\n"
}

fn descriptor(rule: &RuleInfo) -> Json {
    let what = rule.section("What it does").unwrap_or_default();
    let plain = what
        .split("\n\n")
        .next()
        .unwrap_or_default()
        .replace('\n', " ");
    json!({
        "id": id(rule),
        "name": name(rule.id),
        "shortDescription": {"text": sentence(rule.summary)},
        "fullDescription": {"text": plain},
        "helpUri": rule.url(),
        "help": {"text": plain, "markdown": rule.page()},
        "defaultConfiguration": {
            "enabled": rule.level != Level::Off,
            "level": rule.level.severity().or(rule.strict.severity()).unwrap_or(Severity::Note).as_str(),
        },
        "properties": {"tags": ["kubevirt", rule.family.as_str()], "precision": "very-high"},
    })
}

fn result(report: &Report<'_>, finding: &Finding, fingerprint: &str) -> Json {
    let index = rules::ALL
        .iter()
        .position(|rule| rule.info.id == finding.rule.id);
    let mut primary = location(report, &finding.primary);
    if let Some(subject) = subject(finding) {
        let mut logical = json!({"fullyQualifiedName": subject, "kind": "resource"});
        if let Some(field) = &finding.field {
            logical["decoratedName"] = shown::line(&field.to_string()).into();
        }
        primary["logicalLocations"] = json!([logical]);
    }
    let mut result = json!({
        "ruleId": id(finding.rule),
        "level": finding.severity.as_str(),
        "message": {"text": sentence(&whole_message(finding))},
        "locations": [primary],
        "partialFingerprints": {"driftless/v1": fingerprint},
    });
    if let Some(index) = index {
        result["ruleIndex"] = index.into();
    }
    if !finding.related.is_empty() {
        result["relatedLocations"] = finding
            .related
            .iter()
            .take(RELATED)
            .enumerate()
            .map(|(at, place)| {
                let mut related = location(report, place);
                related["id"] = (at + 1).into();
                related["message"] = json!({"text": shown::line(&place.note)});
                related
            })
            .collect();
    }
    result
}

fn location(report: &Report<'_>, place: &Location) -> Json {
    let (start, end) = report.positions(place);
    let path = report.path(place);
    let mut artifact = json!({"uri": uri(&path)});
    if !path.starts_with('/') {
        artifact["uriBaseId"] = "%SRCROOT%".into();
    }
    json!({"physicalLocation": {
        "artifactLocation": artifact,
        "region": {
            "startLine": start.line,
            "startColumn": start.column,
            "endLine": end.line,
            "endColumn": end.column,
        },
    }})
}

/// A path as a relative URI reference; an absolute one as a file URI.
fn uri(path: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::new();
    if path.starts_with('/') {
        out.push_str("file://");
    }
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

fn id(rule: &RuleInfo) -> String {
    format!("driftless/{}", rule.id)
}

/// `DeprecatedRunning`.
fn name(id: &str) -> String {
    id.split('-')
        .map(|word| {
            let (first, rest) = word.split_at(word.len().min(1));
            first.to_ascii_uppercase() + rest
        })
        .collect()
}

/// SARIF wants sentences: a capital and a full stop. Literals in backticks stay as they are.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let mut out: String = chars
        .next()
        .map(|first| first.to_uppercase().collect())
        .unwrap_or_default();
    out.push_str(chars.as_str());
    if !out.ends_with(['.', '!', '?']) {
        out.push('.');
    }
    out
}
