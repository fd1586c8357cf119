//! Collects an upgrade VM by VM: what one VM needs is added whole or not at all.

use std::collections::{HashMap, HashSet};

use super::sight::{address, in_sight};
use super::stock::Stock;
use super::stored_revision::{find, set_by_kubevirt};
use super::{Created, Options, Remark, ToUpgrade, Upgrade, UpgradeRow, is_vm, references};
use crate::finding::FixStep;
use crate::resolve::Resolution;
use crate::resource::Resource;
use crate::stored::{self, Form, Matcher, Stored};
use crate::yaml::Node;

/// The upgrade as it grows.
pub(super) struct UpgradeBuilder<'a, 'r> {
    judged: &'r [ToUpgrade<'a, 'r>],
    pub(super) options: Options,
    pub(super) out: Upgrade<'a>,
    /// References to a revision, by its address: how many there are, and how many were moved.
    pub(super) uses: HashMap<usize, Uses>,
    /// Old revisions that were replaced, by address.
    pub(super) replaced: HashSet<usize>,
    /// The index of a revision in `created`, by the address of the old one, namespace and name.
    pub(super) created_at: HashMap<(usize, String, String), usize>,
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
    pub(super) created: Vec<Created<'a>>,
    pub(super) steps: Vec<FixStep>,
    pub(super) labels: Vec<(&'a Resource, Vec<FixStep>)>,
    pub(super) replaced: Vec<&'a Resource>,
    pub(super) rows: Vec<UpgradeRow>,
    pub(super) remarks: Vec<Remark<'a>>,
}

/// What an old revision becomes.
pub(super) struct Lifted {
    pub(super) stored: Stored,
    pub(super) object: Node,
}

impl<'a, 'r> UpgradeBuilder<'a, 'r> {
    pub(super) fn new(judged: &'r [ToUpgrade<'a, 'r>], options: Options) -> Self {
        let mut builder = Self {
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
                    let uses = builder.uses.entry(address(revision)).or_default();
                    uses.named += 1;
                    let name = vm.id.to_string();
                    // A VM's references come one after another.
                    if uses.vms.last() != Some(&name) {
                        uses.vms.push(name);
                    }
                }
            }
        }
        builder
    }

    /// What is upgraded, in order.
    pub(super) fn own(&self) -> impl Iterator<Item = ToUpgrade<'a, 'r>> + use<'a, 'r> {
        self.judged.iter().copied()
    }

    /// Takes over what one VM needs, unless something prevents it.
    pub(super) fn carry_out(&mut self, vm: &'a Resource, moves: Moves<'a>) {
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

    pub(super) fn finish(self) -> Upgrade<'a> {
        self.out
    }

    pub(super) fn row(
        &self,
        vm: Option<&Resource>,
        old: &Resource,
        stored: &Stored,
        new: &str,
    ) -> UpgradeRow {
        let mut row = UpgradeRow::new(vm, old, stored.form.to_string(), new);
        if stored.form != Form::V1beta1 && stored.matcher == Matcher::Instancetype {
            let cpu = stored.object.path("spec.cpu");
            let unset = stored::MADE_OPTIONAL
                .into_iter()
                .filter(|field| cpu.is_none_or(|cpu| cpu.get(field).is_none()));
            row.kept_unset.extend(unset);
            if self.options.bug_compatible {
                row.meaning.extend(set_by_kubevirt(&row.kept_unset));
                row.kept_unset.clear();
            }
        }
        let drops = |path| format!("drops {path}, which {} does not have", stored.form);
        row.meaning.extend(stored.dropped.iter().map(drops));
        row
    }
}
