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
mod releases;
mod secrets;
mod valid;

use std::path::Path;

use driftless::config::{Config, Target};
use driftless::finding::Finding;

use crate::checked::Checked;

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
