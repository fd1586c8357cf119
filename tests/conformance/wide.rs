//! Families `admit-wide` and `object-wide`: what `check` says of an object against what a cluster answers, stage by stage.

use std::collections::BTreeSet;

use driftless::catalog::root::Scope;
use driftless::catalog::side::{Input, Role, Side};
use driftless::check::{self, CheckRequest};
use driftless::config::Config;
use driftless::finding::Finding;
use driftless::rule::{Family, Severity};
use driftless::schema::kinds::Kinds;
use driftless::source::Sources;
use serde_json::Value as Json;

use crate::Case;

/// Compares the findings of one VM, the first object, with the recorded answer.
pub(crate) fn admit(case: &Case) -> Result<(), String> {
    let objects: Vec<&Json> = case.input["objects"]
        .as_array()
        .into_iter()
        .flatten()
        .collect();
    compare(case, &objects)
}

/// Compares the findings of one instance type or preference with the recorded answer.
pub(crate) fn object(case: &Case) -> Result<(), String> {
    compare(case, &[&case.input["object"]])
}

/// What is said of the first object at error level, beside the fields that the API server drops and references that lead
/// nowhere.
fn findings(case: &Case, objects: &[&Json]) -> Vec<Finding> {
    let mut found = errors(case, objects);
    found.retain(|finding| {
        matches!(
            finding.rule.family,
            Family::Input | Family::Admission | Family::Instancetypes
        ) && !matches!(
            finding.rule.id,
            "unknown-field"
                | "unsupported-field"
                | "duplicate-resource"
                | "unresolved-instancetype"
                | "unresolved-preference"
        )
    });
    found
}

/// Whether `check` says that a matcher of the first object leads nowhere.
pub(crate) fn is_unresolved(case: &Case) -> bool {
    let objects = case.input["objects"].as_array();
    let objects: Vec<&Json> = objects.into_iter().flatten().collect();
    errors(case, &objects).iter().any(|finding| {
        matches!(
            finding.rule.id,
            "unresolved-instancetype" | "unresolved-preference" | "dangling-revision"
        )
    })
}

/// What is said of the first object at error level.
fn errors(case: &Case, objects: &[&Json]) -> Vec<Finding> {
    let target = case.target();
    let files = objects
        .iter()
        .enumerate()
        .map(|(at, object)| (format!("{at:04}.json"), object.to_string().into_bytes()));
    let sources = Sources::from(files);
    let inputs: Vec<Input> = sources
        .iter()
        .map(|(file, _)| Input {
            file,
            role: Role::Judged,
        })
        .collect();
    let first = inputs[0].file;
    let scope = Scope {
        namespace: target.namespace.clone(),
        ..Scope::default()
    };
    let side = Side::build(&sources, inputs, &scope, &|| ());
    let outcome = check::run(&CheckRequest {
        sources: &sources,
        side: &side,
        config: &Config::default(),
        target_of: &|_| &target,
        kinds: &Kinds::default(),
        // What a type gives stays with the VM: its file is the only one reported on.
        only: Some(&BTreeSet::from([first])),
    });
    outcome
        .findings
        .into_iter()
        .filter(|finding| {
            finding.primary.file == Some(first) && finding.severity == Severity::Error
        })
        .collect()
}

fn compare(case: &Case, objects: &[&Json]) -> Result<(), String> {
    let found = findings(case, objects);
    let expected = &case.expected;
    let said = || {
        found.iter().fold(String::new(), |said, finding| {
            let theirs = finding.kubevirt.as_ref();
            let words = theirs.map(|theirs| format!("{}: {}", theirs.field, theirs.message));
            said + &format!(
                "\n  ours {} {}: {} ({})",
                finding.rule.id,
                finding
                    .field
                    .as_ref()
                    .map(ToString::to_string)
                    .unwrap_or_default(),
                finding.message,
                words.unwrap_or_default()
            )
        })
    };
    let crashes = found
        .iter()
        .any(|finding| finding.rule.id == "kubevirt-would-crash");
    if crashes != expected.get("panic").is_some() {
        return Err(format!("KubeVirt {expected}{}", said()));
    }
    if crashes {
        return Ok(());
    }
    let accepted = expected["allowed"].as_bool().unwrap_or_default();
    if accepted != found.is_empty() {
        return Err(format!("KubeVirt {expected}{}", said()));
    }
    let causes = || expected["causes"].as_array().into_iter().flatten();
    if accepted || expected["stage"] != "validate" || causes().count() >= 10 {
        return Ok(());
    }
    let theirs = set(causes().filter_map(|cause| cause["field"].as_str()));
    let ours = set(found
        .iter()
        .filter_map(|finding| Some(finding.kubevirt.as_ref()?.field.as_str())));
    if ours == theirs {
        return Ok(());
    }
    Err(format!("KubeVirt {expected}{}", said()))
}

/// The set of fields; a cause without one is compared by being refused at all.
fn set<'a>(fields: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut fields: Vec<&str> = fields.filter(|field| !field.is_empty()).collect();
    fields.sort_unstable();
    fields.dedup();
    fields
}
