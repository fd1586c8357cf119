//! What a tree shows of the settings it needs.

use std::collections::{BTreeMap, BTreeSet};

use driftless::catalog::duplicate::{Nearness, Stand};
use driftless::catalog::path;
use driftless::catalog::shown::{ClusterFacts, ShownRelease};
use driftless::catalog::side::Placed;
use driftless::hyperconverged::is_hyperconverged;
use driftless::resource::Resource;

use crate::input::discover::on_disk;
use crate::input::git::Repository;
use crate::session::Session;

/// Directories that hold one directory for each cluster.
const OF_CLUSTERS: [&str; 3] = ["clusters", "cluster", "sites"];

/// Directories that hold one directory for each stage, which may be a cluster or not.
const OF_STAGES: [&str; 5] = ["overlays", "environments", "envs", "env", "stages"];

/// What a tree shows. Places are as seen from the directory of the settings.
#[derive(Debug)]
pub(super) struct Seen {
    /// How many virtual machines there are.
    pub(super) machines: usize,
    /// The file of the first of them that reads well, as seen from the working directory.
    pub(super) first_machine: Option<String>,
    /// The release that what is for no target shows.
    pub(super) release: ShownRelease,
    /// Files with a KubeVirt configuration that is for no target.
    pub(super) configurations: Vec<Configuration>,
    /// The clusters.
    pub(super) targets: Vec<SeenTarget>,
    /// Whether the targets may be one cluster as well.
    pub(super) targets_are_guessed: bool,
    /// Directories that are applied each on its own.
    pub(super) roots: Vec<String>,
    /// Directories that hold different objects of one identity, and so may be applied each on its own.
    pub(super) possible_roots: Vec<String>,
}

/// A file with a KubeVirt configuration.
#[derive(Clone, Debug)]
pub(super) struct Configuration {
    /// The file.
    pub(super) file: String,
    /// Whether `clusterConfig` can name it: it holds one KubeVirt object.
    pub(super) can_be_named: bool,
}

/// A cluster.
#[derive(Debug)]
pub(super) struct SeenTarget {
    /// Its name.
    pub(super) name: String,
    /// The directories that are for it.
    pub(super) paths: BTreeSet<String>,
    /// Namespaces that objects without one get.
    pub(super) namespaces: BTreeSet<String>,
    /// The release that its files show.
    pub(super) release: ShownRelease,
    /// Files with its KubeVirt configuration.
    pub(super) configurations: Vec<Configuration>,
}

impl SeenTarget {
    fn new(name: String) -> Self {
        Self {
            name,
            paths: BTreeSet::new(),
            namespaces: BTreeSet::new(),
            release: ShownRelease::None,
            configurations: Vec::new(),
        }
    }

    fn holds(&self, place: &str) -> bool {
        self.paths.iter().any(|path| path::is_inside(place, path))
    }
}

/// A directory that an object of Argo CD or Flux applies.
struct Applied {
    /// The directory.
    place: String,
    /// The cluster, where the object names one.
    cluster: Option<String>,
    /// The namespace of objects without one.
    namespace: Option<String>,
    /// The file of the object.
    by: String,
}

/// What is read of the tree.
struct Tree<'a> {
    session: &'a Session,
    /// The directory of the settings.
    base: &'a str,
    /// Files and directories of kustomizations, as seen from the directory of the settings.
    places: BTreeSet<String>,
}

impl Seen {
    /// What the session's tree shows to settings that stand in `base`.
    pub(super) fn of(session: &Session, base: &str, repository: Option<&Repository>) -> Self {
        let side = &session.head.side;
        let mut tree = Tree {
            session,
            base,
            places: BTreeSet::new(),
        };
        let files = side.files.iter();
        let files = files.map(|file| session.sources.file(file.id).place());
        let overlays = side.kustomizations.iter();
        let overlays = overlays.map(|read| read.file.as_str());
        tree.places = files
            .chain(overlays)
            .filter_map(|place| tree.inside(place))
            .collect();
        let applied = tree.applied(repository);
        let mut targets = by_destination(&applied);
        if targets.len() < 2 {
            targets = tree.by_directory(&OF_CLUSTERS);
            add_applied(&mut targets, &applied);
        }
        let targets_are_guessed = targets.len() < 2;
        if targets_are_guessed {
            targets = tree.by_directory(&OF_STAGES);
        }
        if targets.len() < 2 {
            targets.clear();
        }
        let named: &[SeenTarget] = if targets_are_guessed { &[] } else { &targets };
        let owner = |place: &str| named.iter().rposition(|target| target.holds(place));
        let told = (0..named.len()).map(|at| tree.told(|place| owner(place) == Some(at)));
        let told: Vec<_> = told.collect();
        let (release, configurations) = tree.told(|place| owner(place).is_none());
        for (target, (release, configurations)) in targets.iter_mut().zip(told) {
            target.release = release;
            target.configurations = configurations;
        }
        let machines = side
            .resources()
            .filter(|placed| is_machine(placed.resource));
        let judged = side.judged();
        let mut in_order = judged
            .iter()
            .filter(|placed| is_machine(placed.resource) && tree.reads_well(placed.resource));
        Self {
            machines: machines.count(),
            first_machine: in_order.find_map(|placed| tree.file_of(placed.resource)),
            release,
            configurations,
            roots: tree.roots(&applied),
            possible_roots: if targets.is_empty() {
                tree.possible_roots()
            } else {
                Vec::new()
            },
            targets,
            targets_are_guessed,
        }
    }
}

