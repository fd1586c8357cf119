//! A change: the resources of two sides, paired by what makes them themselves.
//!
//! Within one target the same path comes first, then the same identity in a root that both sides share, then the same
//! identity in another root, last virtual machines that go by another name. What is in another target is another
//! object: the resource is removed there and added here.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::diff::{self, Lists};
use crate::release::Release;
use crate::resolve::Resolver;
use crate::resource::Resource;
use crate::yaml::Node;

/// A resource of a side, with what resolves its references.
#[derive(Clone, Copy, Debug)]
pub struct Sided<'a> {
    /// The resource.
    pub resource: &'a Resource,
    /// Where its file stands in the tree that both sides share; empty where it has none.
    pub place: &'a str,
    /// Directories of the outermost roots it is part of.
    pub roots: &'a [String],
    /// Directories of named targets whose kustomizations build on it, where it is for no named target itself: what a
    /// cluster gets is what they make of it.
    pub overlays: &'a [String],
    /// The resolver of its root and target.
    pub resolver: &'a Resolver<'a>,
}

impl<'a> Sided<'a> {
    /// Its namespace, or the one assumed.
    pub fn namespace(&self) -> &'a str {
        self.resource
            .namespace_or(&self.resolver.target().namespace)
    }

    /// The name of its target.
    pub fn target(&self) -> &'a str {
        &self.resolver.target().name
    }

    /// Group, kind, namespace and name.
    fn identity(&self) -> Identity<'a> {
        let id = &self.resource.id;
        (&id.group, &id.kind, self.namespace(), &id.name)
    }

    /// Its place, with its identity as it is written there: the namespace that is assumed is a matter of the settings.
    fn written_at(&self) -> (&'a str, Identity<'a>) {
        let id = &self.resource.id;
        let namespace = id.namespace.as_deref().unwrap_or_default();
        (self.place, (&id.group, &id.kind, namespace, &id.name))
    }

    /// Whether the two are of one target. Settings that name targets for the first time move nothing.
    fn fits_target(&self, other: &Self) -> bool {
        let (one, other) = (self.target(), other.target());
        one == other || one.is_empty() || other.is_empty()
    }

    /// Whether the two are part of one outermost root.
    fn shares_root(&self, other: &Self) -> bool {
        self.roots == other.roots || self.roots.iter().any(|root| other.roots.contains(root))
    }
}

type Identity<'a> = (&'a str, &'a str, &'a str, &'a str);

/// One resource across both sides.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// Its form in the base.
    pub base: Option<Sided<'a>>,
    /// Its form in the head.
    pub head: Option<Sided<'a>>,
    /// How the two belong together.
    pub relation: Relation,
}

/// How the two forms of a pair belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// One resource in its place, or one that only one side has.
    Same,
    /// One virtual machine under another name or namespace.
    Renamed,
    /// One form; the other side has the resource in another target, as a pair of its own.
    OtherTarget,
    /// One resource in another root of its target: what applied it before may delete it.
    OtherRoot,
}

impl<'a> Pair<'a> {
    /// The form that names the pair: the head's, else the base's.
    pub fn named_by(&self) -> Option<Sided<'a>> {
        self.head.or(self.base)
    }
}

/// Pairs the resources of two sides. A copy that is equal to another resource of its side and root is no pair of its own.
pub fn pair<'a>(release: Release, base: Vec<Sided<'a>>, head: Vec<Sided<'a>>) -> Vec<Pair<'a>> {
    let mut left = Left {
        base,
        head,
        pairs: Vec::new(),
    };
    let anywhere = |_: &Sided<'_>, _: &Sided<'_>| true;
    left.match_by(Relation::Same, Sided::written_at, Sided::fits_target);
    left.match_by(
        Relation::Same,
        |subject| (subject.target(), "", subject.identity()),
        Sided::shares_root,
    );
    left.leave_copies_out();
    left.match_by(
        Relation::OtherRoot,
        |subject| (subject.target(), "", subject.identity()),
        anywhere,
    );
    left.tell_moved();
    left.match_renamed(release);
    let Left {
        base,
        head,
        mut pairs,
    } = left;
    pairs.extend(base.into_iter().map(|subject| alone(Some(subject), None)));
    pairs.extend(head.into_iter().map(|subject| alone(None, Some(subject))));
    pairs.sort_by_cached_key(|pair| {
        pair.named_by().map(|subject| {
            let (group, kind, namespace, name) = subject.identity();
            (
                [
                    kind,
                    namespace,
                    name,
                    group,
                    subject.target(),
                    subject.place,
                ]
                .map(SmolStr::from),
                pair.base.is_none(),
            )
        })
    });
    pairs
}

