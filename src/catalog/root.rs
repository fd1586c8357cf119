//! Roots: which files are judged together, and which other roots each one sees.

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
    /// Namespace assumed for resources without one.
    pub namespace: String,
}

/// Every root of a side, sorted by directory; the last one takes the files that belong to no other.
#[derive(Clone, Debug)]
pub struct RootLayout {
    roots: Vec<RootDirectory>,
    by_directory: BTreeMap<String, usize>,
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
            .into_iter()
            .filter(|file| path::name(file) == "Chart.yaml")
            .map(|file| path::parent(file).unwrap_or_default())
            .collect();
        for directory in &charts {
            add(directory.clone(), RootKind::Chart);
        }
        let mut roots: Vec<_> = kinds
            .into_iter()
            .map(|(directory, kind)| RootDirectory {
                is_chart: charts.contains(&directory),
                context: is_context(scope, &directory),
                directory,
                kind,
                sees: Vec::new(),
            })
            .collect();
        let by_directory = roots
            .iter()
            .enumerate()
            .map(|(at, root)| (root.directory.clone(), at))
            .collect();
        roots.push(RootDirectory {
            directory: String::new(),
            kind: RootKind::Given,
            is_chart: false,
            context: false,
            sees: Vec::new(),
        });
        let depths = roots.iter().map(|root| path::depth(&root.directory));
        let highest = depths.min().unwrap_or_default();
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
            named,
            resources,
            charts,
            kustomizations: kustomizations
                .iter()
                .map(|read| read.file.clone())
                .collect(),
            highest,
        };
        for at in 0..layout.roots.len() {
            layout.roots[at].sees = layout.seen_by(at, scope, kustomizations);
        }
        layout
    }

    /// Every root.
    pub fn roots(&self) -> &[RootDirectory] {
        &self.roots
    }

    /// The root a file belongs to, by index.
    pub(crate) fn root_of(&self, file: &str) -> usize {
        self.nearest(path::parent(file))
            .unwrap_or(self.roots.len() - 1)
    }

    /// Whether a kustomization lists the file as a resource.
    pub fn is_listed(&self, file: &str) -> bool {
        self.resources.contains_key(file)
    }

    /// The roots a root is part of and that no other root's kustomization leads to: mostly itself.
    pub fn outermost(&self, root: &str) -> Vec<String> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut queue = vec![root.to_owned()];
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
                found.insert(here);
            } else {
                queue.extend(above.cloned());
            }
        }
        if found.is_empty() {
            // Kustomizations that name each other have no outermost one.
            found.insert(root.to_owned());
        }
        found.into_iter().collect()
    }

    /// The outermost roots of a file that kustomizations of other directories than its own root list by name.
    pub fn outermost_of_listed(&self, file: &str) -> Option<Vec<String>> {
        let by = self.resources.get(file)?;
        let own = &self.roots[self.root_of(file)].directory;
        if by.len() == 1 && by.contains(own) {
            return None;
        }
        let mut found: Vec<String> = by.iter().flat_map(|root| self.outermost(root)).collect();
        found.sort();
        found.dedup();
        Some(found)
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

    fn nearest(&self, mut directory: Option<String>) -> Option<usize> {
        loop {
            let here = directory?;
            if let Some(at) = self.by_directory.get(&here) {
                return Some(*at);
            }
            let depth = path::depth(&here);
            directory = path::parent(&here).filter(|_| depth > self.highest);
        }
    }

    fn seen_by(&self, at: usize, scope: &Scope, kustomizations: &[Kustomization]) -> Vec<usize> {
        let mut seen = Vec::new();
        let mut see = |other: Option<usize>| {
            if let Some(other) = other.filter(|other| *other != at && !seen.contains(other)) {
                seen.push(other);
            }
        };
        let own = &self.roots[at].directory;
        let is_rest = at + 1 == self.roots.len();
        let mut above = (!is_rest).then(|| path::parent(own)).flatten();
        while let Some(found) = self.nearest(above.take()) {
            see(Some(found));
            above = path::parent(&self.roots[found].directory);
        }
        let mut queue = vec![own.clone()];
        let mut done = BTreeSet::new();
        while let Some(directory) = queue.pop().filter(|_| !is_rest) {
            if !done.insert(directory.clone()) {
                continue;
            }
            for kustomization in kustomizations.iter().filter(|k| k.directory == directory) {
                for target in kustomization.builds_on.iter().rev() {
                    if self.by_directory.contains_key(target) {
                        queue.push(target.clone());
                    }
                }
                for target in &kustomization.builds_on {
                    see(match self.by_directory.get(target) {
                        Some(root) => Some(*root),
                        None => self.nearest(path::parent(target)),
                    });
                }
            }
        }
        for directory in &scope.given {
            see(self.by_directory.get(directory).copied());
        }
        see(Some(self.roots.len() - 1));
        for (other, root) in self.roots.iter().enumerate() {
            if scope
                .context
                .iter()
                .any(|directory| path::is_inside(&root.directory, directory))
            {
                see(Some(other));
            }
        }
        seen
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
