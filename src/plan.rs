//! The plan: what a change does to every VM, why, and what is lost.
//!
//! [`Plan`] is the data; `groups` and `summary` say what its rows have in common. A side of a VM is a `stage`, in which
//! each step is made once. `judge` says which kind of change a pair is: `lifecycle` for what is created, deleted and
//! renamed, `modified` for an edited VM, `fan_out` for what a changed instance type or preference does to the others.
//! `objects` is what the claims, Secrets, ConfigMaps and networks that a VM names do to it; `claims` are those that no VM names,
//! `restores` overwrite disks. `workloads` are pools, replica sets and bare instances, `overlaid` what
//! overlays of other clusters build on. `traps` are edits that do less than they seem. `gate` says what fails a plan, `accept` what was accepted by name.

mod accept;
mod admission;
mod claims;
mod delivery;
mod disks;
mod export;
mod fan_out;
mod fields;
mod gate;
mod groups;
mod identity;
mod judge;
mod lifecycle;
mod model;
mod modified;
mod moved;
mod names;
mod objects;
mod overlaid;
mod power;
mod restores;
mod row;
mod shared;
mod stage;
mod start;
mod summary;
mod traps;
pub mod upgrade;
mod workloads;

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::change::{self, Pair, Sided};
use crate::openshift::Platform;
use crate::release::Release;
use crate::source::Sources;
pub use crate::update::{Action, Effect, Reason, VolumeChange, VolumeVerdict};
use crate::word::words;
pub use accept::{Acceptance, NoAcceptance};
use claims::{Around, ClaimChanges};
pub use delivery::Delivery;
pub use export::Export;
pub use gate::Gates;
pub use groups::Group;
pub use model::{
    Accepted, CauseLocation, Change, FieldChange, Loss, Lost, Plan, Power, Rejection, Releases,
    Unjudged, VmPlan,
};
pub use overlaid::{COMPARE_BUILT, Overlaid};
pub use summary::Summary;

/// The two sides of a change, each resource with its resolver.
#[derive(Debug)]
pub struct Sides<'a> {
    /// Every resource of the base that is judged.
    pub base: Vec<Sided<'a>>,
    /// Every resource of the head that is judged.
    pub head: Vec<Sided<'a>>,
    /// The base of a migration that is under way, where two bases are given.
    pub migration_base: Vec<Sided<'a>>,
    /// What applies the tree to clusters, as its objects of Argo CD and Flux say.
    pub deliveries: &'a [Delivery],
    /// What clusters have, where exports say it.
    pub exports: &'a [Export],
    /// The texts of all sides.
    pub sources: &'a Sources,
    /// How the head comes upon what is stored.
    pub apply: Apply,
}

words! {
    /// How a changed object comes upon the one that is stored.
    #[derive(Default)]
    Apply {
        /// Git's words over the stored object: what a webhook wrote into it stays. So do kubectl apply, server-side apply,
        /// Argo CD and Flux.
        #[default]
        Merge = "merge",
        /// The whole object as it is in Git, as kubectl replace: what only the store had goes.
        Replace = "replace",
    }
}

/// What the sides are called in reports.
#[derive(Clone, Debug)]
pub struct Names {
    /// The base.
    pub base: String,
    /// The head.
    pub head: String,
}

/// Judges a change.
pub fn plan<'a>(sides: Sides<'a>, names: Names) -> Plan {
    let Sides {
        base,
        head,
        migration_base,
        deliveries,
        exports,
        sources,
        apply,
    } = sides;
    let release = head
        .iter()
        .chain(&base)
        .map(|subject| subject.resolver.release())
        .next()
        .unwrap_or(Release::NEWEST);
    let releases = releases(&base, &head);
    let is_vm = |subject: &Sided| subject.resource.is("kubevirt.io", "VirtualMachine");
    let earlier: BTreeMap<(String, String), Sided<'_>> = migration_base
        .iter()
        .filter(|subject| is_vm(subject))
        .map(|subject| {
            let name = subject.resource.id.name.to_string();
            ((subject.namespace().to_owned(), name), *subject)
        })
        .collect();
    let others = change::pair(release, workloads::among(&base), workloads::among(&head));
    let of = |side: &[Sided<'a>], is: &dyn Fn(&Sided<'a>) -> bool| -> Vec<Sided<'a>> {
        side.iter().filter(|subject| is(subject)).copied().collect()
    };
    let paired =
        |is: &dyn Fn(&Sided<'a>) -> bool| change::pair(release, of(&base, is), of(&head, is));
    let around = Around {
        claims: ClaimChanges::of(paired(&|subject| claims::is_claim(subject.resource))),
        deliveries,
        exports,
        sources,
    };
    let restored = paired(&restores::is_restore);
    let pairs = paired(&is_vm);
    let mut virtual_machines: Vec<VmPlan> = pairs
        .par_iter()
        .filter_map(|pair| {
            let before_migration = pair.base.and_then(|base| {
                let name = base.resource.id.name.to_string();
                earlier.get(&(base.namespace().to_owned(), name)).copied()
            });
            judge::judge(pair, before_migration, apply, &around)
        })
        .collect();
    virtual_machines.extend(
        others
            .iter()
            .filter_map(|pair| workloads::judge(pair, sources)),
    );
    let mut notes = notes(&pairs);
    notes.extend(delivered(&pairs, &virtual_machines, deliveries));
    virtual_machines.extend(around.claims.rows(&pairs, deliveries, sources));
    let machines = restores::Machines::of(&pairs);
    virtual_machines.extend(
        restored
            .iter()
            .filter_map(|pair| restores::judge(pair, &machines, sources)),
    );
    let (virtual_machines, unjudged) = overlaid::split(virtual_machines);
    let upgrades: BTreeSet<(Release, Release)> = pairs
        .iter()
        .filter(|pair| !overlaid::is_overlaid(pair))
        .filter_map(|pair| {
            let (from, to) = (pair.base?.resolver.release(), pair.head?.resolver.release());
            (from != to).then_some((from, to))
        })
        .collect();
    for (from, to) in upgrades {
        notes.extend(upgrade::differences(from, to));
    }
    Plan {
        unjudged,
        ..assemble(names, releases, targets(&pairs), notes, virtual_machines)
    }
}

