//! Acceptances that commits carry: `Driftless-Accept: …` trailers between the base and the head.

use std::collections::BTreeSet;

use super::Repository;

/// A trailer with the commit that carries it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trailer {
    /// The commit's short name.
    pub(crate) commit: String,
    /// What follows the key.
    pub(crate) value: String,
}

/// The trailers of a range of commits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trailers {
    /// Each trailer, newest commit first.
    pub(crate) found: Vec<Trailer>,
    /// How many commits of the range a shallow clone does not have.
    pub(crate) missing: usize,
}

const FORMAT: &str =
    "--format=%h%x00%(trailers:key=Driftless-Accept,valueonly,unfold,separator=%x00)";

impl Repository {
    /// The acceptances in the commits that the head has and the base has not. `rev-list` reads no setting that makes git
    /// run a program.
    pub(crate) fn acceptances(&self, base: &str, head: &str) -> anyhow::Result<Trailers> {
        let range = format!("{base}..{head}");
        let text = self.git.said(&[
            "rev-list",
            "--parents",
            FORMAT,
            "--end-of-options",
            &range,
            "--",
        ])?;
        let mut out = Trailers::default();
        let mut edge = Vec::new();
        for line in text.lines() {
            if let Some(commits) = line.strip_prefix("commit ") {
                if !commits.contains(' ') {
                    edge.push(commits);
                }
                continue;
            }
            let mut fields = line.split('\0');
            let commit = fields.next().unwrap_or_default().to_owned();
            let values = fields.map(str::trim).filter(|value| !value.is_empty());
            out.found.extend(values.map(|value| Trailer {
                commit: commit.clone(),
                value: value.to_owned(),
            }));
        }
        if self.is_shallow {
            out.missing = self.missing_parents(&edge);
        }
        Ok(out)
    }

    /// How many parents of commits at the edge of a shallow clone it does not have.
    fn missing_parents(&self, edge: &[&str]) -> usize {
        let mut missing = BTreeSet::new();
        for commit in edge {
            let Ok(raw) = self.git.run(&["cat-file", "commit", commit]) else {
                continue;
            };
            let header = raw.lines().take_while(|line| !line.is_empty());
            for parent in header.filter_map(|line| line.strip_prefix("parent ")) {
                if self.git.run(&["cat-file", "-e", parent]).is_err() {
                    missing.insert(parent.to_owned());
                }
            }
        }
        missing.len()
    }
}
