//! One side of one VM, stage by stage: decoded and stored, its types, expanded. Each is made once, when it is first asked for.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::export::Had;
use super::{Reason, admission};
use crate::cause::Refusal;
use crate::change::Sided;
use crate::field_path::FieldPath;
use crate::release::Release;
use crate::resolve::Resolved;
use crate::resource::Resource;
use crate::schema::{self, ProblemKind};
use crate::transform::admit::{self, NotAdmitted, RANDOM_UUID};
use crate::transform::expand::expand_stored;
use crate::update::types::{Types, TypesError};
use crate::yaml::Node;

/// A side of a VM.
#[derive(Debug)]
pub(super) struct Stage<'a> {
    /// The resource with its resolver.
    pub(super) subject: Sided<'a>,
    had: Option<&'a Had<'a>>,
    applied: OnceCell<Node>,
    stored: OnceCell<StoredVm>,
    types: OnceCell<Result<Types, TypesError>>,
    expanded: OnceCell<Node>,
}

#[derive(Debug)]
struct StoredVm {
    vm: Node,
    dropped: Vec<FieldPath>,
    refused: Vec<Reason>,
}

impl<'a> Stage<'a> {
    /// A side of which nothing is made yet.
    pub(super) const fn new(subject: Sided<'a>) -> Self {
        Self::of(subject, None)
    }

    /// The same, where what the cluster has of the VM is known.
    pub(super) const fn of(subject: Sided<'a>, had: Option<&'a Had<'a>>) -> Self {
        Self {
            subject,
            had,
            applied: OnceCell::new(),
            stored: OnceCell::new(),
            types: OnceCell::new(),
            expanded: OnceCell::new(),
        }
    }

    /// The resource as it is written.
    pub(super) const fn resource(&self) -> &'a Resource {
        self.subject.resource
    }

    /// The VM as it is written.
    pub(super) const fn written(&self) -> &'a Node {
        &self.subject.resource.node
    }

    /// What KubeVirt says of a restart that is owed already, where the cluster's word is known.
    pub(super) fn owed(&self) -> Option<&'a str> {
        self.had.and_then(|had| had.owed)
    }

    /// The VM as an apply sends it: as it is written, with what stays of the stored one, where the cluster's word is known.
    pub(super) fn applied(&self) -> &Node {
        match self.had {
            None => self.written(),
            Some(had) => self.applied.get_or_init(|| {
                let mut vm = self.written().clone();
                had.complete(&mut vm);
                vm
            }),
        }
    }

    /// Its namespace.
    pub(super) fn namespace(&self) -> &'a str {
        self.subject.namespace()
    }

    /// The release that judges it.
    pub(super) fn release(&self) -> Release {
        self.subject.resolver.release()
    }

    /// The VM as the cluster stores it, in Go-normal form; where it would not, as it is written.
    ///
    /// It is stored as a new VM: what the webhook writes at random on create stays with the VM when it is updated. What
    /// inference cannot follow for want of an object in the tree is left as it is written.
    pub(super) fn stored(&self) -> &Node {
        &self.storing().vm
    }

    /// Fields that the API server drops: no release, or not this one, has them there.
    pub(super) fn dropped(&self) -> &[FieldPath] {
        &self.storing().dropped
    }

    /// Why the VM is not stored; empty where it is.
    pub(super) fn refused(&self) -> &[Reason] {
        &self.storing().refused
    }

    fn storing(&self) -> &StoredVm {
        self.stored
            .get_or_init(|| store(&self.subject, self.applied()))
    }

    /// What the stored VM's matchers lead to on this side.
    pub(super) fn types(&self) -> &Result<Types, TypesError> {
        self.types
            .get_or_init(|| Types::of(self.stored(), self.namespace(), self.subject.resolver))
    }

    /// The instance type and preference that the stored VM names, with their resources.
    pub(super) fn named(&self) -> [Option<Resolved<'a>>; 2] {
        let (namespace, resolver) = (self.namespace(), self.subject.resolver);
        let mut stored = Cow::Borrowed(self.stored());
        if self.had.is_some() {
            // What the cluster captured is no object of the tree.
            stored.to_mut().remove("status");
        }
        [
            resolver.resolve_instancetype(&stored, namespace),
            resolver.resolve_preference(&stored, namespace),
        ]
        .map(|found| found.ok().flatten())
    }

    /// The VM as the cluster would expand it; the stored VM where it cannot be expanded. Without status, and without what
    /// the webhook makes at random: that has no value to show.
    pub(super) fn expanded(&self) -> &Node {
        self.expanded.get_or_init(|| {
            let stored = self.stored();
            let mut node = expand_stored(stored, self.namespace(), self.subject.resolver)
                .unwrap_or_else(|_| stored.clone());
            node.remove("status");
            drop_random(&mut node);
            node
        })
    }
}

/// Removes what the webhook makes at random.
pub(super) fn drop_random(vm: &mut Node) {
    for field in ["uuid", "serial"] {
        let path = format!("spec.template.spec.domain.firmware.{field}");
        if vm.str_at(&path) == RANDOM_UUID {
            vm.remove(&path);
        }
    }
}

fn store(subject: &Sided, applied: &Node) -> StoredVm {
    let decoded = schema::decode(subject.resolver.release(), "v1.VirtualMachine", applied);
    let mut written = decoded.node;
    if written.str_at("metadata.namespace").is_empty() {
        written.set("metadata.namespace", Node::string(subject.namespace()));
    }
    let dropped = decoded
        .problems
        .iter()
        .filter(|problem| {
            matches!(
                problem.kind,
                ProblemKind::UnknownField { .. } | ProblemKind::UnsupportedField { .. }
            )
        })
        .map(|problem| problem.path.clone())
        .collect();
    let admitted = match schema::invalid(&decoded.problems) {
        Some(problem) => Err(NotAdmitted::Malformed(problem.clone())),
        None => admit::mutate_decoded(written.clone(), None, subject.resolver),
    };
    let (vm, refused) = match admitted {
        Ok(admitted) => (admitted.vm, Vec::new()),
        Err(NotAdmitted::Infer(error))
            if !error.missing().is_empty() && !subject.resolver.target().complete =>
        {
            (written, Vec::new())
        }
        Err(error) => (written, admission::reasons(&Refusal::from(error))),
    };
    StoredVm {
        vm,
        dropped,
        refused,
    }
}
