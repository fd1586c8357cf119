//! Roots: which files are judged together, and which other roots each one sees.
//!
//! A directory that holds files of several targets is one root for each: what one cluster has, another does not see.
//! The file is long because each way to see another root has its tests here.

use std::collections::{BTreeMap, BTreeSet};

use super::kustomization::{self, Kustomization};
use super::path;

/// What makes a directory a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RootKind {
    /// It holds a kustomization.
    Kustomization,
    /// It holds a `Chart.yaml`.
    Chart,
    /// `roots:` of the configuration names it.
    Configured,
    /// The command line names it, or files that belong to no other root.
    Given,
}

/// A directory whose resources have one identity each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootDirectory {
    /// The directory; empty is the working directory.
    pub directory: String,
    /// What makes it a root.
    pub kind: RootKind,
    /// Whether it holds a `Chart.yaml`, whatever else makes it a root.
    pub is_chart: bool,
    /// Whether it is only there to resolve against.
    pub context: bool,
    /// The target its files are for, by its place in [`Scope::targets`] counted from 1; 0 is the implicit target.
    pub target: usize,
    /// The other roots it sees, by index, nearest first.
    pub sees: Vec<usize>,
}

/// What the command line and the configuration say about roots.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Directories given as PATH.
    pub given: Vec<String>,
    /// Directories given with `--context`.
    pub context: Vec<String>,
    /// Directories from `roots:` of the configuration.
    pub configured: Vec<String>,
    /// Namespace assumed for resources of the implicit target without one.
    pub namespace: String,
    /// The named targets of the configuration.
    pub targets: Vec<TargetScope>,
}

/// What the configuration says about the place of a target.
#[derive(Clone, Debug, Default)]
pub struct TargetScope {
    /// Directories and files it holds; empty for all.
    pub paths: Vec<String>,
    /// Namespace assumed for its resources without one.
    pub namespace: String,
}

impl TargetScope {
    fn holds(&self, place: &str) -> bool {
        self.paths.is_empty() || self.paths.iter().any(|path| path::is_inside(place, path))
    }
}

impl Scope {
    /// The target of a file or directory: the last that holds it, counted from 1; 0 where none does.
    pub fn target_of(&self, place: &str) -> usize {
        let held = self.targets.iter().rposition(|target| target.holds(place));
        held.map_or(0, |at| at + 1)
    }

    /// The namespace assumed for resources of a target without one.
    pub fn namespace_of(&self, target: usize) -> &str {
        let named = target.checked_sub(1).and_then(|at| self.targets.get(at));
        named.map_or(&self.namespace, |target| &target.namespace)
    }

    /// Whether a directory lies within the paths that a target names.
    fn is_within(&self, directory: &str, target: usize) -> bool {
        let named = target.checked_sub(1).and_then(|at| self.targets.get(at));
        named.is_some_and(|target| target.holds(directory))
    }
}

/// What kustomizations make of a root or a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuiltOn {
    /// The directories it is part of and that no other kustomization leads to.
    pub outermost: Vec<String>,
    /// Of something that is for no named target: the directories of named targets whose kustomizations lead to it.
    pub overlays: Vec<String>,
}

