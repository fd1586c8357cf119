//! One side of one VM, stage by stage: decoded and stored, its types, expanded. Each is made once, when it is first asked for.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::export::Had;
use super::{Reason, admission};
use crate::cause::Refusal;
use crate::change::Sided;
use crate::diff::spelling::canonical;
use crate::diff::{Difference, Lists, differences};
use crate::field_path::FieldPath;
use crate::release::Release;
use crate::resolve::Resolved;
use crate::resource::Resource;
use crate::schema::{self, ProblemKind};
use crate::transform::admit::{self, NotAdmitted, RANDOM_UUID};
use crate::transform::apply;
use crate::transform::expand::expand_stored;
use crate::transform::start::{self, StartTypes};
use crate::update::types::{Types, TypesError};
use crate::yaml::Node;

/// A side of a VM.
#[derive(Debug)]
pub(super) struct Stage<'a> {
    /// The resource with its resolver.
    pub(super) subject: Sided<'a>,
    had: Option<&'a Had<'a>>,
    completed: OnceCell<Node>,
    /// What an apply makes of it, where it comes upon a VM that is stored.
    update: Option<Update>,
    stored: OnceCell<StoredVm>,
    in_place: OnceCell<Option<Node>>,
    types: OnceCell<Result<Types, TypesError>>,
    expanded: OnceCell<Node>,
}

/// A VM that is stored, and what becomes of it.
#[derive(Debug)]
struct Update {
    /// The VM that is stored.
    old: Node,
    /// Git's words over it: what the API server gets.
    merged: Node,
    /// Whether the stored VM was written back with its types applied.
    is_expanded: bool,
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
            completed: OnceCell::new(),
            update: None,
            stored: OnceCell::new(),
            in_place: OnceCell::new(),
            types: OnceCell::new(),
            expanded: OnceCell::new(),
        }
    }

    /// This side as it is applied over the one that is stored: what only the store has stays, and is not written anew. A
    /// base that the cluster would not have stored is replaced.
    #[must_use]
    pub(super) fn applied_over(mut self, base: &Stage<'_>) -> Self {
        if !base.refused().is_empty() {
            return self;
        }
        let old = base.settled().clone();
        let mut stored = old.clone();
        schema::encode(base.release(), "v1.VirtualMachine", &mut stored);
        let merged = apply::merge(&stored, base.written(), self.written());
        let is_expanded = base.is_expanded();
        self.update = Some(Update {
            old,
            merged,
            is_expanded,
        });
        self
    }

    /// Whether it is applied over a VM that is stored, and does not replace it.
    pub(super) const fn is_applied_over(&self) -> bool {
        self.update.is_some()
    }

    /// Whether an apply leaves another VM in the store than the base's, in whatever spelling.
    pub(super) fn stores_other_than(&self, base: &Stage<'_>) -> bool {
        self.update.is_some()
            && !vm_differences(self.release(), base.settled(), self.settled()).is_empty()
    }

    /// The fields that an apply keeps or leaves otherwise than a new VM of the same manifest would have them; empty where
    /// the VM is not applied over a stored one.
    pub(super) fn kept(&self) -> Vec<FieldPath> {
        let is_plain = self
            .update
            .as_ref()
            .is_some_and(|update| !update.is_expanded);
        if !is_plain || !self.refused().is_empty() {
            return Vec::new();
        }
        let mut anew = store(&self.subject, self.written(), None).vm;
        let mut stored = self.stored().clone();
        drop_random(&mut anew);
        drop_random(&mut stored);
        let differences = vm_differences(self.release(), &anew, &stored);
        differences
            .into_iter()
            .map(|difference| difference.path)
            .collect()
    }

    /// The VM as the API server gets it.
    pub(super) fn submitted(&self) -> &Node {
        match &self.update {
            Some(update) => &update.merged,
            None => self.completed(),
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

    /// The VM as it is written, with what stays of the stored one, where the cluster's word is known.
    fn completed(&self) -> &Node {
        match self.had {
            None => self.written(),
            Some(had) => self.completed.get_or_init(|| {
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
    /// It is stored as a new VM, or as what an apply makes of the stored one. What inference cannot follow for want of an object in the tree is left as it is written.
    pub(super) fn stored(&self) -> &Node {
        &self.storing().vm
    }

    /// The VM as its controller leaves it in the store: where the cluster expands references, with its types applied and
    /// without their names; else as it is stored.
    pub(super) fn settled(&self) -> &Node {
        let in_place = self.in_place.get_or_init(|| {
            let types = self.types().as_ref().ok()?;
            let types = StartTypes {
                instancetype: types.instancetype.as_deref(),
                preference: types.preference.as_deref(),
            };
            let (namespace, resolver) = (self.namespace(), self.subject.resolver);
            let written = start::expand_in_place(self.stored(), namespace, types, resolver);
            written.ok().flatten().map(|(_, stored)| stored)
        });
        in_place.as_ref().unwrap_or_else(|| self.stored())
    }

    /// Whether its controller writes it back with its types applied.
    pub(super) fn is_expanded(&self) -> bool {
        self.settled();
        matches!(self.in_place.get(), Some(Some(_)))
    }

    /// The types that a guest of the settled VM is started with.
    pub(super) fn settled_types(&self) -> Result<Types, TypesError> {
        if self.is_expanded() {
            return Ok(Types::default());
        }
        self.types().clone()
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
        let old = self.update.as_ref().map(|update| &update.old);
        self.stored
            .get_or_init(|| store(&self.subject, self.submitted(), old))
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

/// What differs between two stored VMs beyond spelling, but for status.
fn vm_differences(release: Release, old: &Node, new: &Node) -> Vec<Difference> {
    let plain = |vm: &Node| {
        let mut vm = canonical("kubevirt.io", "VirtualMachine", vm);
        vm.remove("status");
        vm
    };
    let (old, new) = (plain(old), plain(new));
    differences(release, "v1.VirtualMachine", &old, &new, Lists::ByPosition)
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

fn store(subject: &Sided, submitted: &Node, old: Option<&Node>) -> StoredVm {
    let decoded = schema::decode(subject.resolver.release(), "v1.VirtualMachine", submitted);
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
        None => admit::mutate_decoded(written.clone(), old, subject.resolver),
    };
    let (vm, refused) = match admitted {
        Ok(admitted) => (admitted.vm, Vec::new()),
        Err(NotAdmitted::Infer(error)) if error.is_elsewhere(subject.resolver.target()) => {
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
