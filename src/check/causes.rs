//! One cause is one finding: what an instance type or a preference gives to several guests is told once, where it stands.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{Finding, Location};
use crate::source::{FileId, Span};

/// What tells one cause from another: the rule, the place that gives the value, and the words.
type Key = (&'static str, Option<Span>, String);

/// Joins findings whose value stands in a source that is reported on. The order stays, by the first of each cause.
pub(super) fn join(findings: Vec<Finding>, reported: &BTreeSet<FileId>) -> Vec<Finding> {
    let mut joined: BTreeMap<Key, usize> = BTreeMap::new();
    let mut guests: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    let mut out: Vec<Finding> = Vec::with_capacity(findings.len());
    for mut finding in findings {
        let is_reported = |given: &Finding| {
            let file = given.primary.file;
            file.is_some_and(|file| reported.contains(&file))
        };
        let Some(mut given) = finding.given.take().filter(|given| is_reported(given)) else {
            out.push(finding);
            continue;
        };
        let guest = finding
            .subject
            .as_ref()
            .map(|subject| subject.id.to_string())
            .unwrap_or_default();
        let key = (given.rule.id, given.primary.span, given.message.clone());
        let at = *joined.entry(key).or_insert_with(|| {
            given.severity = finding.severity;
            out.push(*given);
            out.len() - 1
        });
        out[at].related.push(place_of(&finding, &guest));
        guests.entry(at).or_default().insert(guest);
    }
    for (at, guests) in guests {
        let Some(first) = guests.first() else {
            continue;
        };
        let message = &mut out[at].message;
        *message = match guests.len() - 1 {
            0 => format!("{message} {first}"),
            more => format!("{message} {first} and {more} more"),
        };
    }
    out
}

/// Where the guest stands, to be shown beside the cause.
fn place_of(finding: &Finding, guest: &str) -> Location {
    finding.primary.clone().note(format!("in {guest}"))
}
