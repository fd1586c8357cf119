//! Findings that were there before: counted by fingerprint, kept in a file or taken from another side.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::source::Sources;

/// How often each fingerprint was there.
#[derive(Debug, Default)]
pub struct Baseline {
    entries: BTreeMap<String, Known>,
}

/// The file as written.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct BaselineFile {
    version: u32,
    findings: Vec<Known>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Known {
    rule: String,
    /// For people: what the finding is about. Not compared.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    resource: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    field: String,
    fingerprint: String,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    count: usize,
}

const fn one() -> usize {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the shape serde calls")]
const fn is_one(count: &usize) -> bool {
    *count == 1
}

/// The text is not a baseline; its author's to mend, or `--write-baseline`'s to write again.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// Not the JSON that is written.
    #[error("not a baseline: {0}")]
    Malformed(#[from] serde_json::Error),
    /// Written by another version.
    #[error("a baseline of version {0}; this driftless reads version 1")]
    Version(u32),
}

impl Baseline {
    /// The baseline that a set of findings makes.
    pub fn of(findings: &[Finding], sources: &Sources) -> Self {
        let mut entries: BTreeMap<String, Known> = BTreeMap::new();
        for finding in findings {
            let fingerprint = fingerprint(finding, sources);
            entries
                .entry(fingerprint.clone())
                .and_modify(|entry| entry.count += 1)
                .or_insert_with(|| Known {
                    rule: finding.rule.id.to_owned(),
                    resource: finding
                        .subject
                        .as_ref()
                        .map(|subject| subject.id.to_string())
                        .unwrap_or_default(),
                    field: finding
                        .field
                        .as_ref()
                        .map(ToString::to_string)
                        .unwrap_or_default(),
                    fingerprint,
                    count: 1,
                });
        }
        Self { entries }
    }

    /// Reads what [`Self::to_json`] wrote.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let file: BaselineFile = serde_json::from_str(text)?;
        if file.version != 1 {
            return Err(BaselineError::Version(file.version));
        }
        let entries = file
            .findings
            .into_iter()
            .map(|entry| (entry.fingerprint.clone(), entry))
            .collect();
        Ok(Self { entries })
    }

    /// The text of a baseline file, sorted so that it merges well.
    pub fn to_json(&self) -> String {
        let mut findings: Vec<Known> = self.entries.values().cloned().collect();
        findings.sort_by(|a, b| {
            (&a.rule, &a.resource, &a.field, &a.fingerprint).cmp(&(
                &b.rule,
                &b.resource,
                &b.field,
                &b.fingerprint,
            ))
        });
        let file = BaselineFile {
            version: 1,
            findings,
        };
        serde_json::to_string_pretty(&file).expect("strings and numbers serialize") + "\n"
    }

    /// Takes out what was there before, as often as it was, and says how many that were.
    pub fn subtract(&self, findings: &mut Vec<Finding>, sources: &Sources) -> usize {
        let mut left: BTreeMap<&str, usize> = self
            .entries
            .iter()
            .map(|(fingerprint, entry)| (fingerprint.as_str(), entry.count))
            .collect();
        let before = findings.len();
        findings.retain(
            |finding| match left.get_mut(fingerprint(finding, sources).as_str()) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    false
                }
                _ => true,
            },
        );
        before - findings.len()
    }
}

fn fingerprint(finding: &Finding, sources: &Sources) -> String {
    let path = finding
        .primary
        .file
        .map_or("", |file| sources.file(file).path());
    finding.fingerprint(path)
}