const fn alone<'a>(base: Option<Sided<'a>>, head: Option<Sided<'a>>) -> Pair<'a> {
    Pair {
        base,
        head,
        relation: Relation::Same,
    }
}

/// What is not paired yet, and the pairs so far.
struct Left<'a> {
    base: Vec<Sided<'a>>,
    head: Vec<Sided<'a>>,
    pairs: Vec<Pair<'a>>,
}

impl<'a> Left<'a> {
    /// Pairs what has the same key, in order, where the two fit.
    fn match_by<K: Ord>(
        &mut self,
        relation: Relation,
        key: impl Fn(&Sided<'a>) -> K,
        fits: impl Fn(&Sided<'a>, &Sided<'a>) -> bool,
    ) {
        if self.base.is_empty() || self.head.is_empty() {
            return;
        }
        let mut waiting: BTreeMap<K, Vec<usize>> = BTreeMap::new();
        for (at, subject) in self.base.iter().enumerate() {
            waiting.entry(key(subject)).or_default().push(at);
        }
        let mut taken = BTreeSet::new();
        let base = &self.base;
        let pairs = &mut self.pairs;
        self.head.retain(|subject| {
            let Some(waiting) = waiting.get_mut(&key(subject)) else {
                return true;
            };
            let Some(found) = waiting.iter().position(|at| fits(&base[*at], subject)) else {
                return true;
            };
            let at = waiting.remove(found);
            taken.insert(at);
            pairs.push(Pair {
                base: Some(base[at]),
                head: Some(*subject),
                relation,
            });
            false
        });
        self.take_base(&taken);
    }

    fn take_base(&mut self, taken: &BTreeSet<usize>) {
        let mut at = 0;
        self.base.retain(|_| {
            at += 1;
            !taken.contains(&(at - 1))
        });
    }

    /// Leaves out what is equal to another resource of its side, target and root: the cluster has it once.
    fn leave_copies_out(&mut self) {
        let paired = |side: fn(&Pair<'a>) -> Option<Sided<'a>>, pairs: &[Pair<'a>]| {
            pairs.iter().filter_map(side).collect::<Vec<_>>()
        };
        without_copies(&mut self.base, &paired(|pair| pair.base, &self.pairs));
        without_copies(&mut self.head, &paired(|pair| pair.head, &self.pairs));
    }

    /// Tells what the other side has in another target.
    fn tell_moved(&mut self) {
        let named = |side: &[Sided<'a>]| -> BTreeSet<Identity<'a>> {
            side.iter().map(Sided::identity).collect()
        };
        let (before, after) = (named(&self.base), named(&self.head));
        let pairs = &mut self.pairs;
        let mut told = |base, head| {
            pairs.push(Pair {
                base,
                head,
                relation: Relation::OtherTarget,
            });
            false
        };
        self.base
            .retain(|subject| !after.contains(&subject.identity()) || told(Some(*subject), None));
        self.head
            .retain(|subject| !before.contains(&subject.identity()) || told(None, Some(*subject)));
    }

    /// Pairs virtual machines of one target that go by another name.
    fn match_renamed(&mut self, release: Release) {
        if self.base.is_empty() || self.head.is_empty() {
            return;
        }
        let is_vm = |subject: &Sided| subject.resource.is("kubevirt.io", "VirtualMachine");
        let mut marks: BTreeMap<(&str, String), Vec<usize>> = BTreeMap::new();
        for (at, subject) in self.head.iter().enumerate() {
            if is_vm(subject) {
                for mark in identity_marks(&subject.resource.node) {
                    let key = (subject.target(), mark);
                    marks.entry(key).or_default().push(at);
                }
            }
        }
        let mut taken = BTreeSet::new();
        let mut taken_base = BTreeSet::new();
        let comparable = self.base.len().saturating_mul(self.head.len()) <= MOST_COMPARISONS;
        for (from, subject) in self.base.iter().enumerate() {
            if !is_vm(subject) {
                continue;
            }
            let by_mark = identity_marks(&subject.resource.node)
                .into_iter()
                .filter_map(|mark| marks.get(&(subject.target(), mark)))
                .flatten()
                .find(|at| !taken.contains(*at))
                .copied();
            let near = || {
                let others = self.head.iter().enumerate();
                let mut others = others.filter(|(at, other)| {
                    is_vm(other) && other.target() == subject.target() && !taken.contains(at)
                });
                let fits = |other: &Sided<'_>| is_near(release, subject.resource, other.resource);
                comparable
                    .then(|| others.find(|(_, other)| fits(other)).map(|(at, _)| at))
                    .flatten()
            };
            if let Some(at) = by_mark.or_else(near) {
                taken.insert(at);
                taken_base.insert(from);
                self.pairs.push(Pair {
                    base: Some(*subject),
                    head: Some(self.head[at]),
                    relation: Relation::Renamed,
                });
            }
        }
        self.take_base(&taken_base);
        let mut at = 0;
        self.head.retain(|_| {
            at += 1;
            !taken.contains(&(at - 1))
        });
    }
}

fn without_copies<'a>(left: &mut Vec<Sided<'a>>, paired: &[Sided<'a>]) {
    if left.is_empty() {
        return;
    }
    let wanted: BTreeSet<_> = left.iter().map(Sided::identity).collect();
    let mut known: BTreeMap<(&str, Identity<'_>), Vec<Sided<'a>>> = BTreeMap::new();
    for subject in paired {
        if wanted.contains(&subject.identity()) {
            let key = (subject.target(), subject.identity());
            known.entry(key).or_default().push(*subject);
        }
    }
    left.retain(|subject| {
        let key = (subject.target(), subject.identity());
        let known = known.entry(key).or_default();
        let is_copy = known.iter().any(|other| {
            other.shares_root(subject) && other.resource.node.same_value(&subject.resource.node)
        });
        if !is_copy {
            known.push(*subject);
        }
        !is_copy
    });
}

/// Most comparisons of whole VMs that near-equality is worth.
const MOST_COMPARISONS: usize = 4_000;
/// The fields of a VM that say whether it runs.
const POWER: [&str; 2] = ["running", "runStrategy"];
/// Most differences that two VMs under different names may have and still be one.
const MOST_DIFFERENCES: usize = 3;

/// What two VMs cannot share unless they are one: data volumes they own, MAC addresses, firmware UUID.
fn identity_marks(vm: &Node) -> Vec<String> {
    let mut out = Vec::new();
    for template in vm.items_at("spec.dataVolumeTemplates") {
        out.push(format!("disk {}", template.str_at("metadata.name")));
    }
    for interface in vm.items_at("spec.template.spec.domain.devices.interfaces") {
        let mac = interface.str_at("macAddress");
        if !mac.is_empty() {
            out.push(format!("mac {}", mac.to_ascii_lowercase()));
        }
    }
    let uuid = vm.str_at("spec.template.spec.domain.firmware.uuid");
    if !uuid.is_empty() {
        out.push(format!("uuid {}", uuid.to_ascii_lowercase()));
    }
    out
}

/// Whether two VMs differ so little that one is the other under another name. Whether it runs is no part of what it is.
fn is_near(release: Release, base: &Resource, head: &Resource) -> bool {
    let (Some(from), Some(to)) = (base.node.get("spec"), head.node.get("spec")) else {
        return false;
    };
    let (disks, new_disks) = (template_names(from), template_names(to));
    if disks.len() != new_disks.len() {
        return false;
    }
    // Disks are mostly named after their VM; where they are not, everything else has to be equal.
    let named_after = disks
        .iter()
        .zip(&new_disks)
        .all(|(old, new)| old == new || old.replace(&*base.id.name, &head.id.name) == *new);
    let most = if named_after { MOST_DIFFERENCES } else { 0 };
    let (from, to) = (&unnamed(from, &disks), &unnamed(to, &new_disks));
    let mut found = diff::differences(release, "v1.VirtualMachineSpec", from, to, Lists::ByKey);
    found.retain(|difference| !POWER.contains(&difference.path.to_string().as_str()));
    found.len() <= most
        && found
            .iter()
            .all(|difference| difference.path.segments().len() > 2)
}

fn template_names(spec: &Node) -> Vec<String> {
    let templates = spec.items_at("dataVolumeTemplates").iter();
    templates
        .map(|template| template.str_at("metadata.name").to_owned())
        .collect()
}

/// A VM's spec with its own disks named by their place.
fn unnamed(spec: &Node, disks: &[String]) -> Node {
    let mut spec = spec.clone();
    let lists = [
        ("dataVolumeTemplates", &["metadata.name"][..]),
        (
            "template.spec.volumes",
            &["dataVolume.name", "persistentVolumeClaim.claimName"],
        ),
    ];
    for (list, names) in lists {
        let items = spec.path_mut(list).and_then(Node::items_mut);
        for item in items.into_iter().flatten() {
            for name in names {
                let at = disks.iter().position(|disk| disk == item.str_at(name));
                if let Some(at) = at.filter(|_| item.path(name).is_some()) {
                    item.set(name, Node::string(format!("disk {at}")));
                }
            }
        }
    }
    spec
}

#[cfg(test)]
mod tests;
