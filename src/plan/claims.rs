//! Claims and data volumes that are objects of their own: which ones the change removes, how the API server and CDI answer an
//! edit, and the rows of those that no VM names.

use std::collections::{BTreeMap, BTreeSet};

use super::delivery::{self, Delivery};
use super::export::Export;
use super::lifecycle::kept_by;
use super::names;
use super::row::{blank, causes};
use super::{Action, Change, Loss, Lost, Reason, Rejection, VmPlan};
use crate::change::{Pair, Relation, Sided};
use crate::diff::{Lists, differences};
use crate::release::Release;
use crate::resource::Resource;
use crate::resource::quantity::Quantity;
use crate::source::Sources;
use crate::update::words::shown;
use crate::yaml::Node;

/// The path of a claim's size request.
const SIZE: &str = "spec.resources.requests.storage";

/// Fields of a claim that cannot be changed after creation. Mirrors ValidatePersistentVolumeClaimUpdate,
/// pkg/apis/core/validation/validation.go of Kubernetes.
const FIXED: [&str; 8] = [
    "accessModes",
    "selector",
    "resources.limits",
    "storageClassName",
    "volumeName",
    "volumeMode",
    "dataSource",
    "dataSourceRef",
];

/// Fields that the cluster fills in if they are not set.
const FILLED: [&str; 2] = ["storageClassName", "volumeName"];

/// Whether a resource is a claim, or makes one.
pub(super) fn is_claim(resource: &Resource) -> bool {
    resource.is("", "PersistentVolumeClaim") || resource.is("cdi.kubevirt.io", "DataVolume")
}

type ClaimKey<'a> = (&'a str, &'a str, &'a str);

fn key<'a>(subject: &Sided<'a>) -> ClaimKey<'a> {
    (
        subject.target(),
        subject.namespace(),
        &subject.resource.id.name,
    )
}

/// What a change is judged with, besides its VMs.
pub(super) struct Around<'a> {
    /// The claims of both sides.
    pub(super) claims: ClaimChanges<'a>,
    /// What applies the tree to clusters.
    pub(super) deliveries: &'a [Delivery],
    /// What the clusters contain, from the exports that were given.
    pub(super) exports: &'a [Export],
    /// The texts of all sides.
    pub(super) sources: &'a Sources,
}

/// The claims of both sides.
pub(super) struct ClaimChanges<'a> {
    pairs: Vec<Pair<'a>>,
    still_there: BTreeSet<ClaimKey<'a>>,
    gone: BTreeMap<ClaimKey<'a>, Sided<'a>>,
}

impl<'a> ClaimChanges<'a> {
    /// Builds this from the paired claims of both sides.
    pub(super) fn of(pairs: Vec<Pair<'a>>) -> Self {
        let still_there: BTreeSet<ClaimKey<'_>> = pairs
            .iter()
            .filter_map(|pair| pair.head.as_ref().map(key))
            .collect();
        let gone = pairs
            .iter()
            .filter(|pair| pair.head.is_none())
            .filter_map(|pair| pair.base)
            .map(|base| (key(&base), base))
            .filter(|(key, _)| !still_there.contains(key))
            .collect();
        Self {
            pairs,
            still_there,
            gone,
        }
    }

    /// Whether the head still has this claim, in any root.
    pub(super) fn is_still_there(&self, target: &str, namespace: &str, name: &str) -> bool {
        self.still_there.contains(&(target, namespace, name))
    }

