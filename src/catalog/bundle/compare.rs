//! What differs between two releases' bundles, and what replaces an object that was removed.

use std::collections::BTreeMap;

use super::{BUNDLE, INSTANCETYPE, Object, coming, find, lifetime, list, object};
use crate::field_path::FieldPath;
use crate::release::Release;
use crate::resource::Resource;
use crate::resource::quantity::Quantity;
use crate::yaml::{BundleEntry, Node};

/// An object that is not the same in two bundles.
#[derive(Debug)]
pub struct BundleDifference {
    /// The object.
    pub entry: &'static BundleEntry,
    /// How it differs.
    pub change: BundleChange,
}

/// How an object differs between two bundles.
#[derive(Debug)]
pub enum BundleChange {
    /// Only the newer bundle has it.
    Added,
    /// Only the older bundle has it.
    Removed {
        /// The most similar object of the newer bundle.
        nearest: Option<&'static Resource>,
    },
    /// Both have it, with different fields.
    Changed(Vec<BundleFieldChange>),
}

/// One field of an object that differs between two bundles.
#[derive(Debug)]
pub struct BundleFieldChange {
    /// The field.
    pub path: FieldPath,
    /// Its value in the older bundle.
    pub from: Option<&'static Node>,
    /// Its value in the newer bundle.
    pub to: Option<&'static Node>,
}

/// Why a release's bundle lacks an object that another's has.
#[derive(Debug)]
pub enum Absence {
    /// Older bundles have it.
    Removed {
        /// The last release that has it.
        last: Release,
        /// The most similar object of the bundle asked for.
        nearest: Option<&'static Resource>,
    },
    /// Newer bundles have it.
    NotYet {
        /// The next release that has it.
        first: Release,
    },
}

/// Every object that differs between the bundles of two releases: instance types, then preferences, by name.
pub fn diff(from: Release, to: Release) -> Vec<BundleDifference> {
    BUNDLE
        .objects
        .iter()
        .filter_map(|object| {
            let entry = &object.entry;
            let at = |release| find(release, entry.kind, entry.name);
            let change = match (at(from), at(to)) {
                (None, Some(_)) => BundleChange::Added,
                (Some(old), None) => BundleChange::Removed {
                    nearest: nearest(old, to),
                },
                (Some(old), Some(new)) => {
                    let fields = changed_fields(old, new);
                    if fields.is_empty() {
                        return None;
                    }
                    BundleChange::Changed(fields)
                }
                (None, None) => return None,
            };
            Some(BundleDifference { entry, change })
        })
        .collect()
}

/// Why the bundle of a release lacks an object; `None` where it has it, and where no bundle ever had it.
pub fn absence(release: Release, kind: &str, name: &str) -> Option<Absence> {
    let lifetime = lifetime(kind, name)?;
    if find(release, kind, name).is_some() {
        return None;
    }
    if let Some(first) = coming(release, kind, name) {
        return Some(Absence::NotYet { first });
    }
    let old = object(kind, name).and_then(Object::last)?;
    Some(Absence::Removed {
        last: lifetime.last()?.min(release),
        nearest: nearest(old, release),
    })
}

/// The object of a release's bundle that is most similar: instance types are compared by CPU and memory, then by
/// everything else; preferences by name.
pub fn nearest(of: &Resource, release: Release) -> Option<&'static Resource> {
    let candidates = list(release).filter(|candidate| candidate.id.kind == of.id.kind);
    if of.id.kind == INSTANCETYPE {
        let wanted = Size::of(of);
        let fields = leaves(&of.node);
        candidates.min_by_key(|candidate| {
            let unlike = unlike(&fields, &leaves(&candidate.node));
            (Size::of(candidate).distance(&wanted), unlike)
        })
    } else {
        let system = |name: &str| name.split('.').next().map(str::to_owned);
        candidates
            .filter(|candidate| system(&candidate.id.name) == system(&of.id.name))
            .max_by(|a, b| {
                let likeness = |of_: &Resource| strsim::jaro_winkler(&of_.id.name, &of.id.name);
                // The first of several wins.
                likeness(a)
                    .total_cmp(&likeness(b))
                    .then(b.id.name.cmp(&a.id.name))
            })
    }
}

/// CPU and memory of an instance type.
struct Size {
    vcpus: i64,
    bytes: i64,
}

impl Size {
    fn of(resource: &Resource) -> Self {
        Self {
            vcpus: resource.node.int_at("spec.cpu.guest"),
            bytes: resource
                .node
                .path("spec.memory.guest")
                .and_then(Quantity::from_node)
                .map_or(0, |quantity| quantity.value()),
        }
    }

    /// The distance of two sizes, in thousandths of a doubling.
    fn distance(&self, other: &Self) -> u64 {
        let apart = |a: i64, b: i64| {
            #[allow(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a rough distance of small numbers"
            )]
            let thousandths = ((a.max(1) as f64 / b.max(1) as f64).log2().abs() * 1000.0) as u64;
            thousandths
        };
        apart(self.vcpus, other.vcpus) + apart(self.bytes, other.bytes)
    }
}

impl Object {
    /// The newest form.
    fn last(&'static self) -> Option<&'static Resource> {
        Some(self.forms.last()?.resource(&self.entry))
    }
}

fn changed_fields(old: &'static Resource, new: &'static Resource) -> Vec<BundleFieldChange> {
    let (old, new) = (leaves(&old.node), leaves(&new.node));
    let paths: std::collections::BTreeSet<&FieldPath> = old.keys().chain(new.keys()).collect();
    paths
        .into_iter()
        .filter_map(|path| {
            let (from, to) = (old.get(path).copied(), new.get(path).copied());
            let same = matches!((from, to), (Some(from), Some(to)) if from.same_value(to));
            (!same).then(|| BundleFieldChange {
                path: path.clone(),
                from,
                to,
            })
        })
        .collect()
}

/// How many fields of two objects differ, labels and sizes aside.
fn unlike(a: &BTreeMap<FieldPath, &Node>, b: &BTreeMap<FieldPath, &Node>) -> usize {
    let counts = |path: &FieldPath| {
        let text = path.to_string();
        text.starts_with("spec.") && text != "spec.cpu.guest" && text != "spec.memory.guest"
    };
    let missing = |from: &BTreeMap<FieldPath, &Node>, other: &BTreeMap<FieldPath, &Node>| {
        from.iter()
            .filter(|(path, node)| {
                counts(path) && !other.get(path).is_some_and(|other| other.same_value(node))
            })
            .count()
    };
    missing(a, b) + missing(b, a)
}

/// Every scalar and every empty list or mapping, by path.
fn leaves(node: &Node) -> BTreeMap<FieldPath, &Node> {
    let mut out = BTreeMap::new();
    node.leaves(&mut |path, node| {
        out.insert(path.clone(), node);
    });
    out
}
