//! Kinds, recognized in objects, documents and texts: which are KubeVirt's, which hold one of KubeVirt's inside.

use driftless::catalog::relevance::Relevance;
use driftless::plan;
use driftless::resource::Resource;
use driftless::source::FileId;
use driftless::yaml::{self, Node, Value};

/// Whether a group is KubeVirt's, or of what belongs to it.
pub(super) fn is_kubevirts(group: &str) -> bool {
    group == "kubevirt.io" || group.ends_with(".kubevirt.io")
}

/// Whether a kind is known to be none of KubeVirt's and none that its objects name.
pub(super) fn is_foreign(kind: &str) -> bool {
    const FOREIGN: [&str; 16] = [
        "Deployment",
        "StatefulSet",
        "DaemonSet",
        "ReplicaSet",
        "Job",
        "CronJob",
        "Pod",
        "Service",
        "Ingress",
        "Route",
        "Namespace",
        "ServiceAccount",
        "Role",
        "RoleBinding",
        "ClusterRole",
        "ClusterRoleBinding",
    ];
    FOREIGN.contains(&kind)
}

/// Why an object is not judged, where it is none of the kinds that a plan judges.
pub(super) fn unjudged_kind(resource: &Resource) -> Option<String> {
    let id = &resource.id;
    if is_kubevirts(&id.group) {
        let is_judged = plan::judges(&id.group, &id.kind);
        return (!is_judged).then(|| format!("a change of kind {} is not judged", id.kind));
    }
    if id.kind == "Secret" || id.kind == "ConfigMap" || id.kind == "CustomResourceDefinition" {
        return None;
    }
    let held = nested(&resource.node, false)?;
    Some(format!(
        "it holds a {held}: what is made of it is not judged"
    ))
}

/// The kind of an object of KubeVirt that stands inside a tree.
fn nested(node: &Node, itself: bool) -> Option<String> {
    if itself {
        let version = node.str_at("apiVersion");
        let group = version.split_once('/').map_or("", |(group, _)| group);
        let kind = node.str_at("kind");
        if is_kubevirts(group) && !kind.is_empty() {
            return Some(kind.to_owned());
        }
    }
    match &node.value {
        Value::Map(map) => map
            .entries()
            .iter()
            .find_map(|entry| nested(&entry.node, true)),
        Value::Seq(items) => items.iter().find_map(|item| nested(item, true)),
        _ => None,
    }
}

/// The kind of an object of KubeVirt that stands inside a document of a text.
pub(super) fn nested_kind(bytes: &[u8], document: Option<usize>) -> Option<String> {
    if Relevance::of(bytes) < Relevance::Relevant {
        return None;
    }
    let stream = yaml::parse(FileId(u32::MAX), bytes);
    let mut documents = stream.documents.into_iter().filter_map(Result::ok);
    documents
        .find(|held| document.is_none_or(|wanted| held.index == wanted))
        .and_then(|held| nested(&held.root, true))
}

/// The kind of one document of a text.
pub(super) fn document_kind(bytes: &[u8], document: Option<usize>) -> Option<String> {
    let stream = yaml::parse(FileId(u32::MAX), bytes);
    let mut documents = stream.documents.into_iter().filter_map(Result::ok);
    let held = documents.find(|held| document.is_none_or(|wanted| held.index == wanted))?;
    let kind = held.root.str_at("kind");
    (!kind.is_empty()).then(|| kind.to_owned())
}

/// The first kind that a text names, which may be a template.
pub(super) fn kind_in(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let mut kinds = text.lines().filter_map(|line| {
        let kind = line
            .trim_start()
            .trim_start_matches("- ")
            .strip_prefix("kind:")?
            .trim();
        let is_word = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_word.then(|| kind.to_owned())
    });
    kinds.next()
}
