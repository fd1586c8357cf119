//! `check` over whole files: fixtures, behaviours users meet, formats, secrets, and what is generated from the rules.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests are a shell too"
)]

mod behaviours;
mod checked;
mod command;
mod formats;
mod generated;
#[path = "../golden.rs"]
mod golden;
mod kinds;
mod releases;
mod secrets;
mod valid;

use driftless::config::{Config, Target};
use driftless::finding::Finding;

use crate::checked::Checked;
use crate::golden::{compare, repository};

impl Checked {
    /// Checks one file for the newest release.
    pub(crate) fn one(text: &str) -> Self {
        Self::new(&[("vm.yaml", text)], &Target::default(), &Config::default())
    }

    /// The one finding of a rule.
    #[track_caller]
    pub(crate) fn only(&self, rule: &str) -> &Finding {
        let found = self.of(rule);
        assert_eq!(found.len(), 1, "{rule}: {:?}", self.said());
        found[0]
    }
}