    /// A claim that goes.
    pub(super) fn gone(&self, target: &str, namespace: &str, name: &str) -> Option<Sided<'a>> {
        let wanted = (target, namespace, name);
        let mut gone = self.gone.iter();
        gone.find_map(|(key, claim)| (*key == wanted).then_some(*claim))
    }

    /// The claims that the change removes and that a VM of the base names.
    pub(super) fn gone_with(&self, vm: &Sided<'_>) -> Vec<Sided<'a>> {
        if self.gone.is_empty() {
            return Vec::new();
        }
        let named = names::claims(&vm.resource.node);
        let mut out: Vec<Sided<'a>> = named
            .iter()
            .filter_map(|name| self.gone.get(&(vm.target(), vm.namespace(), name.name)))
            .copied()
            .collect();
        out.dedup_by_key(|claim| claim.resource.id.clone());
        out
    }

    /// Rows of removed and edited claims that no VM's row reports. A claim is left out if a VM of the head names it, or a VM
    /// that is itself removed.
    pub(super) fn rows(
        &self,
        machines: &[Pair<'a>],
        deliveries: &[Delivery],
        sources: &Sources,
    ) -> Vec<VmPlan> {
        let edited: Vec<&Pair<'a>> = self
            .pairs
            .iter()
            .filter(|pair| match (pair.base, pair.head) {
                (Some(base), Some(head)) => !base.resource.node.same_value(&head.resource.node),
                _ => false,
            })
            .collect();
        if self.gone.is_empty() && edited.is_empty() {
            return Vec::new();
        }
        let mut named: BTreeSet<ClaimKey<'_>> = BTreeSet::new();
        for pair in machines {
            let leaves = pair.head.is_none() || pair.relation == Relation::Renamed;
            let subjects = [pair.base.filter(|_| leaves), pair.head];
            for subject in subjects.into_iter().flatten() {
                let claims = names::claims(&subject.resource.node);
                named.extend(
                    claims
                        .iter()
                        .map(|claim| (subject.target(), subject.namespace(), claim.name)),
                );
            }
        }
        let mut rows: Vec<VmPlan> = self
            .gone
            .iter()
            .filter(|(key, _)| !named.contains(*key))
            .map(|(_, claim)| removed(claim, deliveries, sources))
            .collect();
        for pair in edited {
            let (Some(base), Some(head)) = (pair.base, pair.head) else {
                continue;
            };
            if !named.contains(&key(&head)) {
                rows.extend(modified(&base, &head, sources));
            }
        }
        rows
    }
}

/// A claim that goes and that no VM names.
fn removed(claim: &Sided<'_>, deliveries: &[Delivery], sources: &Sources) -> VmPlan {
    let mut out = blank(claim, Change::Removed);
    out.causes = causes(sources, [claim.resource]);
    if let Some(kept) = kept_by(&claim.resource.node) {
        out.reasons.push(Reason::new(format!(
            "it stays in the cluster, unmanaged: {kept}"
        )));
        return out;
    }
    out.hold(Action::DataLoss);
    out.loses.push(lost(claim));
    out.reasons.push(Reason::new(
        "its data goes with it, unless the storage class retains volumes",
    ));
    out.reasons.extend(delivery::stays(claim, deliveries));
    out
}

/// The row of an edited claim that no VM names; `None` if the edit has no effect.
fn modified(base: &Sided<'_>, head: &Sided<'_>, sources: &Sources) -> Option<VmPlan> {
    let edits = edits(head.resolver.release(), base.resource, head.resource);
    if edits.is_empty() {
        return None;
    }
    let mut out = blank(head, Change::Modified);
    out.causes = causes(sources, [base.resource, head.resource]);
    for edit in edits {
        match edit.fate {
            Fate::Refused => {
                out.hold(Action::Rejected);
                out.rejected = Some(Rejection::Admission);
            }
            Fate::Unknown => out.hold(Action::Unknown),
            Fate::Grows => {}
        }
        out.reasons.push(edit.reason);
    }
    Some(out)
}

/// The disk that is lost when a claim is removed.
pub(super) fn lost(claim: &Sided<'_>) -> Loss {
    Loss {
        what: Lost::Disk,
        name: claim.resource.id.name.to_string(),
    }
}

/// What the cluster does with an edit of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The API server or CDI refuses it: the object stays as it is.
    Refused,
    /// Refused, unless the new value is the one that the cluster filled in.
    Unknown,
    /// The disk grows.
    Grows,
}

