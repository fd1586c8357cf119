//! `check` over whole files: fixtures, behaviours users meet, formats, secrets, and what is generated from the rules.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests are a shell too"
)]

mod behaviours;
mod command;
mod fixtures;
mod formats;
mod generated;
mod secrets;
mod valid;

use std::path::Path;

use driftless::catalog::root::Scope;
use driftless::catalog::side::{Input, Role, Side};
use driftless::check::{self, Outcome, Request};
use driftless::config::{Config, Target};
use driftless::finding::Finding;
use driftless::report::{Format, Report, Text};
use driftless::rule::Severity;
use driftless::source::Sources;

/// A tree that was checked.
pub struct Checked {
    /// Its texts.
    pub sources: Sources,
    /// What the rules came to.
    pub outcome: Outcome,
}

impl Checked {
    /// Checks files given as path and text.
    pub fn new<B: AsRef<[u8]>>(files: &[(&str, B)], target: &Target, config: &Config) -> Self {
        let sources = Sources::from(
            files
                .iter()
                .map(|(path, text)| (*path, text.as_ref().to_vec())),
        );
        let inputs = sources
            .iter()
            .map(|(file, _)| Input {
                file,
                role: Role::Judged,
            })
            .collect();
        let scope = Scope {
            namespace: target.namespace.clone(),
            ..Scope::default()
        };
        let side = Side::build(&sources, inputs, &scope, &|| ());
        let outcome = check::run(&Request {
            sources: &sources,
            side: &side,
            config,
            target_of: &|_| target,
            only: None,
        });
        Self { sources, outcome }
    }

    /// Checks one file for the newest release.
    pub fn one(text: &str) -> Self {
        Self::new(&[("vm.yaml", text)], &Target::default(), &Config::default())
    }

    /// Every finding of a rule.
    pub fn of(&self, rule: &str) -> Vec<&Finding> {
        self.outcome
            .findings
            .iter()
            .filter(|finding| finding.rule.id == rule)
            .collect()
    }

    /// The one finding of a rule.
    #[track_caller]
    pub fn only(&self, rule: &str) -> &Finding {
        let found = self.of(rule);
        assert_eq!(found.len(), 1, "{rule}: {:?}", self.said());
        found[0]
    }

    /// Every finding in short.
    pub fn said(&self) -> Vec<String> {
        self.outcome
            .findings
            .iter()
            .map(|finding| {
                format!(
                    "{}[{}]: {}",
                    finding.severity, finding.rule.id, finding.message
                )
            })
            .collect()
    }

    /// The report in a format.
    pub fn report(&self, format: Format) -> String {
        let report = Report {
            findings: &self.outcome.findings,
            summary: &self.outcome.summary,
            sources: &self.sources,
            kubevirt: "1.9",
            assumptions: &["KubeVirt 1.9 is assumed".to_owned()],
            fail_on: Some(Severity::Error),
            subjects: &self.outcome.subjects,
        };
        report.write(format, Text::default())
    }
}

/// Compares a text with the file that holds it; `UPDATE=1` writes the file instead.
#[track_caller]
pub fn compare(file: &Path, actual: &str) {
    let expected = std::fs::read_to_string(file).unwrap_or_default();
    if expected == actual {
        return;
    }
    if std::env::var_os("UPDATE").is_some() {
        if let Some(directory) = file.parent() {
            std::fs::create_dir_all(directory).unwrap();
        }
        std::fs::write(file, actual).unwrap();
        return;
    }
    let diff = similar::TextDiff::from_lines(expected.as_str(), actual);
    panic!(
        "{} is out of step; UPDATE=1 cargo test rewrites it\n{}",
        file.display(),
        diff.unified_diff().context_radius(2)
    );
}

/// A path inside the repository.
pub fn repository(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
