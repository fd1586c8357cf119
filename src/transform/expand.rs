//! Expand: the instance type and preference applied, defaults set, matchers removed.

mod annotations;
mod cpu;
pub mod defaults;
mod memory;
mod node_selector;
pub mod preference;
pub mod requirements;
#[cfg(test)]
mod tests;
mod whole;

use crate::cause::Refusal;
use crate::conflict::{Conflict, Conflicts};
use crate::field_path::FieldPath;
use crate::release::Release;
use crate::resolve::{ResolveError, Resolver, Spec};
use crate::schema::{self, Decoded, Problem, ProblemKind};
use crate::yaml::{Node, Origin};

/// Why a VM cannot be expanded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    /// The user's reference: the instance type or preference cannot be resolved.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// The user's VM: it sets fields that its instance type sets too.
    #[error("{0}")]
    Conflicts(Conflicts),
    /// The user's VM: the API server cannot read it, or `KubeVirt`'s own OpenAPI refuses it.
    #[error("{0}")]
    Malformed(Problem),
    /// `KubeVirt` refuses the VM, or would crash on it.
    #[error("{}", .0.message())]
    Refused(Refusal),
}

impl From<Refusal> for ExpandError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// The place of the VMI spec that changes, and what `KubeVirt` calls it.
#[derive(Clone, Copy, Debug)]
pub struct TemplateBase {
    /// How conflicts begin.
    named: &'static str,
    /// The path of the spec from the document's root.
    lies_at: &'static str,
    /// The path of the metadata that has the annotations.
    metadata: &'static str,
}

impl TemplateBase {
    /// The template of a VM, as expand, the webhook and the revision store name it.
    pub(crate) const TEMPLATE: Self = Self {
        named: "spec.template.spec",
        lies_at: "spec.template.spec",
        metadata: "spec.template.metadata",
    };
    /// The template of a VM, as the controller names it while it looks for changes.
    pub(crate) const APPLIED: Self = Self {
        named: "spec",
        lies_at: "spec.template.spec",
        metadata: "spec.template.metadata",
    };
    /// As [`Self::APPLIED`], in releases that hold the annotations against the VM's own.
    pub(crate) const ANNOTATED: Self = Self {
        metadata: "metadata",
        ..Self::APPLIED
    };
}

/// What `KubeVirt`'s expand-spec API answers to a VM of `namespace` as it is written: Go-normal form, whose copied nodes
/// keep their origin. What `KubeVirt`'s OpenAPI refuses is no VM. Mirrors `ExpandSpecRequestHandler`,
/// pkg/virt-api/rest/expand.go @ v1.9.0.
pub fn expand(vm: &Node, namespace: &str, resolver: &Resolver) -> Result<Node, ExpandError> {
    let decoded = schema::decode(resolver.release(), "v1.VirtualMachine", vm);
    if let Some(problem) = schema::invalid(&decoded.problems) {
        return Err(ExpandError::Malformed(problem.clone()));
    }
    expand_decoded(vm, decoded, namespace, resolver)
}

/// As [`expand`], for a VM that is stored: in Go-normal form, which leaves out what is empty.
pub fn expand_stored(vm: &Node, namespace: &str, resolver: &Resolver) -> Result<Node, ExpandError> {
    let decoded = schema::decode(resolver.release(), "v1.VirtualMachine", vm);
    let mut problems = decoded.problems.iter();
    let lost = problems.find(|problem| matches!(problem.kind, ProblemKind::WrongType { .. }));
    if let Some(problem) = lost {
        return Err(ExpandError::Malformed(problem.clone()));
    }
    expand_decoded(vm, decoded, namespace, resolver)
}

/// Mirrors Expand, pkg/instancetype/expand/expand.go @ v1.9.0.
fn expand_decoded(
    vm: &Node,
    decoded: Decoded,
    namespace: &str,
    resolver: &Resolver,
) -> Result<Node, ExpandError> {
    let release = resolver.release();
    let instancetype = resolver.resolve_instancetype(vm, namespace)?;
    let preference = resolver.resolve_preference(vm, namespace)?;
    let mut vm = keep_empty_node_selector(vm, decoded.node);
    if instancetype.is_none() && preference.is_none() {
        drop_empty_node_selector(&mut vm);
        return Ok(vm);
    }
    let configuration = &resolver.target().configuration;
    let Some(template) = vm.path_mut("spec.template") else {
        return Err(crash("the VM has no spec.template").into());
    };
    let spec = part(template, "spec");
    defaults::volume_disks(spec);
    defaults::network_interface(configuration, spec)?;
    apply(
        release,
        TemplateBase::TEMPLATE,
        instancetype.as_ref().map(|found| &*found.spec),
        preference.as_ref().map(|found| &*found.spec),
        template,
    )?;
    defaults::vmi_spec(release, configuration, part(template, "spec"))?;
    drop_empty_node_selector(&mut vm);
    drop_matchers(&mut vm);
    Ok(vm)
}

