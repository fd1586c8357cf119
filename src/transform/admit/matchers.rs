//! What the webhook requires of `spec.instancetype` and `spec.preference` before it resolves them.

use crate::cause::{Cause, Refusal};
use crate::release::{Behaviour, Release};
use crate::stored::Matcher;
use crate::yaml::Node;

/// Refuses matchers that cannot be followed, and updates that leave a revision behind.
/// Mirrors validateMatchers, pkg/instancetype/webhooks/vm/mutator.go @ v1.9.0 and v1.5.3.
pub(super) fn check(release: Release, vm: &Node, old: Option<&Node>) -> Result<(), Refusal> {
    let updates = old
        .into_iter()
        .flat_map(|old| Matcher::ALL.map(|side| update_causes(side, vm, old)));
    let creates = Matcher::ALL.map(|side| causes(release, side, vm));
    updates
        .chain(creates)
        .find(|causes| !causes.is_empty())
        .map_or(Ok(()), |causes| Err(refused(causes)))
}

fn matcher(vm: &Node, side: Matcher) -> Option<&Node> {
    vm.get("spec")?
        .get(side.field())
        .filter(|node| !node.is_null())
}

/// A name that changes while its revision stays.
fn update_causes(side: Matcher, vm: &Node, old: &Node) -> Vec<Cause> {
    let (Some(new), Some(old)) = (matcher(vm, side), matcher(old, side)) else {
        return Vec::new();
    };
    let revision = new.str_at("revisionName");
    if revision.is_empty()
        || revision != old.str_at("revisionName")
        || new.str_at("name") == old.str_at("name")
    {
        return Vec::new();
    }
    vec![Cause::new(
        format!("spec.{}.revisionName", side.field()),
        "the Matcher Name has been updated without updating the RevisionName",
    )]
}

fn causes(release: Release, side: Matcher, vm: &Node) -> Vec<Cause> {
    let Some(matcher) = matcher(vm, side) else {
        return Vec::new();
    };
    let key = side.field();
    let name = side.type_name();
    let mut causes = Vec::new();
    let infers = !matcher.str_at("inferFromVolume").is_empty();
    if !infers && matcher.str_at("name").is_empty() {
        causes.push(Cause::new(
            format!("spec.{key}"),
            format!("Either Name or InferFromVolume should be provided within the {name}"),
        ));
    }
    if infers {
        for (field, word) in [("name", "Name"), ("kind", "Kind")] {
            if matcher.str_at(field).is_empty() {
                continue;
            }
            let message = if release.has(Behaviour::InferWordingAlreadySet) {
                format!("{word} already set, should be cleared before setting inferFromVolume")
            } else {
                format!(
                    "{word} should not be provided when InferFromVolume is used within the {name}"
                )
            };
            causes.push(Cause::new(format!("spec.{key}.{field}"), message));
        }
    }
    if let Some(policy) = matcher
        .get("inferFromVolumeFailurePolicy")
        .and_then(Node::as_str)
        && !["Ignore", "Reject"].contains(&policy)
    {
        causes.push(Cause::new(
            format!("spec.{key}.inferFromVolumeFailurePolicy"),
            format!("Invalid value '{policy}' for InferFromVolumeFailurePolicy"),
        ));
    }
    causes
}

fn refused(causes: Vec<Cause>) -> Refusal {
    let messages: Vec<_> = causes.iter().map(|cause| cause.message.as_str()).collect();
    Refusal::Refused {
        message: messages.join(", "),
        causes,
    }
}