impl Tree<'_> {
    /// A place as seen from the directory of the settings; `None` outside of it.
    fn inside(&self, place: &str) -> Option<String> {
        if self.base.is_empty() {
            return (!place.starts_with("..") && !place.starts_with('/')).then(|| place.to_owned());
        }
        let rest = place.strip_prefix(self.base)?.strip_prefix('/')?;
        Some(rest.to_owned())
    }

    fn file_of(&self, resource: &Resource) -> Option<String> {
        let file = self.session.sources.file(resource.file?);
        Some(file.place().to_owned())
    }

    /// Whether nothing in the resource's file stands in the way of a command on it.
    fn reads_well(&self, resource: &Resource) -> bool {
        let side = &self.session.head.side;
        let Some(file) = resource.file.and_then(|file| side.file(file)) else {
            return false;
        };
        let is_broken = side.broken.iter().any(|error| error.span.file == file.id);
        !is_broken
            && file
                .documents
                .iter()
                .all(|document| document.strict.is_empty())
    }

    fn place_of(&self, resource: &Resource) -> Option<String> {
        self.inside(&self.file_of(resource)?)
    }

    fn holds_something(&self, directory: &str) -> bool {
        let mut places = self.places.iter();
        places.any(|place| place != directory && path::is_inside(place, directory))
    }

    /// What Argo CD and Flux apply of the tree.
    fn applied(&self, repository: Option<&Repository>) -> Vec<Applied> {
        let place = |path: &str| {
            let path = path::normal(path);
            match repository {
                Some(repository) => repository.report(&path),
                None => path::join(self.base, &path),
            }
        };
        let mut applied = Vec::new();
        for placed in self.session.head.side.resources() {
            for (directory, cluster, namespace) in named_by(placed.resource) {
                let directory = place(&directory);
                let Some(directory) = self.inside(&directory) else {
                    continue;
                };
                if on_disk(&path::join(self.base, &directory)).is_dir()
                    && self.holds_something(&directory)
                {
                    applied.push(Applied {
                        place: directory,
                        cluster,
                        namespace,
                        by: self.place_of(placed.resource).unwrap_or_default(),
                    });
                }
            }
        }
        applied
    }

    /// One target for each directory of directories with such a name.
    fn by_directory(&self, parents: &[&str]) -> Vec<SeenTarget> {
        let mut targets: BTreeMap<String, SeenTarget> = BTreeMap::new();
        for place in &self.places {
            let mut parts: Vec<&str> = place.split('/').collect();
            // The last one is the file.
            parts.pop();
            let Some(at) = parts.iter().position(|part| parents.contains(part)) else {
                continue;
            };
            let Some(name) = parts.get(at + 1) else {
                continue;
            };
            let target = targets
                .entry((*name).to_owned())
                .or_insert_with(|| SeenTarget::new((*name).to_owned()));
            target.paths.insert(parts[..=at + 1].join("/"));
        }
        targets.into_values().collect()
    }

    /// The release and the configurations that some files show.
    fn told(&self, is_asked: impl Fn(&str) -> bool) -> (ShownRelease, Vec<Configuration>) {
        let side = &self.session.head.side;
        let asked = |placed: &Placed<'_>| {
            let place = self.place_of(placed.resource);
            place.is_some_and(|place| is_asked(&place))
        };
        let resources = side.resources().filter(asked).map(|placed| placed.resource);
        let kustomizations = side.kustomizations.iter().filter(|read| {
            let place = self.inside(&read.file);
            place.is_some_and(|place| is_asked(&place))
        });
        let facts = ClusterFacts::by(resources).and(kustomizations);
        let configurations = facts.configurations.iter();
        let configurations = configurations.filter_map(|(_, resource)| {
            let in_file = side.resources().filter(|other| {
                other.resource.file == resource.file
                    && (other.resource.is("kubevirt.io", "KubeVirt")
                        || is_hyperconverged(&other.resource.node))
            });
            Some(Configuration {
                file: self.place_of(resource)?,
                can_be_named: in_file.count() == 1,
            })
        });
        (facts.release(), configurations.collect())
    }

    /// Directories that Argo CD and Flux apply as they are.
    fn roots(&self, applied: &[Applied]) -> Vec<String> {
        let side = &self.session.head.side;
        let is_root = |place: &str| {
            let place = path::join(self.base, place);
            let mut kustomizations = side.kustomizations.iter();
            kustomizations.any(|read| read.directory == place)
                || side.charts().any(|chart| chart == place)
        };
        let places: BTreeSet<&String> = applied.iter().map(|one| &one.place).collect();
        if places.len() < 2 {
            return Vec::new();
        }
        let plain = places.into_iter().filter(|place| !is_root(place));
        plain.filter(|place| !place.is_empty()).cloned().collect()
    }

    /// The directories where the paths of two different objects of one identity part.
    fn possible_roots(&self) -> Vec<String> {
        let side = &self.session.head.side;
        let place = |stand: &Stand| self.inside(self.session.sources.file(stand.file).place());
        let mut roots = BTreeSet::new();
        for duplicate in &side.duplicates {
            if duplicate.nearness != Nearness::Root {
                continue;
            }
            if let (Some(first), Some(second)) = (place(&duplicate.first), place(&duplicate.second))
                && let Some(parted) = parted(&first, &second)
            {
                roots.extend(parted);
            }
        }
        roots.into_iter().collect()
    }
}

