//! The `ControllerRevision` that KubeVirt writes for an instance type or preference: name, labels, owner and data.

use crate::resolve::{Resolved, ResolvedVia, Resolver};
use crate::resource::group_version;
use crate::schema;
use crate::stored::{self, LATEST, Matcher};
use crate::transform::expand::{self, ExpandError, TemplateBase};
use crate::yaml::{Node, Value};

/// The labels of a revision that say what it stores; their common prefix is the group.
pub mod label {
    /// Generation of the stored object.
    pub(crate) const GENERATION: &str = "instancetype.kubevirt.io/object-generation";
    /// Kind of the stored object.
    pub const KIND: &str = "instancetype.kubevirt.io/object-kind";
    /// Name of the stored object.
    pub const NAME: &str = "instancetype.kubevirt.io/object-name";
    /// UID of the stored object.
    pub const UID: &str = "instancetype.kubevirt.io/object-uid";
    /// API version of the stored object.
    pub const VERSION: &str = "instancetype.kubevirt.io/object-version";
}

/// The revision's name: `<vm>-<object>-<version>-<uid>-<generation>`. Mirrors GenerateName,
/// pkg/instancetype/revision/store.go @ v1.9.0.
pub(crate) fn revision_name(vm: &str, object: &Node) -> String {
    format!(
        "{vm}-{}-{}-{}-{}",
        object.str_at("metadata.name"),
        version(object),
        object.str_at("metadata.uid"),
        object.int_at("metadata.generation"),
    )
}

/// The five labels of a revision that stores `object`.
pub fn labels(object: &Node) -> [(&'static str, String); 5] {
    let text = |path| object.str_at(path).to_owned();
    [
        (
            label::GENERATION,
            object.int_at("metadata.generation").to_string(),
        ),
        (label::KIND, text("kind")),
        (label::NAME, text("metadata.name")),
        (label::UID, text("metadata.uid")),
        (label::VERSION, version(object).to_owned()),
    ]
}

fn version(object: &Node) -> &str {
    group_version(object.str_at("apiVersion")).1
}

/// The revision of `object` that belongs to `vm`. The namespace is the VM's as written, and the owner is left out where
/// the VM has no uid. Mirrors CreateControllerRevision, pkg/instancetype/revision/store.go @ v1.9.0.
pub(crate) fn controller_revision(vm: &Node, object: &Node) -> Node {
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Node::as_map_mut) {
        metadata.retain(|entry| {
            !matches!(
                entry.key.as_str(),
                "labels" | "annotations" | "finalizers" | "ownerReferences" | "managedFields"
            ) && !entry.node.is_null()
        });
    }
    let name = vm.str_at("metadata.name");
    let mut revision = Node::map();
    revision.set("apiVersion", Node::from("apps/v1"));
    revision.set("kind", Node::from("ControllerRevision"));
    revision.set("metadata.name", Node::string(revision_name(name, &object)));
    let namespace = vm.str_at("metadata.namespace");
    if !namespace.is_empty() {
        revision.set("metadata.namespace", Node::from(namespace));
    }
    let labels = labels(&object).map(|(key, value)| (key, Node::string(value)));
    revision.set("metadata.labels", Node::from_entries(labels));
    let uid = vm.str_at("metadata.uid");
    if !uid.is_empty() {
        let owner = [
            ("apiVersion", Node::from("kubevirt.io/v1")),
            ("kind", Node::from("VirtualMachine")),
            ("name", Node::from(name)),
            ("uid", Node::from(uid)),
            ("controller", Node::from(true)),
            ("blockOwnerDeletion", Node::from(true)),
        ];
        let owners = Value::Seq(vec![Node::from_entries(owner)]);
        revision.set("metadata.ownerReferences", Node::new(owners));
    }
    revision.set("data", object);
    revision.set("revision", Node::from(0));
    revision
}

/// What a controller of the target's release would capture for a VM that starts now.
#[derive(Clone, Debug, Default)]
pub struct Captured {
    /// The revisions it creates, instance type first.
    pub revisions: Vec<Node>,
    /// The status references it writes: matcher, and the value of its `status` field.
    pub references: Vec<(Matcher, Node)>,
}

