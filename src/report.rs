//! Results in, bytes out: one pure writer a format. Findings are written from a [`Report`].

mod github;
mod gitlab;
mod json;
mod junit;
pub mod outputs;
pub mod plan_html;
pub mod plan_json;
pub mod plan_markdown;
pub mod plan_text;
mod plan_view;
mod rdjson;
mod sarif;
mod text;
pub mod tree_diff;

use std::collections::HashMap;

pub use self::text::TextLayout;

use crate::check::CheckSummary;
use crate::finding::{Finding, Location, Subject};
use crate::rule::Severity;
use crate::shown;
use crate::source::{FileId, Position, Sources};
use crate::word::words;

/// Everything a format may tell.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// What was found, in order.
    pub findings: &'a [Finding],
    /// Counts.
    pub summary: &'a CheckSummary,
    /// The texts.
    pub sources: &'a Sources,
    /// Release the manifests were judged for.
    pub kubevirt: &'a str,
    /// The OpenShift releases judged for; empty where none is known.
    pub openshift: &'a str,
    /// What was assumed, one sentence each: the release, the configuration.
    pub assumptions: &'a [String],
    /// Severity from which the run fails.
    pub fail_on: Option<Severity>,
    /// Every resource judged, with its source.
    pub subjects: &'a [(FileId, Subject)],
}

words! {
    /// The formats.
    #[non_exhaustive]
    Format {
        /// For people.
        Text = "text",
        /// `schemas/findings.json`.
        Json = "json",
        /// SARIF 2.1.0, as GitHub code scanning takes it.
        Sarif = "sarif",
        /// Workflow commands that GitHub shows as annotations.
        Github = "github",
        /// JUnit XML: one test case a resource.
        Junit = "junit",
        /// GitLab code quality.
        Gitlab = "gitlab",
        /// Reviewdog's diagnostic format.
        Rdjson = "rdjson",
        /// The same, one diagnostic a line.
        Rdjsonl = "rdjsonl",
        /// `name=value` lines for `$GITHUB_OUTPUT`: how much was found.
        GithubOutput = "github-output",
    }
}

impl Report<'_> {
    /// The report in a format; `text` says how text is laid out.
    pub fn write(&self, format: Format, text: TextLayout) -> String {
        let text = match format {
            Format::Text => text::write(self, text),
            Format::Json => json::write(self),
            Format::Sarif => sarif::write(self),
            Format::Github => github::write(self),
            Format::Junit => junit::write(self),
            Format::Gitlab => gitlab::write(self),
            Format::Rdjson => rdjson::write(self),
            Format::Rdjsonl => rdjson::write_lines(self),
            Format::GithubOutput => outputs::findings(self),
        };
        // What GitHub is to act on is ours, and holds no line break that is not escaped.
        if format == Format::Github {
            text
        } else {
            shown::page(text)
        }
    }

    /// The path of a location's source as it is printed; empty where there is none.
    fn path(&self, location: &Location) -> String {
        location
            .file
            .map(|file| shown::whole(self.sources.file(file).path()))
            .map(|path| path.strip_prefix("./").map(str::to_owned).unwrap_or(path))
            .unwrap_or_default()
    }

    /// First and last position of a location; a file as a whole is its first line.
    fn positions(&self, location: &Location) -> (Position, Position) {
        let Some(span) = location.span else {
            let first = Position { line: 1, column: 1 };
            return (first, first);
        };
        let file = self.sources.file(span.file);
        (file.position(span.start), file.position(span.end))
    }

    /// Each finding's fingerprint, made unique by a counter where two are alike.
    fn fingerprints(&self) -> Vec<String> {
        let mut seen: HashMap<String, usize> = HashMap::new();
        self.findings
            .iter()
            .map(|finding| {
                let fingerprint = finding.fingerprint(&self.path(&finding.primary));
                let count = seen.entry(fingerprint.clone()).or_default();
                *count += 1;
                match *count {
                    1 => fingerprint,
                    again => format!("{fingerprint}:{again}"),
                }
            })
            .collect()
    }
}

/// The message with the cluster's words and what to do, for formats that have one text only.
fn whole_message(finding: &Finding) -> String {
    let mut text = shown::line(&finding.message);
    if let Some(cause) = &finding.kubevirt {
        text.push_str("; KubeVirt: ");
        text.push_str(&shown::line(&cause.message));
    }
    if let Some(help) = &finding.help {
        text.push_str("; help: ");
        text.push_str(&shown::line(help));
    }
    text
}

/// The resource in words: `VirtualMachine vms/web`.
fn subject(finding: &Finding) -> Option<String> {
    finding
        .subject
        .as_ref()
        .map(|subject| match subject.id.name.as_str() {
            "" => shown::line(&subject.id.kind),
            _ => shown::line(&subject.id.to_string()),
        })
}