/// The clusters that the objects of Argo CD and Flux name.
fn by_destination(applied: &[Applied]) -> Vec<SeenTarget> {
    let mut targets: BTreeMap<&str, SeenTarget> = BTreeMap::new();
    for one in applied {
        let Some(cluster) = &one.cluster else {
            continue;
        };
        let target = targets
            .entry(cluster)
            .or_insert_with(|| SeenTarget::new(cluster.clone()));
        target.paths.insert(one.place.clone());
        target.namespaces.extend(one.namespace.clone());
    }
    targets.into_values().collect()
}

fn is_machine(resource: &Resource) -> bool {
    resource.is("kubevirt.io", "VirtualMachine")
}

/// The directories where two paths part; `None` where one of them is a file there.
fn parted(first: &str, second: &str) -> Option<[String; 2]> {
    let (first, second): (Vec<&str>, Vec<&str>) =
        (first.split('/').collect(), second.split('/').collect());
    let same = first
        .iter()
        .zip(&second)
        .take_while(|(a, b)| a == b)
        .count();
    let directory = |parts: &[&str]| (parts.len() > same + 1).then(|| parts[..=same].join("/"));
    Some([directory(&first)?, directory(&second)?])
}

/// Adds what a cluster's own objects of Flux apply elsewhere, where no other cluster's do.
fn add_applied(targets: &mut [SeenTarget], applied: &[Applied]) {
    let mut by_place: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for one in applied {
        let held = targets.iter().position(|target| target.holds(&one.by));
        let is_elsewhere = !targets.iter().any(|target| target.holds(&one.place));
        if let Some(held) = held.filter(|_| is_elsewhere && !one.place.is_empty()) {
            by_place.entry(&one.place).or_default().insert(held);
        }
    }
    for (place, of) in by_place {
        if let (1, Some(target)) = (of.len(), of.first()) {
            targets[*target].paths.insert(place.to_owned());
        }
    }
}

/// The directories that an object of Argo CD or Flux applies, with the cluster and the namespace that it names.
fn named_by(resource: &Resource) -> Vec<(String, Option<String>, Option<String>)> {
    let node = &resource.node;
    let told = |path: &str| {
        let text = node.str_at(path);
        (!text.is_empty() && !text.contains("{{")).then(|| text.to_owned())
    };
    if resource.is("argoproj.io", "Application") {
        let sources = node.path("spec.source").into_iter();
        let paths = sources
            .chain(node.items_at("spec.sources"))
            .map(|source| source.str_at("path"))
            .filter(|path| !path.is_empty() && !path.contains("{{"));
        let server = told("spec.destination.server").map(|server| host(&server).to_owned());
        let cluster = told("spec.destination.name").or(server);
        let namespace = told("spec.destination.namespace");
        return paths
            .map(|path| (path.to_owned(), cluster.clone(), namespace.clone()))
            .collect();
    }
    if resource.is("kustomize.toolkit.fluxcd.io", "Kustomization") {
        let cluster = told("spec.kubeConfig.secretRef.name");
        let namespace = told("spec.targetNamespace");
        let path = told("spec.path").into_iter();
        return path
            .map(|path| (path, cluster.clone(), namespace.clone()))
            .collect();
    }
    Vec::new()
}

/// The host of an address, as a name for a cluster.
fn host(server: &str) -> &str {
    let rest = server.split_once("://").map_or(server, |(_, rest)| rest);
    let host = rest.split(['/', ':']).next().unwrap_or(rest);
    if host.starts_with("kubernetes.default") {
        "in-cluster"
    } else {
        host
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_part_at_directories() {
        let two = |a, b| parted(a, b).map(|[a, b]| (a, b));
        assert_eq!(
            two("a/b/vm.yaml", "a/c/d/vm.yaml"),
            Some(("a/b".to_owned(), "a/c".to_owned()))
        );
        assert_eq!(two("a/vm.yaml", "a/b/vm.yaml"), None);
        assert_eq!(two("a.yaml", "b.yaml"), None);
    }

    #[test]
    fn a_server_gives_a_name() {
        assert_eq!(host("https://kubernetes.default.svc"), "in-cluster");
        assert_eq!(host("https://east.example.org:6443/x"), "east.example.org");
        assert_eq!(host("east"), "east");
    }
}