impl Captured {
    /// The JSON patch of the VM's status; `None` where nothing is to write.
    pub fn patch(&self) -> Option<serde_json::Value> {
        let operations: Vec<_> = self
            .references
            .iter()
            .map(|(matcher, value)| {
                serde_json::json!({
                    "op": "add", "path": format!("/status/{}", matcher.status_field()), "value": value.to_json(),
                })
            })
            .collect();
        (!operations.is_empty()).then(|| operations.into())
    }
}

/// The revision of the object that a matcher led to, as KubeVirt would capture it today.
pub(crate) fn revision_of(resolver: &Resolver, vm: &Node, found: &Resolved) -> Node {
    let kind = found.resource.id.kind.as_str();
    let release = resolver.release();
    let mut object = match schema::type_of(stored::GROUP, kind) {
        Some(type_name) => schema::decode(release, type_name, &found.resource.node).node,
        None => found.resource.node.clone(),
    };
    object.set(
        "apiVersion",
        Node::string(format!("{}/{LATEST}", stored::GROUP)),
    );
    object.set("kind", Node::from(kind));
    if let Some(type_name) = schema::type_of(stored::GROUP, kind) {
        schema::encode(release, type_name, &mut object);
    }
    controller_revision(vm, &order(object))
}

/// The object with apiVersion, kind, metadata and spec in this order.
fn order(mut object: Node) -> Node {
    let keys = ["apiVersion", "kind", "metadata", "spec"].into_iter();
    let entries = keys.filter_map(|key| Some((key, object.remove(key)?)));
    Node::from_entries(entries.collect::<Vec<_>>()).with_origin(object.origin)
}

/// The status reference that the controller writes for a matcher whose revision is `name`. Mirrors
/// syncStatusWithMatcher, pkg/instancetype/revision/store.go @ v1.9.0.
pub(crate) fn status_reference(vm: &Node, matcher: Matcher, name: &str) -> Node {
    let mut reference = vm
        .path("status")
        .and_then(|status| status.get(matcher.status_field()))
        .filter(|reference| reference.as_map().is_some())
        .cloned()
        .unwrap_or_else(Node::map);
    let written = vm.path("spec").and_then(|spec| spec.get(matcher.field()));
    for field in [
        "name",
        "kind",
        "inferFromVolume",
        "inferFromVolumeFailurePolicy",
    ] {
        if let Some(value) = written.map(|written| written.str_at(field))
            && !value.is_empty()
        {
            reference.set(field, Node::from(value));
        }
    }
    reference.set("controllerRevisionRef.name", Node::from(name));
    reference
}

/// The revisions that a controller of the target's release captures when the VM starts, and the status it writes. A
/// matcher that leads to a revision already captures nothing. Mirrors Store, pkg/instancetype/revision/store.go @ v1.9.0.
pub fn capture(vm: &Node, namespace: &str, resolver: &Resolver) -> Result<Captured, ExpandError> {
    let mut captured = Captured::default();
    for matcher in Matcher::ALL {
        let Some(found) = resolver.resolve(matcher, vm, namespace)? else {
            continue;
        };
        if matches!(
            found.through,
            ResolvedVia::RevisionName | ResolvedVia::StatusRef
        ) {
            continue;
        }
        if matcher == Matcher::Instancetype {
            check_conflicts(resolver, vm, &found)?;
        }
        let revision = revision_of(resolver, vm, &found);
        let reference = status_reference(vm, matcher, revision.str_at("metadata.name"));
        captured.revisions.push(revision);
        captured.references.push((matcher, reference));
    }
    Ok(captured)
}

/// The instance type may have changed since the VM was admitted, so the controller looks for conflicts once more.
fn check_conflicts(resolver: &Resolver, vm: &Node, found: &Resolved) -> Result<(), ExpandError> {
    let decoded = schema::decode(resolver.release(), "v1.VirtualMachine", vm).node;
    let mut template = decoded
        .path("spec.template")
        .cloned()
        .unwrap_or_else(Node::map);
    let spec = Some(&*found.spec);
    let release = resolver.release();
    expand::apply(release, TemplateBase::TEMPLATE, spec, None, &mut template)
}
