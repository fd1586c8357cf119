//! Normalize: a resource as Git should hold it, without what a cluster writes, in today's words.
//!
//! What is removed and rewritten is one definition for everything that writes manifests; `runtime` lists the data of a
//! cluster, `quantities` writes amounts canonically where a field holds one.

pub(crate) mod quantities;
pub(crate) mod runtime;
#[cfg(test)]
mod tests;

use crate::resolve::{Resolution, Resolver};
use crate::resource::Resource;
use crate::stored::Matcher;
use crate::yaml::{Node, Value};

/// Whether a document is encrypted with SOPS: it is read, never written.
pub fn is_encrypted(node: &Node) -> bool {
    node.get("sops")
        .is_some_and(|sops| !sops.entries().is_empty())
}

/// The normal form of a resource, which may be `node` in place of its own tree where something else changed it before.
/// Nothing the user wrote is lost but what the cluster owns; empty mappings stay. Normalizing again changes nothing.
pub fn normalize(resource: &Resource, node: &Node, resolver: &Resolver<'_>) -> Node {
    let mut node = node.clone();
    if is_encrypted(&node) {
        return node;
    }
    runtime::remove(&resource.id.group, &resource.id.kind, &mut node);
    if resource.is("kubevirt.io", "VirtualMachine") {
        let namespace = resource.namespace_or(&resolver.target().namespace);
        run_strategy(&mut node);
        for matcher in Matcher::ALL {
            if is_needless(matcher, &node, namespace, resolver) {
                node.remove(&format!("spec.{}.revisionName", matcher.field()));
            }
        }
    }
    quantities::canonical(
        resolver.release(),
        &resource.id.group,
        &resource.id.kind,
        &mut node,
    );
    node
}

/// `running` in today's words; a VM that sets both is refused by `KubeVirt` and stays as it is.
fn run_strategy(vm: &mut Node) {
    let Some(spec) = vm.get_mut("spec").and_then(Node::as_map_mut) else {
        return;
    };
    if spec.get("runStrategy").is_some() {
        return;
    }
    for entry in spec.entries_mut() {
        if entry.key == "running"
            && let Value::Bool(running) = entry.node.value
        {
            entry.key = "runStrategy".into();
            let strategy = if running { "Always" } else { "Halted" };
            entry.node.value = Value::String(strategy.into());
        }
    }
}

/// Whether a matcher's `revisionName` says nothing: the revision is not in the tree, or stores what the object says.
/// Where it differs it decides what the VM is, and stays.
pub(crate) fn is_needless(
    matcher: Matcher,
    vm: &Node,
    namespace: &str,
    resolver: &Resolver<'_>,
) -> bool {
    let path = format!("spec.{}.revisionName", matcher.field());
    let name = vm.str_at(&path);
    if name.is_empty() {
        // A value of another type is the user's mistake to see, not ours to take away.
        let is_blank = |node: &Node| node.is_null() || node.as_str().is_some_and(str::is_empty);
        return vm.path(&path).is_some_and(is_blank);
    }
    let revision = resolver.find("apps", "ControllerRevision", Some(namespace), name);
    if matches!(revision, Resolution::NotInRepository) {
        return true;
    }
    let pinned = resolver.resolve(matcher, vm, namespace);
    let mut unpinned = vm.clone();
    unpinned.remove(&path);
    unpinned.remove("status");
    match (pinned, resolver.resolve(matcher, &unpinned, namespace)) {
        (Ok(Some(pinned)), Ok(Some(live))) => pinned.spec.node.same_value(&live.spec.node),
        _ => false,
    }
}
