//! Spellings that mean the same: `running` and `runStrategy`, deprecated topology names, kinds in the plural.

use crate::stored::Matcher;
use crate::transform::upgrade::objects::topology_name;
use crate::yaml::{Node, Value};

/// The resource with every alias in the one spelling that comparisons use. Values are kept, only their words change.
#[must_use]
pub(crate) fn canonical(group: &str, kind: &str, node: &Node) -> Node {
    let mut node = node.clone();
    match (group, kind) {
        ("kubevirt.io", "VirtualMachine") => virtual_machine(&mut node),
        (
            "instancetype.kubevirt.io",
            "VirtualMachinePreference" | "VirtualMachineClusterPreference",
        ) => {
            preference(&mut node);
        }
        _ => {}
    }
    if node.str_at("apiVersion") == "kubevirt.io/v1alpha3" {
        node.set("apiVersion", Node::string("kubevirt.io/v1"));
    }
    node
}

fn virtual_machine(node: &mut Node) {
    if node.path("spec.runStrategy").is_none_or(Node::is_null)
        && let Some(running) = node.path("spec.running").and_then(Node::as_bool)
    {
        let strategy = if running { "Always" } else { "Halted" };
        node.remove("spec.running");
        node.set("spec.runStrategy", Node::string(strategy));
    }
    for side in Matcher::ALL {
        let Some(matcher) = node
            .path_mut("spec")
            .and_then(|spec| spec.get_mut(side.field()))
        else {
            continue;
        };
        let kind = matcher.str_at("kind");
        if kind.is_empty() && matcher.path("name").is_none() {
            continue;
        }
        if let Some(kind) = side.kind_meant(kind) {
            matcher.set("kind", Node::string(kind.to_ascii_lowercase()));
        }
    }
}

fn preference(node: &mut Node) {
    let path = "spec.cpu.preferredCPUTopology";
    let Some(topology) = node.path_mut(path) else {
        return;
    };
    if let Some(modern) = topology.as_str().and_then(topology_name) {
        topology.value = Value::String(modern.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn running_and_run_strategy_are_one() {
        let old = Node::from_json(&json!({"spec": {"running": true}}));
        let new = Node::from_json(&json!({"spec": {"runStrategy": "Always"}}));
        let of = |node| canonical("kubevirt.io", "VirtualMachine", node);
        assert!(of(&old).same_value(&of(&new)));
    }

    #[test]
    fn matcher_kinds_are_one_in_any_case_and_number() {
        let spelled = |kind| {
            let vm =
                Node::from_json(&json!({"spec": {"instancetype": {"name": "a", "kind": kind}}}));
            canonical("kubevirt.io", "VirtualMachine", &vm)
        };
        let short = Node::from_json(&json!({"spec": {"instancetype": {"name": "a"}}}));
        let short = canonical("kubevirt.io", "VirtualMachine", &short);
        assert!(spelled("VirtualMachineClusterInstancetypes").same_value(&short));
        assert!(!spelled("VirtualMachineInstancetype").same_value(&short));
    }

    #[test]
    fn deprecated_topology_names_are_one_with_todays() {
        let of = |name| {
            let node = Node::from_json(&json!({"spec": {"cpu": {"preferredCPUTopology": name}}}));
            canonical(
                "instancetype.kubevirt.io",
                "VirtualMachinePreference",
                &node,
            )
        };
        assert!(of("preferCores").same_value(&of("cores")));
        assert!(!of("cores").same_value(&of("sockets")));
    }
}
