//! Data in Git that the cluster writes.

use crate::field_path::FieldPath;
use crate::finding::{Applicability, FixAction};
use crate::rule::Severity;
use crate::rules::{Context, Findings};
use crate::transform::normalize::runtime::{ANNOTATIONS, FINALIZERS, METADATA};
use crate::yaml::{Map, Node};

rule! {
    /// ## What it does
    ///
    /// Reports, once an object, what only the cluster writes: `status`, `uid`, `resourceVersion`, `generation`, `managedFields`,
    /// `creationTimestamp` (also nested in templates), owner references with a uid, and annotations and finalizers that
    /// controllers own.
    ///
    /// ## Why it matters
    ///
    /// None of it is desired state. A stale `resourceVersion` makes an apply fail, a foreign `uid` too; the rest is
    /// dropped or written over, and shows as a difference until someone removes it. `creationTimestamp: null`, which
    /// `virtctl` and `kubectl create --dry-run` print, does no harm and is a note.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// metadata:
    ///   uid: 0b7e7d9c-3f53-4e0c-9f0b-1f6f4c4d2a11
    ///   resourceVersion: "4711"
    /// status:
    ///   ready: true
    /// ```
    ///
    /// ```text
    /// metadata.uid: the cluster writes `metadata.uid`, `metadata.resourceVersion`, `status`
    /// ```
    ///
    /// ```yaml,good
    /// metadata:
    ///   labels: {app: web}
    /// ```
    ///
    /// ## Fix safety
    ///
    /// Safe: the API server ignores these fields on apply, or refuses the object because of them.
    ///
    /// ## Limits
    ///
    /// ControllerRevisions are not looked at: theirs is data that `driftless upgrade` needs. Guest identity (firmware UUID,
    /// serial, MAC address) is never runtime data.
    "runtime-data": "Git holds data that the cluster writes",
    level: Warning,
    check: Catalog(check),
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    for resource in context.catalog.resources() {
        let claims = matches!(
            resource.id.kind.as_str(),
            "PersistentVolumeClaim" | "VolumeSnapshot"
        );
        if !resource.id.group.ends_with("kubevirt.io") && !claims {
            continue;
        }
        let data = runtime_data(&resource.node);
        let Some((first, _)) = data.first() else {
            continue;
        };
        let harmless = data.iter().all(|(_, harmless)| *harmless);
        let names: Vec<String> = data
            .iter()
            .take(4)
            .map(|(path, _)| format!("`{path}`"))
            .collect();
        let more = match data.len().saturating_sub(4) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let finding = findings.report_key(
            resource,
            first.clone(),
            format!("the cluster writes {}{more}", names.join(", ")),
        );
        if harmless {
            finding.severity(Severity::Note);
        }
        finding
            .help("remove it; `driftless render` prints the manifest without it")
            .fix(
                Applicability::Safe,
                "remove what the cluster writes",
                data.into_iter().map(|(path, _)| (path, FixAction::Remove)),
            );
    }
}

/// What only the cluster writes, the worst first, each with whether it does no harm.
fn runtime_data(root: &Node) -> Vec<(FieldPath, bool)> {
    let mut data = Vec::new();
    let at = FieldPath::root();
    metadata(root.get("metadata"), &at.field("metadata"), true, &mut data);
    if let Some(status) = root.get("status") {
        let empty = status.is_null() || status.as_map().is_some_and(Map::is_empty);
        data.push((at.field("status"), empty));
    }
    let spec = at.field("spec");
    let template = spec.field("template").field("metadata");
    metadata(
        root.path("spec.template.metadata"),
        &template,
        false,
        &mut data,
    );
    for (index, template) in root.items_at("spec.dataVolumeTemplates").iter().enumerate() {
        let at = spec
            .field("dataVolumeTemplates")
            .index(index)
            .field("metadata");
        metadata(template.get("metadata"), &at, false, &mut data);
    }
    data.sort_by_key(|(_, harmless)| *harmless);
    data
}

fn metadata(
    metadata: Option<&Node>,
    at: &FieldPath,
    owned: bool,
    data: &mut Vec<(FieldPath, bool)>,
) {
    let Some(metadata) = metadata else { return };
    for key in METADATA {
        if let Some(value) = metadata.get(key) {
            data.push((at.field(key), value.is_null()));
        }
    }
    if let Some(annotations) = metadata.get("annotations") {
        let at = at.field("annotations");
        let written = ANNOTATIONS
            .iter()
            .filter(|key| annotations.get(key).is_some());
        data.extend(written.map(|key| (at.field(key), false)));
    }
    if !owned {
        return;
    }
    let finalizers = metadata
        .get("finalizers")
        .map(Node::items)
        .unwrap_or_default();
    for (index, item) in finalizers.iter().enumerate() {
        if item.as_str().is_some_and(|name| FINALIZERS.contains(&name)) {
            data.push((at.field("finalizers").index(index), false));
        }
    }
    let owners = metadata
        .get("ownerReferences")
        .map(Node::items)
        .unwrap_or_default();
    if owners.iter().any(|owner| owner.get("uid").is_some()) {
        data.push((at.field("ownerReferences"), false));
    }
}