/// An edit of a claim with what becomes of it.
#[derive(Debug)]
pub(super) struct ClaimEdit {
    /// What becomes of it.
    pub(super) fate: Fate,
    /// Where it is in the claim, and why.
    pub(super) reason: Reason,
}

/// The differences between two versions of a claim or data volume that have an effect.
pub(super) fn edits(release: Release, base: &Resource, head: &Resource) -> Vec<ClaimEdit> {
    let (before, after) = (&base.node, &head.node);
    if base.id.kind == "DataVolume" {
        return data_volume_edits(release, before, after, &head.id.name);
    }
    let mut out = Vec::new();
    for field in FIXED {
        let path = format!("spec.{field}");
        let (from, to) = (written(before, &path), written(after, &path));
        let is_same = match (from, to) {
            (Some(from), Some(to)) => from.same_value(to),
            (None, None) => true,
            _ => false,
        };
        if is_same {
            continue;
        }
        let text = |node: Option<&Node>| node.map(|node| crate::update::words::brief(node, false));
        let (fate, words) = if from.is_none() && FILLED.contains(&field) {
            (
                Fate::Unknown,
                "no effect if this is the value that the cluster chose; otherwise the API server refuses it, because this field of a claim cannot be changed",
            )
        } else {
            (
                Fate::Refused,
                "the API server refuses it, because this field of a claim cannot be changed: create a new claim, and move the volume with `updateVolumesStrategy: Migration`",
            )
        };
        out.push(ClaimEdit {
            fate,
            reason: Reason {
                from: text(from),
                to: text(to),
                ..Reason::new(words).at(&path)
            },
        });
    }
    let size = |node: &Node| node.path(SIZE).and_then(Quantity::from_node);
    if let (Some(from), Some(to)) = (size(before), size(after))
        && from != to
    {
        let (fate, words) = if to < from {
            (
                Fate::Refused,
                "the API server refuses it, a claim cannot shrink: make a smaller one and copy the data inside the guest",
            )
        } else {
            (
                Fate::Grows,
                "the claim grows, where its storage class allows it (`allowVolumeExpansion`)",
            )
        };
        out.push(ClaimEdit {
            fate,
            reason: Reason {
                from: Some(from.to_string()),
                to: Some(to.to_string()),
                ..Reason::new(words).at(SIZE)
            },
        });
    }
    out
}

fn written<'a>(node: &'a Node, path: &str) -> Option<&'a Node> {
    node.path(path).filter(|node| !node.is_null())
}

/// Mirrors DataVolumeValidatingWebhook.Admit of CDI, pkg/apiserver/webhooks/datavolume-validate.go: the spec
/// cannot change, except for the checkpoints of a multi-stage import.
fn data_volume_edits(release: Release, before: &Node, after: &Node, name: &str) -> Vec<ClaimEdit> {
    let empty = Node::map();
    let spec = |node: &Node| {
        let mut spec = node.get("spec").unwrap_or(&empty).clone();
        let is_staged = !spec.items_at("checkpoints").is_empty()
            && (spec.path("source.vddk").is_some() || spec.path("source.imageio").is_some());
        if is_staged {
            spec.remove("checkpoints");
            spec.remove("finalCheckpoint");
        }
        spec
    };
    let (from, to) = (spec(before), spec(after));
    let found = differences(
        release,
        "v1beta1.DataVolumeSpec",
        &from,
        &to,
        Lists::ByPosition,
    );
    let edits = found.iter().map(|difference| {
        let mut reason = shown(difference);
        let path = format!("spec.{}", difference.path);
        reason.message = if path.ends_with("resources.requests.storage") {
            format!(
                "CDI refuses it, because the spec of a DataVolume cannot be changed: to grow the disk, raise `{SIZE}` of claim `{name}`"
            )
        } else {
            "CDI refuses it, because the spec of a DataVolume cannot be changed: create a new one, and move the volume with `updateVolumesStrategy: Migration`".to_owned()
        };
        ClaimEdit {
            fate: Fate::Refused,
            reason: reason.at(&path).saying("Cannot update DataVolume Spec"),
        }
    });
    edits.collect()
}