/// Whether a plan judges what a change of a kind of `KubeVirt`'s groups does, or reads it for what it says of others.
pub fn judges(group: &str, kind: &str) -> bool {
    matches!(
        (group, kind),
        (
            "kubevirt.io",
            "VirtualMachine"
                | "VirtualMachineInstance"
                | "VirtualMachineInstanceReplicaSet"
                | "KubeVirt"
        ) | ("pool.kubevirt.io", "VirtualMachinePool")
            | (
                "instancetype.kubevirt.io",
                "VirtualMachineInstancetype"
                    | "VirtualMachineClusterInstancetype"
                    | "VirtualMachinePreference"
                    | "VirtualMachineClusterPreference"
            )
            | ("cdi.kubevirt.io", "DataVolume" | "DataSource")
            | ("snapshot.kubevirt.io", "VirtualMachineRestore")
    )
}

/// A plan of its rows: they are grouped here, once.
fn assemble(
    names: Names,
    kubevirt: Releases,
    targets: Vec<String>,
    notes: Vec<String>,
    virtual_machines: Vec<VmPlan>,
) -> Plan {
    Plan {
        kubevirt,
        base: names.base,
        head: names.head,
        targets,
        notes,
        groups: groups::group(&virtual_machines),
        virtual_machines,
        unjudged: Vec::new(),
    }
}

/// What applies the VMs of a plan does less than one expects, in sentences.
fn delivered(pairs: &[Pair<'_>], rows: &[VmPlan], deliveries: &[Delivery]) -> BTreeSet<String> {
    if deliveries.is_empty() {
        return BTreeSet::new();
    }
    let touched: BTreeSet<(&str, &str, &str)> = rows
        .iter()
        .map(|row| {
            let target = row.target.as_deref().unwrap_or_default();
            (target, row.namespace.as_str(), row.name.as_str())
        })
        .collect();
    let subjects = pairs.iter().filter_map(Pair::named_by);
    subjects
        .filter(|subject| {
            let name = subject.resource.id.name.as_str();
            touched.contains(&(subject.target(), subject.namespace(), name))
        })
        .flat_map(|subject| delivery::notes(&subject, deliveries))
        .collect()
}

/// The releases that judge each side. A side without resources is judged by the other's.
fn releases(base: &[Sided<'_>], head: &[Sided<'_>]) -> Releases {
    let of = |subjects: &[Sided<'_>]| -> Vec<Platform> {
        let found: BTreeSet<Platform> = subjects
            .iter()
            .filter(|subject| subject.overlays.is_empty())
            .map(|subject| subject.resolver.target().platform())
            .collect();
        found.into_iter().collect()
    };
    let or = |side: Vec<Platform>, other: &[Platform]| {
        if !side.is_empty() {
            side
        } else if other.is_empty() {
            vec![Release::NEWEST.into()]
        } else {
            other.to_vec()
        }
    };
    let (base, head) = (of(base), of(head));
    Releases {
        base: or(base.clone(), &head),
        head: or(head, &base),
        hides: Vec::new(),
    }
}

/// The names of the targets.
fn targets(pairs: &[Pair<'_>]) -> Vec<String> {
    let names: BTreeSet<&str> = pairs
        .iter()
        .flat_map(|pair| [pair.base, pair.head])
        .flatten()
        .map(|subject| subject.resolver.target().name.as_str())
        .filter(|name| !name.is_empty())
        .collect();
    names.into_iter().map(str::to_owned).collect()
}

fn notes(pairs: &[Pair<'_>]) -> Vec<String> {
    let mut notes = Vec::new();
    if pairs.is_empty() {
        return notes;
    }
    notes.push("every VM that runs is taken to run what the base says".to_owned());
    let targets: BTreeSet<(Platform, bool, bool)> = pairs
        .iter()
        .filter(|pair| !overlaid::is_overlaid(pair))
        .filter_map(Pair::named_by)
        .map(|subject| {
            let target = subject.resolver.target();
            (
                target.platform(),
                target.release_known,
                target.configuration.is_known(),
            )
        })
        .collect();
    for (platform, known, _) in &targets {
        let release = &platform.release;
        if !known {
            let which = match platform.openshift {
                Some(_) => "openshift",
                None => "kubevirt",
            };
            notes.push(format!(
                "{platform} is assumed: `--{which}` says which release runs"
            ));
        }
        if release.proved() != *release {
            notes.push(format!(
                "verdicts for KubeVirt {release} are those of {}",
                release.proved()
            ));
        }
    }
    let assumed = targets.iter().filter(|(_, _, configured)| !configured);
    let assumed: BTreeSet<&str> = assumed
        .map(|(platform, _, _)| match platform.openshift {
            Some(_) => "HyperConverged's defaults are",
            None => "KubeVirt's default configuration is",
        })
        .collect();
    for defaults in assumed {
        notes.push(format!(
            "{defaults} assumed: `--cluster-config` gives the cluster's own"
        ));
    }
    notes
}