/// Every root of a side, sorted by directory and target; the last ones take the files that belong to no other.
#[derive(Clone, Debug)]
pub struct RootLayout {
    roots: Vec<RootDirectory>,
    /// The roots of each directory, by target; the first is the implicit target's.
    by_directory: BTreeMap<String, Vec<usize>>,
    /// The roots of files that belong to no directory here, by target.
    rest: Vec<usize>,
    scope: Scope,
    named: BTreeMap<String, (&'static str, String)>,
    /// For each file and directory that kustomizations build on, the directories of those kustomizations.
    resources: BTreeMap<String, BTreeSet<String>>,
    charts: BTreeSet<String>,
    kustomizations: BTreeSet<String>,
    /// Depth of the highest root: nothing is looked for above it.
    highest: isize,
}

impl RootLayout {
    /// The roots of a tree, from the paths of its files and what its kustomizations say.
    pub fn new<'a>(
        scope: &Scope,
        files: impl IntoIterator<Item = &'a str>,
        kustomizations: &[Kustomization],
    ) -> Self {
        let files: Vec<&str> = files.into_iter().collect();
        let mut kinds: BTreeMap<String, RootKind> = BTreeMap::new();
        let mut add = |directory: String, kind| {
            let held = kinds.entry(directory).or_insert(kind);
            *held = kind.min(*held);
        };
        for directory in scope.given.iter().chain(&scope.context) {
            add(directory.clone(), RootKind::Given);
        }
        for directory in &scope.configured {
            add(directory.clone(), RootKind::Configured);
        }
        for kustomization in kustomizations {
            add(kustomization.directory.clone(), RootKind::Kustomization);
        }
        let charts: BTreeSet<String> = files
            .iter()
            .filter(|file| path::name(file) == "Chart.yaml")
            .map(|file| path::parent(file).unwrap_or_default())
            .collect();
        for directory in &charts {
            add(directory.clone(), RootKind::Chart);
        }
        let depths = kinds.keys().map(|directory| path::depth(directory));
        let highest = depths.chain([0]).min().unwrap_or_default();
        let mut targets: BTreeMap<Option<&String>, BTreeSet<usize>> = BTreeMap::new();
        for directory in kinds.keys().map(Some).chain([None]) {
            targets.insert(directory, BTreeSet::from([0]));
        }
        for file in files.iter().filter(|_| !scope.targets.is_empty()) {
            let target = scope.target_of(file);
            let holds = |directory: &str| kinds.get_key_value(directory).map(|(held, _)| held);
            let directory = nearest(path::parent(file), highest, holds);
            targets.entry(directory).or_default().insert(target);
        }
        let mut roots = Vec::new();
        let mut by_directory: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (directory, kind) in &kinds {
            for target in targets.get(&Some(directory)).into_iter().flatten() {
                let held = by_directory.entry(directory.clone()).or_default();
                held.push(roots.len());
                roots.push(RootDirectory {
                    directory: directory.clone(),
                    kind: *kind,
                    is_chart: charts.contains(directory),
                    context: is_context(scope, directory),
                    target: *target,
                    sees: Vec::new(),
                });
            }
        }
        let mut rest = Vec::new();
        for target in targets.get(&None).into_iter().flatten() {
            rest.push(roots.len());
            roots.push(RootDirectory {
                directory: String::new(),
                kind: RootKind::Given,
                is_chart: false,
                context: false,
                target: *target,
                sees: Vec::new(),
            });
        }
        let mut named = BTreeMap::new();
        let mut resources: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for kustomization in kustomizations {
            for named in &kustomization.builds_on {
                let by = resources.entry(named.clone()).or_default();
                by.insert(kustomization.directory.clone());
            }
            for (path, field) in &kustomization.other {
                named
                    .entry(path.clone())
                    .or_insert_with(|| (*field, kustomization.file.clone()));
            }
        }
        let mut layout = Self {
            roots,
            by_directory,
            rest,
            scope: scope.clone(),
            named,
            resources,
            charts,
            kustomizations: kustomizations
                .iter()
                .map(|read| read.file.clone())
                .collect(),
            highest,
        };
        let mut builders: BTreeMap<&str, Vec<&Kustomization>> = BTreeMap::new();
        for kustomization in kustomizations {
            let held = builders.entry(&kustomization.directory).or_default();
            held.push(kustomization);
        }
        let context = layout.context_roots();
        let places = 0..layout.roots.len();
        let sees: Vec<_> = places
            .map(|at| layout.seen_by(at, &builders, &context))
            .collect();
        for (root, sees) in layout.roots.iter_mut().zip(sees) {
            root.sees = sees;
        }
        layout
    }

    /// Every root.
    pub fn roots(&self) -> &[RootDirectory] {
        &self.roots
    }

    /// The root a file belongs to, by index.
    pub(crate) fn root_of(&self, file: &str) -> usize {
        let held = self.nearest(path::parent(file)).unwrap_or(&self.rest);
        let target = self.scope.target_of(file);
        let mut of_target = held.iter().filter(|at| self.roots[**at].target == target);
        *of_target.next().unwrap_or(&held[0])
    }

    /// Whether a kustomization lists the file as a resource.
    pub fn is_listed(&self, file: &str) -> bool {
        self.resources.contains_key(file)
    }

    /// What kustomizations make of a root: mostly it is its own outermost one.
    pub fn built_on(&self, root: &RootDirectory) -> BuiltOn {
        let above = self.above(&root.directory);
        BuiltOn {
            overlays: if root.target == 0 {
                self.of_targets(&above.seen)
            } else {
                Vec::new()
            },
            outermost: above.outermost,
        }
    }

    /// The same for a file that kustomizations of other directories than its own root list by name.
    pub fn built_on_listed(&self, file: &str) -> Option<BuiltOn> {
        let by = self.resources.get(file)?;
        let own = &self.roots[self.root_of(file)].directory;
        if by.len() == 1 && by.contains(own) {
            return None;
        }
        let mut built_on = BuiltOn::default();
        for above in by.iter().map(|root| self.above(root)) {
            built_on.outermost.extend(above.outermost);
            if self.scope.target_of(file) == 0 {
                built_on.overlays.extend(self.of_targets(&above.seen));
            }
        }
        for directories in [&mut built_on.outermost, &mut built_on.overlays] {
            directories.sort();
            directories.dedup();
        }
        Some(built_on)
    }

