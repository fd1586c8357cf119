//! An upgrade for a running cluster: JSON patches, and a script of `kubectl` commands to read before it is run.

use serde_json::{Value as Json, json};

use crate::field_path::{FieldPath, Segment};
use crate::finding::{FixAction, FixStep};
use crate::resource::Resource;
use crate::shown::Shown;
use crate::transform::upgrade::{ChangedResource, Created, Upgrade, shell_word};
use crate::yaml::{self, Node};

/// One patch of one object.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Patch {
    /// Namespace as written; `None` where the manifest names none.
    pub namespace: Option<String>,
    /// What `kubectl` calls its kind: `virtualmachines.kubevirt.io`.
    pub resource: String,
    /// Its name.
    pub name: String,
    /// Whether it patches the status subresource.
    pub status: bool,
    /// The operations.
    pub operations: Json,
}

/// The patches of a resource that changes. The API version of a manifest needs no patch: a cluster serves every version.
pub fn patches(changed: &ChangedResource) -> Vec<Patch> {
    let resource = changed.resource;
    let lifts_version = changed
        .steps
        .iter()
        .any(|step| step.path.to_string() == "apiVersion");
    let is_vm = resource.is("kubevirt.io", "VirtualMachine");
    if lifts_version && !is_vm {
        // What the old version dropped, no cluster has; what it defaulted, the cluster keeps as it is.
        return Vec::new();
    }
    [false, true]
        .into_iter()
        .filter_map(|status| {
            let operations: Vec<Json> = changed
                .steps
                .iter()
                .filter(|step| step.path.to_string() != "apiVersion")
                .filter(|step| begins_with_status(&step.path) == status)
                .flat_map(|step| operations(&resource.node, step))
                .collect();
            (!operations.is_empty()).then(|| Patch {
                namespace: resource.id.namespace.as_ref().map(ToString::to_string),
                resource: plural(resource),
                name: resource.id.name.to_string(),
                status,
                operations: operations.into(),
            })
        })
        .collect()
}

/// Everything in the safe order, as one JSON value.
pub fn to_json(upgrade: &Upgrade) -> Json {
    let mut steps: Vec<Json> = Vec::new();
    for created in &upgrade.created {
        steps.push(json!({"create": created.node.to_json()}));
    }
    for patch in upgrade.changed.iter().flat_map(patches) {
        let mut step = json!({"resource": patch.resource, "name": patch.name});
        if let Some(namespace) = patch.namespace {
            step["namespace"] = namespace.into();
        }
        if patch.status {
            step["subresource"] = "status".into();
        }
        step["operations"] = patch.operations;
        steps.push(json!({"patch": step}));
    }
    for removed in &upgrade.removed {
        let mut step = json!({"resource": plural(removed), "name": removed.id.name.as_str()});
        if let Some(namespace) = &removed.id.namespace {
            step["namespace"] = namespace.as_str().into();
        }
        steps.push(json!({"delete": step}));
    }
    json!({"version": 1, "steps": steps})
}

/// The script: create, then patch, then delete; the first failure stops it.
pub fn to_script(upgrade: &Upgrade) -> String {
    let mut script = String::from(
        "#!/bin/sh\n\
         # Upgrades revisions in the cluster that kubectl points at. Made by `driftless upgrade --emit patches`.\n\
         # Read it before you run it. The order is safe: new revisions first, then what refers to them, then what is no\n\
         # longer referenced. It stops at the first command that fails; export the objects and make the script again to go on.\n\
         # An object without a namespace goes to the namespace of kubectl's current context.\n\
         set -eu\n",
    );
    for created in &upgrade.created {
        script.push_str(&create(created));
    }
    for changed in &upgrade.changed {
        let patches = patches(changed);
        if patches.is_empty() {
            script.push_str(&comment(&format!(
                "{}: only its manifest changes; a cluster needs no patch",
                changed.resource.id
            )));
        }
        for patch in patches {
            script.push_str(&comment(&format!(
                "{}{}",
                changed.resource.id,
                if patch.status { ", status" } else { "" }
            )));
            script.push_str(&format_patch(&patch));
        }
    }
    for removed in &upgrade.removed {
        script.push_str(&comment(&format!("{}: no longer referenced", removed.id)));
        let target = format!("{}/{}", plural(removed), removed.id.name);
        let namespace = namespace_flag(removed.id.namespace.as_deref());
        let target = shell_word(&target);
        script.push_str("kubectl delete");
        script.push_str(&namespace);
        script.push(' ');
        script.push_str(&target);
        script.push('\n');
    }
    script
}

