//! JSON of `schemas/findings.json`, version 1. A test validates every report against the schema.

use serde::Serialize;

use super::Report;
use crate::check::CheckSummary;
use crate::finding::{Finding, Location};
use crate::shown;
use crate::source::Position;

#[derive(Serialize)]
struct V1<'a> {
    version: u32,
    kubevirt: KubeVirt<'a>,
    findings: Vec<V1Finding>,
    summary: &'a CheckSummary,
}

#[derive(Serialize)]
struct KubeVirt<'a> {
    release: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    openshift: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    assumptions: &'a [String],
}

#[derive(Serialize)]
struct V1Finding {
    rule: &'static str,
    severity: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kubevirt: Option<V1Cause>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<V1Resource>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    #[serde(flatten)]
    place: V1Place,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<V1Related>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<V1Fix>,
    fingerprint: String,
    url: String,
}

#[derive(Serialize)]
struct V1Cause {
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
}

#[derive(Serialize)]
struct V1Resource {
    #[serde(rename = "apiVersion")]
    api_version: String,
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
    name: String,
}

#[derive(Serialize)]
struct V1Place {
    file: String,
    document: usize,
    start: Position,
    end: Position,
}

#[derive(Serialize)]
struct V1Related {
    #[serde(flatten)]
    place: V1Place,
    note: String,
}

#[derive(Serialize)]
struct V1Fix {
    title: String,
    applicability: &'static str,
}

pub(super) fn write(report: &Report<'_>) -> String {
    let findings = report
        .findings
        .iter()
        .zip(report.fingerprints())
        .map(|(of, fingerprint)| finding(report, of, fingerprint))
        .collect();
    let document = V1 {
        version: 1,
        kubevirt: KubeVirt {
            release: report.kubevirt,
            openshift: report.openshift,
            assumptions: report.assumptions,
        },
        findings,
        summary: report.summary,
    };
    let document =
        shown::json(serde_json::to_value(document).expect("strings and numbers serialize"));
    format!("{document:#}\n")
}

fn finding(report: &Report<'_>, finding: &Finding, fingerprint: String) -> V1Finding {
    V1Finding {
        rule: finding.rule.id,
        severity: finding.severity.as_str(),
        message: shown::line(&finding.message),
        help: finding.help.as_deref().map(shown::line),
        kubevirt: finding.kubevirt.as_ref().map(|cause| V1Cause {
            message: shown::lines(&cause.message),
            field: (!cause.field.is_empty()).then(|| shown::line(&cause.field)),
        }),
        resource: finding.subject.as_ref().map(|subject| V1Resource {
            api_version: shown::line(&subject.api_version),
            kind: shown::line(&subject.id.kind),
            namespace: subject.id.namespace.as_deref().map(shown::line),
            name: shown::line(&subject.id.name),
        }),
        field: finding
            .field
            .as_ref()
            .map(|field| shown::line(&field.to_string())),
        place: place(report, &finding.primary),
        related: finding
            .related
            .iter()
            .map(|location| V1Related {
                place: place(report, location),
                note: shown::line(&location.note),
            })
            .collect(),
        fix: finding.fix.as_ref().map(|fix| V1Fix {
            title: shown::line(&fix.title),
            applicability: fix.applicability.as_str(),
        }),
        fingerprint,
        url: finding.rule.url(),
    }
}

fn place(report: &Report<'_>, location: &Location) -> V1Place {
    let (start, end) = report.positions(location);
    V1Place {
        file: report.path(location),
        document: location.document,
        start,
        end,
    }
}