    /// The directories that kustomizations lead from to a directory, itself among them.
    fn above(&self, directory: &str) -> Above {
        let mut outermost = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut queue = vec![directory.to_owned()];
        while let Some(here) = queue.pop() {
            if !seen.insert(here.clone()) {
                continue;
            }
            let above = self.resources.get(&here);
            let mut above = above
                .into_iter()
                .flatten()
                .filter(|by| **by != here)
                .peekable();
            if above.peek().is_none() {
                outermost.insert(here);
            } else {
                queue.extend(above.cloned());
            }
        }
        if outermost.is_empty() {
            // Kustomizations that name each other have no outermost one.
            outermost.insert(directory.to_owned());
        }
        Above {
            outermost: outermost.into_iter().collect(),
            seen,
        }
    }

    /// Those of some directories that are for named targets.
    fn of_targets(&self, directories: &BTreeSet<String>) -> Vec<String> {
        let named = directories.iter();
        let named = named.filter(|directory| self.scope.target_of(directory) > 0);
        named.cloned().collect()
    }

    /// Whether a file was read as a kustomization; Flux's resource may be in a file of the same name.
    pub fn is_kustomization(&self, file: &str) -> bool {
        self.kustomizations.contains(file)
    }

    /// Why a file is not a resource, where its place decides it.
    pub fn exempt(&self, file: &str) -> Option<Exempt> {
        let name = path::name(file);
        if name == "Chart.yaml" {
            return Some(Exempt::Chart);
        }
        if kustomization::NAMES.contains(&name) {
            return Some(Exempt::Kustomization);
        }
        let directory = path::parent(file).unwrap_or_default();
        if name.starts_with("values") && self.charts.contains(&directory) {
            return Some(Exempt::Values);
        }
        let mut above = Some(directory);
        while let Some(here) = above.filter(|here| path::depth(here) > 0) {
            above = path::parent(&here);
            let holds = above.as_ref().is_some_and(|up| self.charts.contains(up));
            if holds && path::name(&here) == "templates" {
                return Some(Exempt::ChartTemplate);
            }
        }
        if self.is_listed(file) {
            return None;
        }
        let (field, kustomization) = self.named.get(file)?;
        Some(Exempt::Named {
            field,
            kustomization: kustomization.clone(),
        })
    }

    /// The roots of the nearest directory upward that holds one.
    fn nearest(&self, directory: Option<String>) -> Option<&Vec<usize>> {
        nearest(directory, self.highest, |here| self.by_directory.get(here))
    }

    /// The roots inside each directory of the context, with that directory.
    fn context_roots(&self) -> Vec<(usize, &str)> {
        let mut found = Vec::new();
        for directory in &self.scope.context {
            let inside = self.roots.iter().enumerate();
            let inside = inside.filter(|(_, root)| path::is_inside(&root.directory, directory));
            found.extend(inside.map(|(at, _)| (at, directory.as_str())));
        }
        found.sort_unstable();
        found
    }

    /// What encloses a root, what its kustomization leads to and the context. Of another target it sees what a
    /// kustomization or the context names itself; what is for no named target, each of them sees.
    fn seen_by(
        &self,
        at: usize,
        builders: &BTreeMap<&str, Vec<&Kustomization>>,
        context: &[(usize, &str)],
    ) -> Vec<usize> {
        let own = &self.roots[at];
        let mut seen = vec![at];
        let mut see = |others: &[usize], is_named: bool| {
            let of = |target: usize| {
                let roots = others.iter().copied();
                roots.filter(move |other| self.roots[*other].target == target)
            };
            let near = of(own.target).chain(of(0));
            let all = others.iter().copied().filter(|_| is_named);
            for other in near.chain(all) {
                if !seen.contains(&other) {
                    seen.push(other);
                }
            }
        };
        let is_rest = self.rest.contains(&at);
        let own_directory = (!is_rest).then(|| own.directory.clone());
        let mut above = own_directory.clone();
        while let Some(found) = self.nearest(above.take()) {
            see(found, false);
            above = path::parent(&self.roots[found[0]].directory);
        }
        let mut queue: Vec<String> = own_directory.into_iter().collect();
        let mut done = BTreeSet::new();
        while let Some(directory) = queue.pop() {
            if !done.insert(directory.clone()) {
                continue;
            }
            for kustomization in builders.get(directory.as_str()).into_iter().flatten() {
                for target in kustomization.builds_on.iter().rev() {
                    if self.by_directory.contains_key(target) {
                        queue.push(target.clone());
                    }
                }
                for target in &kustomization.builds_on {
                    let named = self.by_directory.get(target);
                    let held = named.or_else(|| self.nearest(path::parent(target)));
                    see(held.map_or(&[][..], Vec::as_slice), true);
                }
            }
        }
        for directory in &self.scope.given {
            let given = self.by_directory.get(directory);
            see(given.map_or(&[][..], Vec::as_slice), false);
        }
        see(&self.rest, false);
        for (other, directory) in context {
            let is_named = self.scope.is_within(directory, self.roots[*other].target);
            see(&[*other], is_named);
        }
        seen.remove(0);
        seen
    }
}

