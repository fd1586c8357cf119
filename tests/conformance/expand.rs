//! Families `expand` and `catalog`: the expanded VM, or the error and its conflicts.

use driftless::cause::Refusal;
use driftless::resolve::Resolver;
use driftless::schema;
use driftless::transform::expand::{ExpandError, expand};
use driftless::yaml::Node;
use serde_json::Value as Json;

use crate::Case;

/// Compares one case of either family; a catalog case names built-in types only.
pub(crate) fn check(case: &Case) -> Result<(), String> {
    let (vm, catalog) = case.vm_and_objects();
    let target = case.target();
    let resolver = Resolver::new(&target, vec![&catalog]);
    let answer = expand(&vm.node, vm.namespace_or("default"), &resolver);
    let expected = &case.expected;
    match answer {
        Ok(expanded) => {
            if expected.get("vm").is_none() {
                return Err(format!("expanded, but KubeVirt: {expected}"));
            }
            let reread = schema::decode(case.release, "v1.VirtualMachine", &expanded).node;
            if !expanded.same_value(&reread) {
                return Err(format!("not in Go-normal form: {}", expanded.to_json()));
            }
            let mut written = expanded;
            schema::encode(case.release, "v1.VirtualMachine", &mut written);
            let ours = comparable(written);
            let theirs = comparable(Node::from_json(&expected["vm"]));
            if ours.same_value(&theirs) {
                Ok(())
            } else {
                Err(format!(
                    "ours {}\n  theirs {}",
                    ours.to_json(),
                    theirs.to_json()
                ))
            }
        }
        Err(ExpandError::Refused(Refusal::Crash { message })) => expected
            .get("panic")
            .map(drop)
            .ok_or_else(|| format!("would crash ({message}), but KubeVirt: {expected}")),
        Err(ExpandError::Conflicts(conflicts)) => {
            let ours = ordered(conflicts.0.iter().map(|conflict| conflict.name.as_str()));
            let theirs = ordered(
                expected["conflicts"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Json::as_str),
            );
            if ours == theirs {
                Ok(())
            } else {
                Err(format!("conflicts {ours:?}, but KubeVirt: {expected}"))
            }
        }
        // Go's decoder has words of its own: that it fails too is what is compared.
        Err(ExpandError::Malformed(problem)) => matches!(
            expected["stage"].as_str(),
            Some("validator" | "unmarshal" | "decode")
        )
        .then_some(())
        .ok_or_else(|| format!("{problem}, but KubeVirt: {expected}")),
        Err(error) => {
            if expected["error"].as_str() == Some(error.to_string().as_str()) {
                Ok(())
            } else {
                Err(format!("error {error}, but KubeVirt: {expected}"))
            }
        }
    }
}

/// Names in KubeVirt's order, but annotations, which it lists in random order, sorted.
fn ordered<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<_> = names.collect();
    let from = names
        .iter()
        .position(|name| name.starts_with("annotations."))
        .unwrap_or(names.len());
    names[from..].sort_unstable();
    names
}

/// The VM as it is written out, without what conformance/README.md leaves out of comparison.
fn comparable(mut vm: Node) -> Node {
    vm.remove("status");
    drop_nulls(&mut vm);
    for path in ["metadata", "spec.template.metadata"] {
        vm.remove(&format!("{path}.creationTimestamp"));
    }
    for path in [
        "spec.template.metadata.annotations",
        "spec.template.metadata",
        "spec.template.spec.domain.resources.requests",
        "spec.template.spec.domain.resources.limits",
        "spec.template.spec.domain.resources",
        "spec.template.spec.domain.devices",
    ] {
        if vm.path(path).is_some_and(|node| node.entries().is_empty()) {
            vm.remove(path);
        }
    }
    vm
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
