//! The clusters a tree is for: from the command line, the settings, what the tree shows, or assumed.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use driftless::catalog::path;
use driftless::catalog::shown::Shown;
use driftless::catalog::side::Side;
use driftless::config::{Target, TargetConfig};
use driftless::release::Release;
use driftless::resource::cluster::ClusterConfig;
use driftless::source::{FileId, Sources};
use driftless::yaml;

use super::settings::Settings;
use crate::args::Global;
use crate::input::discover::{on_disk, reported};
use crate::output::Shell;

/// Every target, and which one each file is for.
#[derive(Clone, Debug, Default)]
pub(super) struct Targets {
    targets: Vec<Target>,
    by_file: BTreeMap<FileId, usize>,
}

impl Targets {
    /// The target of a file.
    pub(super) fn of(&self, file: Option<FileId>) -> &Target {
        self.at(self.index(file))
    }

    /// The number of a file's target.
    pub(super) fn index(&self, file: Option<FileId>) -> usize {
        file.and_then(|file| self.by_file.get(&file))
            .copied()
            .unwrap_or(0)
    }

    /// The same targets on another release.
    pub(super) fn on(&self, release: Release) -> Self {
        let mut targets = self.clone();
        for target in &mut targets.targets {
            target.release = release;
            target.release_known = true;
        }
        targets
    }

    /// The target of that number.
    pub(super) fn at(&self, index: usize) -> &Target {
        &self.targets[index]
    }
}

/// Decides the targets, and says what had to be assumed.
pub(super) fn settle(
    global: &Global,
    settings: &Settings,
    side: &Side,
    sources: &Sources,
    shell: &mut Shell,
) -> anyhow::Result<Targets> {
    let mut targets = Targets::default();
    let implicit = std::slice::from_ref(&settings.config.target);
    let named: Vec<Vec<String>> = settings
        .config
        .targets
        .iter()
        .map(|target| settings.joined(&target.paths))
        .collect();
    let is_named = |file: FileId| {
        let name = sources.file(file).path();
        let holds = |paths: &Vec<String>| {
            paths.is_empty()
                || paths
                    .iter()
                    .any(|directory| path::is_inside(name, directory))
        };
        named.iter().any(holds)
    };
    for described in implicit.iter().chain(&settings.config.targets) {
        let paths = settings.joined(&described.paths);
        let number = targets.targets.len();
        let within = |file: FileId| {
            let name = sources.file(file).path();
            number == 0
                || paths.is_empty()
                || paths
                    .iter()
                    .any(|directory| path::is_inside(name, directory))
        };
        let shown = Shown::by(
            side.resources()
                .map(|placed| placed.resource)
                .filter(|resource| resource.file.is_some_and(&within)),
        );
        let is_used = if number == 0 {
            named.is_empty() || side.files.iter().any(|file| !is_named(file.id))
        } else {
            side.files.iter().any(|file| within(file.id))
        };
        let release = release(global, described, &shown, is_used.then_some(&mut *shell));
        let configuration = configuration(global, settings, described, &shown, shell)?;
        targets.targets.push(Target {
            name: described.name.clone(),
            release: release.unwrap_or(Release::NEWEST),
            release_known: release.is_some(),
            configuration,
            namespace: [
                &global.namespace,
                &described.namespace,
                &implicit[0].namespace,
            ]
            .into_iter()
            .flatten()
            .next()
            .map_or_else(|| "default".to_owned(), Clone::clone),
            complete: described.complete.unwrap_or_default(),
        });
        if number > 0 {
            for file in side.files.iter().filter(|file| within(file.id)) {
                targets.by_file.insert(file.id, number);
            }
        }
    }
    Ok(targets)
}

fn release(
    global: &Global,
    described: &TargetConfig,
    shown: &Shown<'_>,
    shell: Option<&mut Shell>,
) -> Option<Release> {
    if let Some(release) = global.kubevirt.or(described.kubevirt) {
        return Some(release);
    }
    let mut releases = shown.releases.keys();
    let first = releases.next().copied();
    let message = match (first, releases.next_back()) {
        (Some(only), None) => return Some(only),
        (Some(first), Some(last)) => format!(
            "the manifests show KubeVirt {first} and {last}; assuming {}, the newest known: --kubevirt says which",
            Release::NEWEST
        ),
        _ => format!(
            "assuming KubeVirt {}, the newest known: --kubevirt or `kubevirt:` in driftless.yaml says which",
            Release::NEWEST
        ),
    };
    if let Some(shell) = shell {
        shell.note(message);
    }
    None
}

fn configuration(
    global: &Global,
    settings: &Settings,
    described: &TargetConfig,
    shown: &Shown<'_>,
    shell: &mut Shell,
) -> anyhow::Result<ClusterConfig> {
    if let Some(file) = &global.cluster_config {
        return read(file);
    }
    if let Some(file) = &described.cluster_config {
        return read(&on_disk(&path::join(&settings.directory, file)));
    }
    match shown.configurations.as_slice() {
        [] => Ok(ClusterConfig::default()),
        [(only, _)] => Ok(only.clone()),
        [(_, first), (_, second), ..] => {
            shell.note(format!(
                "{} and {} differ in their configuration; assuming KubeVirt's defaults: --cluster-config says which",
                first.id, second.id
            ));
            Ok(ClusterConfig::default())
        }
    }
}

/// The configuration in a file: a KubeVirt object, in a List or among others, or the content of `spec.configuration`.
fn read(file: &Path) -> anyhow::Result<ClusterConfig> {
    let name = reported(file);
    let bytes = std::fs::read(file)
        .with_context(|| format!("cannot read the cluster configuration `{name}`"))?;
    let sources = Sources::from([(name.clone(), bytes)]);
    let id = FileId(0);
    let mut found = Vec::new();
    for document in yaml::parse(id, sources.file(id).bytes()).documents {
        let document =
            document.map_err(|error| anyhow!("{}: {error}", sources.describe(error.span)))?;
        let items = document.root.items_at("items");
        found.extend(
            items
                .iter()
                .chain([&document.root])
                .filter_map(ClusterConfig::from_resource_node),
        );
    }
    match found.as_slice() {
        [only] => Ok(only.clone()),
        [] => bail!("`{name}` holds neither a KubeVirt object nor its `spec.configuration`"),
        _ => bail!("`{name}` holds more than one KubeVirt object"),
    }
}
