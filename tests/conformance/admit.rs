//! Families `admit`, `admit-valid` and `admit-object`: the cluster's verdict and the fields of its causes.

use driftless::resolve::Resolver;
use driftless::rules::admission::review::{Review, Verdict, review, review_object};
use driftless::yaml::Node;
use serde_json::Value as Json;

use crate::Case;

/// Compares the answer to one VM with the recorded one; an accepted VM meets nothing at all.
pub(crate) fn check(case: &Case) -> Result<(), String> {
    let (vm, catalog) = case.vm_and_objects();
    let target = case.target();
    let resolver = Resolver::new(&target, vec![&catalog]);
    let old = case.input.get("old").map(Node::from_json);
    compare(&review(&vm.node, old.as_ref(), &resolver), &case.expected)
}

/// Compares the answer to one instance type or preference.
pub(crate) fn object(case: &Case) -> Result<(), String> {
    let object = &case.input["object"];
    let kind = object["kind"].as_str().unwrap_or_default();
    compare(
        &review_object(kind, &Node::from_json(object), case.release),
        &case.expected,
    )
}

fn compare(review: &Review, expected: &Json) -> Result<(), String> {
    let said = || {
        let causes: Vec<String> = review
            .causes()
            .iter()
            .map(|cause| format!("{}: {}", cause.field, cause.message))
            .collect();
        format!("{causes:?} {:?}", review.crash)
    };
    let verdict = review.verdict();
    if expected.get("panic").is_some() {
        return (verdict == Verdict::Crashed)
            .then_some(())
            .ok_or_else(|| format!("KubeVirt crashes, we say {}", said()));
    }
    let accepted = expected["allowed"].as_bool().unwrap_or_default();
    if accepted != (verdict == Verdict::Accepted) || verdict == Verdict::Crashed {
        return Err(format!("{verdict:?} {}\n  KubeVirt {expected}", said()));
    }
    let theirs = fields(
        expected["causes"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|cause| cause["field"].as_str()),
    );
    let ours = fields(review.causes().iter().map(|cause| cause.field.as_str()));
    if ours == theirs {
        Ok(())
    } else {
        Err(format!("{}\n  KubeVirt {expected}", said()))
    }
}

/// The set of fields; a cause without one is compared by being refused at all.
fn fields<'a>(fields: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut fields: Vec<&str> = fields.filter(|field| !field.is_empty()).collect();
    fields.sort_unstable();
    fields.dedup();
    fields
}
