//! CPU features a preference adds.

use super::super::crash;
use crate::cause::Refusal;
use crate::yaml::{Node, Value};

/// Adds the preferred features that the VM does not name.
/// Mirrors applyCPUPreferences, pkg/instancetype/preference/apply/cpu.go @ v1.9.0, which dereferences `domain.cpu`
/// though only an instance type is sure to have made it.
pub(super) fn apply(preference: &Node, spec: &mut Node) -> Result<(), Refusal> {
    let preferred = preference.items_at("cpu.preferredCPUFeatures");
    if preferred.is_empty() {
        return Ok(());
    }
    let Some(cpu) = spec.path_mut("domain.cpu") else {
        return Err(crash(
            "the preference has cpu.preferredCPUFeatures and the VM has no domain.cpu",
        ));
    };
    let held = cpu.items_at("features");
    let missing: Vec<Node> = preferred
        .iter()
        .filter(|feature| {
            let name = feature.str_at("name");
            !held.iter().any(|held| held.str_at("name") == name)
        })
        .cloned()
        .collect();
    let Some(first) = missing.first() else {
        return Ok(());
    };
    let origin = first.origin;
    match cpu.get_mut("features").and_then(Node::items_mut) {
        Some(features) => features.extend(missing),
        None => cpu.set(
            "features",
            Node::new(Value::Seq(missing)).with_origin(origin),
        ),
    }
    Ok(())
}
