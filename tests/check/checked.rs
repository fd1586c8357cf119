//! A tree in memory, checked: what the tests of `check` and of its fixtures look at.

use driftless::catalog::root::Scope;
use driftless::catalog::side::{Input, Role, Side};
use driftless::check::{self, CheckOutcome, CheckRequest};
use driftless::config::{Config, Target};
use driftless::finding::Finding;
use driftless::report::{Format, Report, TextLayout};
use driftless::rule::Severity;
use driftless::schema::kinds::Kinds;
use driftless::source::Sources;

/// A tree that was checked.
pub(crate) struct Checked {
    /// Its texts.
    pub(crate) sources: Sources,
    /// What the rules came to.
    pub(crate) outcome: CheckOutcome,
}

impl Checked {
    /// Checks files given as path and text.
    pub(crate) fn new<B: AsRef<[u8]>>(
        files: &[(&str, B)],
        target: &Target,
        config: &Config,
    ) -> Self {
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
        let outcome = check::run(&CheckRequest {
            sources: &sources,
            side: &side,
            config,
            target_of: &|_| target,
            kinds: &Kinds::default(),
            only: None,
        });
        Self { sources, outcome }
    }

    /// Every finding of a rule.
    pub(crate) fn of(&self, rule: &str) -> Vec<&Finding> {
        self.outcome
            .findings
            .iter()
            .filter(|finding| finding.rule.id == rule)
            .collect()
    }

    /// Every finding in short.
    pub(crate) fn said(&self) -> Vec<String> {
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
    pub(crate) fn report(&self, format: Format) -> String {
        let report = Report {
            findings: &self.outcome.findings,
            summary: &self.outcome.summary,
            sources: &self.sources,
            kubevirt: "1.9",
            openshift: "",
            assumptions: &["KubeVirt 1.9 is assumed".to_owned()],
            fail_on: Some(Severity::Error),
            subjects: &self.outcome.subjects,
        };
        report.write(format, TextLayout::default())
    }
}