fn create(created: &Created) -> String {
    let what = match created.vm {
        Some(vm) => format!("{} for {}", created.old.id, vm.id),
        None => created.old.id.to_string(),
    };
    let text = yaml::emit::to_string(&created.node);
    let mut end = "REVISION".to_owned();
    while text.lines().any(|line| line == end) {
        end.push('_');
    }
    let namespace = namespace_flag(Some(created.node.str_at("metadata.namespace")));
    format!(
        "{}kubectl create{namespace} --filename=- <<'{end}'\n{text}{end}\n",
        comment(&format!("the upgraded form of {what}"))
    )
}

fn format_patch(patch: &Patch) -> String {
    let namespace = namespace_flag(patch.namespace.as_deref());
    let status = if patch.status {
        " --subresource=status"
    } else {
        ""
    };
    format!(
        "kubectl patch{namespace} {} --type=json{status} --patch={}\n",
        shell_word(&format!("{}/{}", patch.resource, patch.name)),
        shell_word(&patch.operations.to_string()),
    )
}

fn namespace_flag(namespace: Option<&str>) -> String {
    match namespace {
        Some(namespace) if !namespace.is_empty() => {
            format!(" --namespace={}", shell_word(namespace))
        }
        _ => String::new(),
    }
}

/// A comment line. A line break in a name does not end it.
fn comment(text: &str) -> String {
    format!("\n# {}\n", Shown(text))
}

/// What `kubectl` calls a kind.
fn plural(resource: &Resource) -> String {
    let kind = resource.id.kind.to_ascii_lowercase();
    format!("{kind}s.{}", resource.id.group)
}

fn begins_with_status(path: &FieldPath) -> bool {
    matches!(path.segments().first(), Some(Segment::Field(name)) if name == "status")
}

/// A step as JSON patch operations: what is replaced or removed is tested first.
fn operations(before: &Node, step: &FixStep) -> Vec<Json> {
    let path = pointer(&step.path);
    let old = step.path.find(before).map(Node::to_json);
    match (&step.action, old) {
        (FixAction::Set(new), Some(old)) => vec![
            json!({"op": "test", "path": path, "value": old}),
            json!({"op": "replace", "path": path, "value": new.to_json()}),
        ],
        (FixAction::Set(new), None) => {
            let mut all = Vec::new();
            let (above, found) = step.path.parent().nearest(before);
            // Every mapping that is missing on the way is added too.
            if above != step.path.parent() || found.as_map().is_none() {
                let mut missing = step.path.parent();
                let mut chain = Vec::new();
                while !missing.is_root() && missing.find(before).is_none() {
                    chain.push(missing.clone());
                    missing = missing.parent();
                }
                all.extend(
                    chain
                        .iter()
                        .rev()
                        .map(|path| json!({"op": "add", "path": pointer(path), "value": {}})),
                );
            }
            all.push(json!({"op": "add", "path": path, "value": new.to_json()}));
            all
        }
        (FixAction::Remove, Some(old)) => vec![
            json!({"op": "test", "path": path, "value": old}),
            json!({"op": "remove", "path": path}),
        ],
        _ => Vec::new(),
    }
}

/// A JSON pointer (RFC 6901).
fn pointer(path: &FieldPath) -> String {
    let mut out = String::new();
    for segment in path.segments() {
        out.push('/');
        match segment {
            Segment::Field(name) => out.push_str(&name.replace('~', "~0").replace('/', "~1")),
            Segment::Index(index) => out.push_str(&index.to_string()),
        }
    }
    out
}
