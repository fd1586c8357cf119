//! Files that a program builds objects from: kustomizations with what they use and change, charts.

use std::collections::{BTreeMap, BTreeSet};

use driftless::catalog::kustomization::{Kustomization, Rewrite};
use driftless::catalog::path;
use driftless::catalog::side::{Input, Side};
use driftless::plan::COMPARE_BUILT;
use driftless::resource::Resource;
use driftless::source::FileId;
use driftless::yaml::{self, Node, Value};

use super::kinds::{is_foreign, is_kubevirts};
use super::{ComparedSides, NotJudged};

impl ComparedSides<'_> {
    /// The kustomizations that build on a file and may change an object in it.
    pub(super) fn rewriters(&self, side: &Side, place: &str, resource: &Resource) -> Vec<String> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        let mut queue = vec![place.to_owned()];
        while let Some(here) = queue.pop() {
            for kustomization in &side.kustomizations {
                if !kustomization.builds_on.contains(&here)
                    || !seen.insert(kustomization.directory.clone())
                {
                    continue;
                }
                queue.push(kustomization.directory.clone());
                let mut changes = kustomization.changes.iter();
                let change = changes.find(|change| {
                    self.read_patch(change).is_some_and(|change| {
                        change.may_change(&resource.id.kind, &resource.id.name)
                    })
                });
                if let Some(change) = change {
                    found.push(format!("`{}` of {}", change.field, kustomization.file));
                }
            }
        }
        found
    }

    /// A rewrite with what its file says of the object it is for; `None` where the file holds nothing of KubeVirt.
    fn read_patch(&self, change: &Rewrite) -> Option<Rewrite> {
        let mut change = change.clone();
        let Some(file) = change.file.clone().filter(|_| change.kind.is_none()) else {
            return Some(change);
        };
        // A patch without a target names its object, so that one for KubeVirt was read.
        let held = self
            .after
            .get(file.as_str())
            .or_else(|| self.before.get(file.as_str()))?;
        let source = self.sources().file(held.file);
        change.read_inline(&String::from_utf8_lossy(source.bytes()));
        Some(change)
    }

    /// Whether a kustomization changed in more than the files it lists, and builds on something of KubeVirt.
    pub(super) fn changes_what_it_builds(&self, place: &str) -> bool {
        let text = |held: &BTreeMap<&str, Input>| {
            let bytes = self.sources().file(held.get(place)?.file).bytes();
            let first = yaml::parse(FileId(u32::MAX), bytes)
                .documents
                .into_iter()
                .next()?;
            let mut root = first.ok()?.root;
            for field in HARMLESS {
                root.remove(field);
            }
            Some(root)
        };
        let empty = || Node::new(Value::Map(yaml::Map::default()));
        let before = text(&self.before).unwrap_or_else(empty);
        let after = text(&self.after).unwrap_or_else(empty);
        !before.same_value(&after) && self.builds_on_kubevirt(place)
    }

    /// Whether a kustomization of either side leads to something of KubeVirt.
    fn builds_on_kubevirt(&self, place: &str) -> bool {
        [self.base, &self.session.head].into_iter().any(|world| {
            let closure = closure(&world.side.kustomizations, place);
            world.side.resources().any(|placed| {
                is_kubevirts(&placed.resource.id.group)
                    && placed.resource.file.is_some_and(|file| {
                        let place = self.place(file);
                        closure.contains(place)
                            || path::parent(place)
                                .is_some_and(|directory| closure.contains(&directory))
                    })
            })
        })
    }

    /// Why a file that a kustomization names without listing it concerns virtual machines.
    pub(super) fn named_by(&self, place: &str) -> Option<String> {
        let worlds = [self.base, &self.session.head].into_iter();
        let mut all = worlds.flat_map(|world| &world.side.kustomizations);
        all.find_map(|kustomization| {
            let field = kustomization.other.get(place)?;
            let mut patches = kustomization.changes.iter();
            let patch = patches.find(|change| change.file.as_deref() == Some(place));
            if let Some(patch) = patch {
                let read = self.read_patch(patch)?;
                if read.kind.as_deref().is_some_and(is_foreign) {
                    return None;
                }
            }
            self.builds_on_kubevirt(&kustomization.file).then(|| {
                format!(
                    "`{field}` of {} uses it, and no build runs here; {COMPARE_BUILT}",
                    kustomization.file
                )
            })
        })
    }

    /// Why a file of a chart concerns virtual machines.
    pub(super) fn chart_of(&self, place: &str) -> Option<String> {
        let mut charts = self.changed.charts.iter();
        let chart = charts.find(|chart| path::is_inside(place, chart))?;
        let named = if chart.is_empty() { "." } else { chart };
        Some(format!(
            "the chart in {named} renders what KubeVirt reads, and no chart is rendered here; {COMPARE_BUILT}"
        ))
    }
}

/// A kustomization that makes other objects of what it builds on.
pub(super) fn built_by_kustomize(file: String) -> NotJudged {
    NotJudged {
        file,
        kind: None,
        reason: format!(
            "kustomize builds objects from it, and no build runs here; {COMPARE_BUILT}"
        ),
    }
}

/// Fields of a kustomization that list files, or change nothing that a virtual machine sees of itself.
const HARMLESS: [&str; 15] = [
    "apiVersion",
    "kind",
    "metadata",
    "resources",
    "bases",
    "components",
    "crds",
    "openapi",
    "configurations",
    "sortOptions",
    "buildMetadata",
    "generatorOptions",
    "images",
    "commonAnnotations",
    "labels",
];

/// Every file and directory that a kustomization leads to, itself among them.
fn closure(all: &[Kustomization], file: &str) -> BTreeSet<String> {
    let mut by_directory: BTreeMap<&str, Vec<&Kustomization>> = BTreeMap::new();
    for kustomization in all {
        let held = by_directory.entry(&kustomization.directory).or_default();
        held.push(kustomization);
    }
    let mut found = BTreeSet::new();
    let mut queue = vec![path::parent(file).unwrap_or_default()];
    while let Some(here) = queue.pop() {
        if found.contains(&here) {
            continue;
        }
        for kustomization in by_directory.get(here.as_str()).into_iter().flatten() {
            queue.extend(kustomization.builds_on.iter().cloned());
        }
        found.insert(here);
    }
    found
}
