//! One revision: what it stores, its labels, and what it takes from its VM.

use super::capture::label;
use super::matcher_field;
use crate::release::Release;
use crate::resolve::{Resolution, Resolver};
use crate::resource::Resource;
use crate::stored::{self, Matcher};
use crate::yaml::Node;

/// The revision of that name in the VM's namespace.
pub(super) fn find<'a>(resolver: &Resolver<'a>, namespace: &str, name: &str) -> Resolution<'a> {
    resolver.find("apps", "ControllerRevision", Some(namespace), name)
}

/// The version a revision's label claims.
pub(super) fn version_label(revision: &Node) -> Option<&str> {
    revision
        .path("metadata.labels")?
        .get(label::VERSION)
        .and_then(Node::as_str)
}

/// Whether two revisions store the same spec, as KubeVirt compares them.
pub(super) fn stores_same(release: Release, one: &Node, other: &Node) -> bool {
    let spec = |revision: &Node| {
        let data = revision.get("data")?;
        let kind = data.str_at("kind");
        stored::decode_spec(release, data, Matcher::of_kind(kind)?).ok()
    };
    match (spec(one), spec(other)) {
        (Some(one), Some(other)) => one.same_value(&other),
        _ => false,
    }
}

pub(super) fn revision_object(revision: &Node) -> Node {
    revision.get("data").cloned().unwrap_or_else(Node::map)
}

/// What it means that KubeVirt's own conversion sets fields that nobody set.
pub(super) fn set_by_kubevirt(fields: &[&str]) -> Option<String> {
    let what = fields.join(", ");
    (!fields.is_empty())
        .then(|| format!("sets {what}, which conflict with a VM that sets them too"))
}

/// A bare spec stores no name; the VM's matcher knows it, and KubeVirt looks for that name in the label.
pub(super) fn name_as_matcher(vm: &Resource, matcher: Matcher, object: &mut Node) {
    let written = matcher_field(matcher);
    let text = |field: &str| {
        written
            .field(field)
            .find(&vm.node)
            .and_then(Node::as_str)
            .unwrap_or_default()
    };
    if !text("name").is_empty() {
        object.set("metadata.name", Node::from(text("name")));
    }
    if let Some(kind) = matcher.kind_meant(text("kind")) {
        object.set("kind", Node::from(kind));
    }
}
