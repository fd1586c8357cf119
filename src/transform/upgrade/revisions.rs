//! From each VM's references to the revisions that replace what they name.

use std::collections::{HashMap, HashSet};

use super::capture::{controller_revision, label};
use super::one::{
    find, name_as_matcher, relabel, revision_object, set_by_kubevirt, stores_same, version_label,
};
use super::prune::Stock;
use super::remarks::{compare_names, missing, say_shared};
use super::steps::set;
use super::{Created, Judged, Options, Reference, Remark, Row, Upgrade, is_vm};
use super::{name, references};
use crate::finding::FixStep;
use crate::resolve::{Resolution, Resolver};
use crate::resource::Resource;
use crate::rule::Severity;
use crate::stored::{self, Conversion, Form, LATEST, Matcher, Stored};
use crate::yaml::Node;

/// The upgrade as it grows.
pub(super) struct Plan<'a, 'r> {
    judged: &'r [Judged<'a, 'r>],
    pub(super) options: Options,
    pub(super) out: Upgrade<'a>,
    /// References to a revision, by its address: how many there are, and how many were moved.
    pub(super) uses: HashMap<usize, Uses>,
    /// Old revisions that were replaced, by address.
    pub(super) replaced: HashSet<usize>,
    /// Where in `created` a revision stands, by the address of the old one, namespace and name.
    created_at: HashMap<(usize, String, String), usize>,
    /// The revisions that are up to date, by what they store.
    pub(super) stored: Stock,
}

/// How a revision is used.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    /// References to it in the tree.
    pub(super) named: usize,
    /// Those that were moved.
    pub(super) moved: usize,
    /// The VMs that name it, in order.
    pub(super) vms: Vec<String>,
}

/// What one VM needs; carried out whole or not at all.
#[derive(Default)]
pub(super) struct Moves<'a> {
    created: Vec<Created<'a>>,
    steps: Vec<FixStep>,
    pub(super) labels: Vec<(&'a Resource, Vec<FixStep>)>,
    replaced: Vec<&'a Resource>,
    pub(super) rows: Vec<Row>,
    pub(super) remarks: Vec<Remark<'a>>,
}

/// What an old revision becomes.
pub(super) struct Lifted {
    pub(super) stored: Stored,
    pub(super) object: Node,
}

/// Everything the resolvers see, nearest first: what is upgraded, and what it is upgraded against.
pub(super) fn in_sight<'a, 'r>(
    judged: &'r [Judged<'a, 'r>],
) -> impl Iterator<Item = Judged<'a, 'r>> + use<'a, 'r> {
    resolvers(judged).into_iter().flat_map(|resolver| {
        let catalogs = resolver.catalogs().iter();
        catalogs
            .flat_map(|catalog| catalog.resources())
            .map(move |resource| (resolver, resource))
    })
}

/// Every resolver once, in order.
pub(super) fn resolvers<'a, 'r>(judged: &'r [Judged<'a, 'r>]) -> Vec<&'r Resolver<'a>> {
    let mut found: Vec<&Resolver<'a>> = Vec::new();
    for (resolver, _) in judged {
        if !found.iter().any(|known| std::ptr::eq(*known, *resolver)) {
            found.push(resolver);
        }
    }
    found
}

pub(super) fn address(resource: &Resource) -> usize {
    std::ptr::from_ref(resource).addr()
}

impl<'a, 'r> Plan<'a, 'r> {
    pub(super) fn new(judged: &'r [Judged<'a, 'r>], options: Options) -> Self {
        let mut plan = Self {
            judged,
            options,
            out: Upgrade::default(),
            uses: HashMap::new(),
            replaced: HashSet::new(),
            created_at: HashMap::new(),
            stored: Stock::new(judged),
        };
        let mut seen = HashSet::new();
        let own = judged.iter().copied();
        for (resolver, vm) in own.chain(in_sight(judged)) {
            if !is_vm(vm) || !seen.insert(address(vm)) {
                continue;
            }
            let namespace = vm.namespace_or(&resolver.target().namespace);
            for reference in references(&vm.node) {
                if let Resolution::Found(revision) = find(resolver, namespace, &reference.name) {
                    let uses = plan.uses.entry(address(revision)).or_default();
                    uses.named += 1;
                    let name = vm.id.to_string();
                    // A VM's references come one after another.
                    if uses.vms.last() != Some(&name) {
                        uses.vms.push(name);
                    }
                }
            }
        }
        plan
    }