/// What leads to a directory.
struct Above {
    /// The directories that nothing leads to.
    outermost: Vec<String>,
    /// Every directory on the way, the one asked for among them.
    seen: BTreeSet<String>,
}

/// What is held for the nearest directory upward that something is held for, not above the depth `highest`.
fn nearest<T>(
    mut directory: Option<String>,
    highest: isize,
    held: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    loop {
        let here = directory?;
        if let Some(found) = held(&here) {
            return Some(found);
        }
        let depth = path::depth(&here);
        directory = path::parent(&here).filter(|_| depth > highest);
    }
}

/// Whether a directory is only read to resolve against.
fn is_context(scope: &Scope, directory: &str) -> bool {
    let inside = |given: &Vec<String>| given.iter().any(|outer| path::is_inside(directory, outer));
    inside(&scope.context) && !inside(&scope.given)
}

/// Why a file is not a resource, decided by its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exempt {
    /// The kustomization itself.
    Kustomization,
    /// A kustomization names it in a field that does not list resources.
    Named {
        /// The field: `patches`.
        field: &'static str,
        /// The kustomization.
        kustomization: String,
    },
    /// `Chart.yaml` itself.
    Chart,
    /// A file of `templates/` beside a `Chart.yaml`.
    ChartTemplate,
    /// The values of a chart.
    Values,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::Node;
    use serde_json::json;

    fn kustomization(directory: &str, json: &serde_json::Value) -> Kustomization {
        Kustomization::read(
            &format!("{directory}/kustomization.yaml"),
            &Node::from_json(json),
        )
    }

    fn layout() -> RootLayout {
        let scope = Scope {
            given: vec![String::new()],
            context: vec!["../shared".to_owned()],
            ..Scope::default()
        };
        RootLayout::new(
            &scope,
            ["charts/a/Chart.yaml", "vm.yaml"],
            &[
                kustomization("base", &json!({"resources": ["vm.yaml"]})),
                kustomization(
                    "overlays/west",
                    &json!({"resources": ["../../base", "../common"], "patches": [{"path": "p.yaml"}]}),
                ),
                kustomization("overlays/common", &json!({"components": ["../gpu"]})),
                kustomization("overlays/gpu", &json!({"resources": ["../../vms/x.yaml"]})),
            ],
        )
    }

    fn names(layout: &RootLayout, of: &str) -> Vec<String> {
        let root = &layout.roots()[layout.root_of(of)];
        root.sees
            .iter()
            .map(|at| layout.roots()[*at].directory.clone())
            .collect()
    }

    #[test]
    fn a_file_belongs_to_the_nearest_root() {
        let layout = layout();
        for (file, root) in [
            ("base/deep/vm.yaml", "base"),
            ("overlays/west/x.yaml", "overlays/west"),
            ("overlays/x.yaml", ""),
            ("charts/a/crds/x.yaml", "charts/a"),
            ("../shared/a/x.yaml", "../shared"),
            ("/elsewhere/x.yaml", ""),
        ] {
            assert_eq!(
                layout.roots()[layout.root_of(file)].directory,
                root,
                "{file}"
            );
        }
        assert_eq!(
            layout.root_of("/elsewhere/x.yaml"),
            layout.roots().len() - 1
        );
    }

    #[test]
    fn a_root_sees_what_encloses_it_what_it_builds_on_and_the_context() {
        let layout = layout();
        assert_eq!(
            names(&layout, "overlays/west/x.yaml"),
            [
                "",
                "base",
                "overlays/common",
                "overlays/gpu",
                "",
                "../shared"
            ]
        );
        assert_eq!(names(&layout, "base/vm.yaml"), ["", "", "../shared"]);
        assert!(layout.roots()[layout.root_of("../shared/x.yaml")].context);
    }

    #[test]
    fn places_exempt_files() {
        let layout = layout();
        let exempt = |file| layout.exempt(file);
        assert_eq!(exempt("charts/a/Chart.yaml"), Some(Exempt::Chart));
        assert_eq!(exempt("charts/a/values-west.yaml"), Some(Exempt::Values));
        assert_eq!(
            exempt("charts/a/templates/deep/vm.yaml"),
            Some(Exempt::ChartTemplate)
        );
        assert_eq!(exempt("charts/b/templates/vm.yaml"), None);
        assert_eq!(
            exempt("base/kustomization.yaml"),
            Some(Exempt::Kustomization)
        );
        assert_eq!(exempt("base/vm.yaml"), None);
        assert!(matches!(
            exempt("overlays/west/p.yaml"),
            Some(Exempt::Named {
                field: "patches",
                ..
            })
        ));
    }
}
