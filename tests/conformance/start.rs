//! Family `start`: the VMI that a start makes, and what the cluster answers to it.

use std::collections::BTreeSet;

use driftless::resolve::Resolver;
use driftless::rules::admission::review::review;
use driftless::rules::start::review as start_review;
use driftless::transform::admit::RANDOM_UUID;
use driftless::transform::start;
use driftless::yaml::Node;
use serde_json::{Value as Json, json};

use crate::{Case, wide};

/// Compares the VMI that is stored.
pub(crate) fn check(case: &Case) -> Result<(), String> {
    let (vm, catalog) = case.vm_and_objects();
    let target = case.target();
    let resolver = Resolver::new(&target, vec![&catalog]);
    let namespace = vm.namespace_or("default");
    let mut answer = review(&vm.node, None, &resolver);
    if !answer.is_accepted() {
        return Err(format!("not stored: {:?}", answer.causes()));
    }
    let started = start_review::review(&vm.node, &mut answer, namespace, &resolver);
    let expected = &case.expected;
    let said: Vec<String> = started
        .causes()
        .map(|cause| format!("{}: {}", cause.field, cause.message))
        .collect();
    // What leads nowhere is said by the rules of references.
    if expected["stage"] == "instancetype" && !started.is_refused() && wide::is_unresolved(case) {
        return Ok(());
    }
    let accepted = expected["admit"]["allowed"] == json!(true);
    if started.is_refused() == accepted || started.crash.is_some() {
        let answer = expected.get("error").unwrap_or(&expected["admit"]);
        return Err(format!("{said:?} {:?}\n  KubeVirt {answer}", started.crash));
    }
    if expected["admit"]["stage"] == "validate" {
        let theirs: BTreeSet<&str> = causes(expected).collect();
        let ours = started.causes().map(|cause| cause.field.as_str()).collect();
        if theirs != ours {
            return Err(format!("{said:?}\n  KubeVirt {}", expected["admit"]));
        }
    }
    match started.vmi {
        Some(vmi) => compare_vmi(case, vmi, &expected["storedVmi"]),
        None if expected["storedVmi"].is_null() => Ok(()),
        None => Err("no instance is made".to_owned()),
    }
}

fn causes(expected: &Json) -> impl Iterator<Item = &str> {
    let causes = expected["admit"]["causes"].as_array().into_iter().flatten();
    causes.map(|cause| cause["field"].as_str().unwrap_or_default())
}

fn compare_vmi(case: &Case, mut vmi: Node, wanted: &Json) -> Result<(), String> {
    const UUID: &str = "spec.domain.firmware.uuid";
    start::written(case.release, &mut vmi);
    // The recordings have one UUID for all that the VM does not write, also for those derived from its name.
    if vmi.str_at(UUID) == start::legacy_uuid(vmi.str_at("metadata.name")) {
        vmi.set(UUID, Node::string(RANDOM_UUID));
    }
    let (ours, theirs) = (comparable(vmi), comparable(Node::from_json(wanted)));
    if ours.same_value(&theirs) {
        return Ok(());
    }
    let (ours, theirs) = (leaves(&ours), leaves(&theirs));
    let only = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
        let only: Vec<_> = one.difference(other).cloned().collect();
        only.join(", ")
    };
    let (ours, theirs) = (only(&ours, &theirs), only(&theirs, &ours));
    Err(format!("only ours: {ours}\n  only KubeVirt's: {theirs}"))
}

fn leaves(node: &Node) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    node.leaves(&mut |path, node| {
        out.insert(format!("{path}: {}", node.to_json()));
    });
    out
}

/// The VMI without what conformance/README.md leaves out of comparison.
fn comparable(mut vmi: Node) -> Node {
    drop_nulls(&mut vmi);
    for path in [
        "metadata.creationTimestamp",
        "metadata.annotations",
        "spec.domain.resources.requests",
        "spec.domain.resources.limits",
        "spec.domain.resources",
        "spec.domain.devices",
    ] {
        if vmi.path(path).is_some_and(|node| node.entries().is_empty()) {
            vmi.remove(path);
        }
    }
    vmi
}

fn drop_nulls(node: &mut Node) {
    for item in node.items_mut().into_iter().flatten() {
        drop_nulls(item);
    }
    if let Some(map) = node.as_map_mut() {
        map.retain(|entry| !entry.node.is_null());
        for entry in map.entries_mut() {
            drop_nulls(&mut entry.node);
        }
    }
}