    /// What is upgraded, in order.
    pub(super) fn own(&self) -> impl Iterator<Item = Judged<'a, 'r>> + use<'a, 'r> {
        self.judged.iter().copied()
    }

    /// Moves every VM's references.
    pub(super) fn vms(&mut self) {
        for (resolver, vm) in self.own().filter(|(_, resource)| is_vm(resource)) {
            let moves = self.vm(resolver, vm);
            self.carry_out(vm, moves);
        }
    }

    fn carry_out(&mut self, vm: &'a Resource, moves: Moves<'a>) {
        let blocked = moves.remarks.iter().any(|remark| remark.blocks);
        self.out.remarks.extend(moves.remarks);
        if blocked {
            return;
        }
        for old in moves.replaced {
            self.uses.entry(address(old)).or_default().moved += 1;
            self.replaced.insert(address(old));
            let last = self.out.moved.iter().rev().take(2);
            let mut known = last.filter(|(_, other)| std::ptr::eq(*other, vm));
            if !known.any(|(one, _)| std::ptr::eq(*one, old)) {
                self.out.moved.push((old, vm));
            }
        }
        for created in &moves.created {
            let key = (
                address(created.old),
                created.namespace.clone(),
                created.name().to_owned(),
            );
            self.created_at.insert(key, self.created_at.len());
        }
        self.out.created.extend(moves.created);
        self.out.rows.extend(moves.rows);
        for (revision, steps) in moves.labels {
            self.out.change(revision, steps);
        }
        if !moves.steps.is_empty() {
            self.out.change(vm, moves.steps);
        }
    }