/// Applies an instance type and a preference to `target`, a tree with `metadata` and `spec` in Go-normal form: a VM's
/// template or a VMI. The order of the field groups is the order of the conflicts.
/// Mirrors ApplyToVMI, pkg/instancetype/apply/vmi.go @ v1.9.0.
pub fn apply(
    release: Release,
    base: TemplateBase,
    instancetype: Option<&Spec>,
    preference: Option<&Spec>,
    target: &mut Node,
) -> Result<(), ExpandError> {
    if let Some(instancetype) = instancetype {
        let mut application = Application {
            release,
            base,
            instancetype,
            preference: preference.map(|preference| &preference.node),
            target,
            conflicts: Vec::new(),
            crash: None,
        };
        for group in [
            node_selector::apply,
            whole::scheduler,
            cpu::apply,
            memory::apply,
            whole::io_threads,
            whole::launch_security,
            whole::devices,
            annotations::apply,
        ] {
            group(&mut application);
        }
        if let Some(crash) = application.crash {
            return Err(crash.into());
        }
        if !application.conflicts.is_empty() {
            return Err(ExpandError::Conflicts(Conflicts(application.conflicts)));
        }
    }
    if let Some(preference) = preference {
        preference::apply(release, &preference.node, target)?;
    }
    Ok(())
}

/// One instance type on its way onto one VM.
struct Application<'a> {
    release: Release,
    base: TemplateBase,
    instancetype: &'a Spec,
    preference: Option<&'a Node>,
    target: &'a mut Node,
    conflicts: Vec<Conflict>,
    /// What would make KubeVirt crash, if anything; conflicts then do not matter.
    crash: Option<Refusal>,
}

impl<'a> Application<'a> {
    /// The instance type's value at a path.
    fn given(&self, path: &str) -> Option<&'a Node> {
        self.instancetype.node.path(path)
    }

    /// The VMI spec.
    fn spec(&mut self) -> &mut Node {
        part(self.target, "spec")
    }

    /// The key with which the VM sets a path of its VMI spec, if it does.
    fn held(&self, path: &str) -> Option<Origin> {
        let (parent, key) = path.rsplit_once('.').unwrap_or(("", path));
        let spec = self.target.get("spec")?;
        let parent = if parent.is_empty() {
            spec
        } else {
            spec.path(parent)?
        };
        Some(parent.as_map()?.entry(key)?.key_origin)
    }

    /// Notes a conflict at a path of the VMI spec, if the VM sets it.
    fn conflict_if_set(&mut self, path: &str) -> bool {
        let held = self.held(path);
        if let Some(origin) = held {
            self.conflict(path, path, origin);
        }
        held.is_some()
    }

    /// Notes a conflict at a path of the VMI spec that `KubeVirt` spells `named`.
    fn conflict(&mut self, path: &str, named: &str, origin: Origin) {
        self.conflicts.push(Conflict {
            name: format!("{}.{named}", self.base.named),
            field: FieldPath::parse(self.base.lies_at).join(&FieldPath::parse(path)),
            origin,
            release: self.release,
        });
    }
}

/// A refusal for input on which KubeVirt dereferences a nil pointer.
fn crash(message: &str) -> Refusal {
    Refusal::Crash {
        message: message.to_owned(),
    }
}

/// The mapping at `key`, made where it is absent.
pub(super) fn part<'a>(node: &'a mut Node, key: &str) -> &'a mut Node {
    node.ensure(key, Origin::None)
}

/// Sets a plain Go field: its zero value cannot be told from absence.
fn set_plain(node: &mut Node, path: &str, value: Node) {
    if value.is_zero() {
        node.remove(path);
    } else {
        node.set(path, value);
    }
}

/// Go reads `nodeSelector: {}` as a mapping that is there, and takes it for a conflict; decoding drops it.
fn keep_empty_node_selector(written: &Node, mut decoded: Node) -> Node {
    const PATH: &str = "spec.template.spec.nodeSelector";
    if let Some(selector) = written.path(PATH)
        && selector.as_map().is_some_and(crate::yaml::Map::is_empty)
        && decoded.path("spec.template").is_some()
    {
        decoded.set(PATH, selector.clone());
    }
    decoded
}

fn drop_empty_node_selector(vm: &mut Node) {
    if vm
        .path("spec.template.spec.nodeSelector")
        .is_some_and(|selector| selector.entries().is_empty())
    {
        vm.remove("spec.template.spec.nodeSelector");
    }
}

fn drop_matchers(vm: &mut Node) {
    for path in [
        "spec.instancetype",
        "spec.preference",
        "status.instancetypeRef",
        "status.preferenceRef",
    ] {
        vm.remove(path);
    }
    if vm
        .get("status")
        .is_some_and(|status| status.entries().is_empty())
    {
        vm.remove("status");
    }
}