    fn vm(&self, resolver: &Resolver<'a>, vm: &'a Resource) -> Moves<'a> {
        let mut moves = Moves::default();
        for reference in references(&vm.node) {
            if let Err(remark) = self.reference(resolver, vm, &reference, &mut moves) {
                moves.remarks.push(*remark);
            }
        }
        if vm.node.get("sops").is_some() && !moves.steps.is_empty() {
            moves.remarks.push(
                Remark::new(
                    Severity::Error,
                    vm,
                    "its references should move, and its file is encrypted with SOPS: driftless does not write such files",
                )
                .help("decrypt it, upgrade, and encrypt it again"),
            );
        }
        let ownerless = vm.node.str_at("metadata.uid").is_empty();
        if ownerless && !moves.created.is_empty() {
            moves.remarks.push(Remark::new(
                Severity::Note,
                vm,
                "its upgraded revisions name no owner, because the manifest carries no uid: KubeVirt uses them all the \
                 same, but deleting the VM does not delete them",
            ));
        }
        moves
    }

    fn reference(
        &self,
        resolver: &Resolver<'a>,
        vm: &'a Resource,
        reference: &Reference,
        moves: &mut Moves<'a>,
    ) -> Result<(), Box<Remark<'a>>> {
        let error = |message: String| {
            Box::new(Remark::new(Severity::Error, vm, message).at(&reference.field))
        };
        let namespace = vm.namespace_or(&resolver.target().namespace);
        let old = match find(resolver, namespace, &reference.name) {
            Resolution::Found(revision) => revision,
            Resolution::Ambiguous(_) => {
                return Err(Box::new(
                    error(format!(
                        "revision `{}` is here more than once, with different content",
                        reference.name
                    ))
                    .help("keep one of them"),
                ));
            }
            _ => {
                moves.remarks.push(missing(resolver, vm, reference));
                return Ok(());
            }
        };
        let Some(lifted) = self.lift(resolver, vm, reference, old, moves)? else {
            return Ok(());
        };
        let revision = controller_revision(&vm.node, &lifted.object);
        let new = revision.str_at("metadata.name").to_owned();
        if let Some(refusal) = name::refusal(&new, &revision_object(&revision)) {
            return Err(Box::new(error(refusal).help(
                "the API server would refuse it: give the VM or the object a shorter name, or start the VM anew from the live object",
            )));
        }
        if new == reference.name {
            return relabel(old, &revision, moves, &lifted, vm).map_err(error);
        }
        let known = moves
            .created
            .iter()
            .find(|created| created.name() == new)
            .or_else(|| {
                let key = (address(old), namespace.to_owned(), new.clone());
                self.out.created.get(*self.created_at.get(&key)?)
            })
            .map(|created| created.node.clone());
        let existing = match (known, find(resolver, namespace, &new)) {
            (Some(node), _) => Some(node),
            (None, Resolution::Found(resource)) => Some(resource.node.clone()),
            (None, Resolution::Ambiguous(resources)) => {
                resources.first().map(|one| one.node.clone())
            }
            (None, _) => None,
        };
        match &existing {
            Some(existing) if self.is_kubevirts_own(resolver, vm, existing, &lifted, &revision) => {
                moves.remarks.push(
                    Remark::new(
                        Severity::Warning,
                        vm,
                        format!(
                            "revision `{new}` is here already, as KubeVirt's own upgrade wrote it: {} are set in it, and conflict with a VM that sets them too",
                            stored::MADE_OPTIONAL.join(", ")
                        ),
                    )
                    .at(&reference.field),
                );
            }
            Some(existing) if !stores_same(resolver.release(), existing, &revision) => {
                return Err(Box::new(
                    error(format!(
                        "revision `{new}`, which `{}` upgrades to, is already here with other data",
                        reference.name
                    ))
                    .help("compare the two, and delete the one that is wrong"),
                ));
            }
            Some(_) => {}
            None => {
                moves.created.push(Created {
                    node: revision,
                    namespace: namespace.to_owned(),
                    old,
                    vm: Some(vm),
                });
                moves
                    .rows
                    .push(self.row(Some(vm), old, &lifted.stored, &new));
            }
        }
        if existing.is_some() && !moves.rows.iter().any(|row| row.to == new) {
            moves
                .rows
                .push(self.row(Some(vm), old, &lifted.stored, &new));
        }
        moves
            .steps
            .push(set(reference.field.clone(), Node::from(new.as_str())));
        moves.replaced.push(old);
        Ok(())
    }

    /// Whether a revision that is here already is what KubeVirt makes of the old one, and not what this makes of it.
    fn is_kubevirts_own(
        &self,
        resolver: &Resolver<'a>,
        vm: &Resource,
        existing: &Node,
        lifted: &Lifted,
        ours: &Node,
    ) -> bool {
        let release = resolver.release();
        let object = lifted.stored.to_v1beta1(release, Conversion::AsKubevirt);
        let theirs = controller_revision(&vm.node, &object);
        !self.options.bug_compatible
            && !stores_same(release, existing, ours)
            && stores_same(release, existing, &theirs)
    }

    /// The v1beta1 object of an old revision; `None` where it is up to date.
    fn lift(
        &self,
        resolver: &Resolver<'a>,
        vm: &'a Resource,
        reference: &Reference,
        old: &'a Resource,
        moves: &mut Moves<'a>,
    ) -> Result<Option<Lifted>, Box<Remark<'a>>> {
        let error = |message: String| {
            Box::new(Remark::new(Severity::Error, vm, message).at(&reference.field))
        };
        let Reference { matcher, name, .. } = reference;
        let empty = Node::new(crate::yaml::Value::Null);
        let data = old.node.get("data").unwrap_or(&empty);
        let stored = if self.options.bug_compatible {
            stored::read_as_kubevirt(resolver.release(), data)
        } else {
            stored::read(resolver.release(), data, Some(*matcher))
        };
        let stored = stored.map_err(|why| {
            Box::new(
                error(format!(
                    "revision `{name}` stores no {matcher}, and the VM names it as one: {why}"
                ))
                .help(format!(
                    "remove the reference: KubeVirt then captures the {matcher} anew"
                )),
            )
        })?;
        if stored.matcher != *matcher {
            let message = format!(
                "revision `{name}` stores {}, and the VM names it as its {matcher}",
                stored.matcher.one()
            );
            if !self.options.bug_compatible {
                return Err(Box::new(error(message).help(format!(
                    "KubeVirt refuses it: name a revision that stores {}, or remove the reference",
                    matcher.one()
                ))));
            }
            moves
                .remarks
                .push(Remark::new(Severity::Warning, vm, message).at(&reference.field));
        }
        let says = version_label(&old.node);
        match (says, stored.form) {
            (Some(LATEST), Form::V1beta1) => {
                compare_names(vm, reference, old, &stored, moves);
                return Ok(None);
            }
            (Some(LATEST), form) if self.options.bug_compatible => {
                moves.remarks.push(
                    Remark::new(
                        Severity::Warning,
                        vm,
                        format!(
                            "revision `{name}` is labelled {LATEST} and stores {form}: KubeVirt goes by the label and leaves it"
                        ),
                    )
                    .at(&reference.field),
                );
                return Ok(None);
            }
            (Some(LATEST), form) => {
                return Err(Box::new(
                    error(format!(
                        "the label of revision `{name}` says {LATEST}, and its data is {form}"
                    ))
                    .help(format!(
                        "because of the label no KubeVirt ever upgraded it, and none since 1.7 can read it: set the label `{}` to {}, or remove it, and upgrade again",
                        label::VERSION,
                        form.version()
                    )),
                ));
            }
            (Some(label), form) if label != form.version() => {
                moves.remarks.push(
                    Remark::new(
                        Severity::Note,
                        vm,
                        format!(
                            "the label of revision `{name}` says `{label}`, and its data is {form}: the data counts"
                        ),
                    )
                    .at(&reference.field),
                );
            }
            _ => {}
        }
        compare_names(vm, reference, old, &stored, moves);
        say_shared(self, vm, reference, old, moves);
        let mut object = stored.to_v1beta1(resolver.release(), self.options.conversion());
        if stored.form == Form::BareSpec && !self.options.bug_compatible {
            name_as_matcher(vm, *matcher, &mut object);
            moves.remarks.push(
                Remark::new(
                    Severity::Note,
                    vm,
                    format!(
                        "revision `{name}` stores a bare spec without a name: the upgraded one takes `{}`, as the VM says; KubeVirt's own is called `old-version-of-{}-object`, which it then looks past",
                        object.str_at("metadata.name"),
                        matcher.field()
                    ),
                )
                .at(&reference.field),
            );
        }
        Ok(Some(Lifted { stored, object }))
    }

    pub(super) fn finish(self) -> Upgrade<'a> {
        self.out
    }

    pub(super) fn row(
        &self,
        vm: Option<&Resource>,
        old: &Resource,
        stored: &Stored,
        new: &str,
    ) -> Row {
        let mut meaning = Vec::new();
        let mut kept_unset = Vec::new();
        if stored.form != Form::V1beta1 && stored.matcher == Matcher::Instancetype {
            let cpu = stored.object.path("spec.cpu");
            let unset = stored::MADE_OPTIONAL
                .into_iter()
                .filter(|field| cpu.is_none_or(|cpu| cpu.get(field).is_none()));
            kept_unset.extend(unset);
            if self.options.bug_compatible {
                meaning.extend(set_by_kubevirt(&kept_unset));
                kept_unset.clear();
            }
        }
        for path in &stored.dropped {
            meaning.push(format!("drops {path}, which {} does not have", stored.form));
        }
        Row {
            vm: vm.map(|vm| vm.id.clone()),
            object: old.id.clone(),
            from: stored.form.to_string(),
            to: new.to_owned(),
            meaning,
            kept_unset,
        }
    }
}
