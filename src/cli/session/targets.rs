//! The clusters a side is for: from the command line, the settings, what the tree shows, or the other side; else they are assumed.

use std::collections::BTreeSet;

use anyhow::{anyhow, bail};
use driftless::catalog;
use driftless::catalog::path;
use driftless::catalog::root::Scope;
use driftless::catalog::shown::{ClusterFacts, ShownRelease};
use driftless::catalog::side::Side;
use driftless::config::external::External;
use driftless::config::{Target, TargetConfig};
use driftless::hyperconverged::{self, WrittenConfig};
use driftless::openshift::{OpenShift, Platform};
use driftless::release::Release;
use driftless::release::cdi::CdiRelease;
use driftless::resource::cluster::ClusterConfig;
use driftless::source::{FileId, Sources};
use driftless::yaml;

use super::settings::Settings;
use crate::args::Global;
use crate::input::discover::reported;
use crate::input::read_from::ReadFrom;

/// Every target: the implicit one, then those of the settings.
#[derive(Clone, Debug, Default)]
pub(super) struct Targets(Vec<Settled>);

/// A target, with the configuration as it is written: another release may read it differently.
#[derive(Clone, Debug)]
struct Settled {
    target: Target,
    written: Option<WrittenConfig>,
}

impl Targets {
    /// The same targets on another release.
    pub(super) fn on(&self, release: Release) -> Self {
        let mut targets = self.clone();
        for Settled { target, written } in &mut targets.0 {
            target.release = release;
            target.release_known = true;
            target.openshift = target.openshift.map(|_| OpenShift::with(release));
            let configuration = configured(written.as_ref(), target.platform());
            target.configuration = configuration.unwrap_or_default();
        }
        targets
    }

    /// Their names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|settled| settled.target.name.as_str())
    }

    /// The target of that number.
    pub(super) fn at(&self, index: usize) -> &Target {
        &self.0[index].target
    }
}

/// What one side alone says of its targets.
#[derive(Clone, Debug, Default)]
pub(super) struct Described {
    targets: Vec<DescribedTarget>,
}

/// What one side alone says of a target.
#[derive(Clone, Debug)]
struct DescribedTarget {
    name: String,
    namespace: String,
    complete: bool,
    external: Vec<External>,
    /// Whether a file of the side is for it.
    is_used: bool,
    /// The release of CDI that the side shows.
    cdi: Option<CdiRelease>,
    /// What the settings state.
    stated: Option<Platform>,
    shown: ShownRelease,
    /// Whether the HyperConverged operator is installed.
    has_hyperconverged: bool,
    configuration: ShownConfiguration,
}

/// The configuration that one side tells.
#[derive(Clone, Debug)]
enum ShownConfiguration {
    None,
    One(WrittenConfig),
    /// Two that differ, by the names of their objects.
    Several(String, String),
}

impl DescribedTarget {
    /// What the cluster runs, as this side tells it.
    const fn platform(&self) -> Option<Platform> {
        match (self.stated, &self.shown) {
            (Some(stated), _) => Some(stated),
            (None, ShownRelease::One { platform, .. }) => Some(*platform),
            (None, _) => None,
        }
    }

    /// What is assumed of a cluster that nothing tells of.
    fn assumed(&self) -> Platform {
        let is_openshift = match &self.shown {
            ShownRelease::Several { last, .. } => last.openshift.is_some(),
            _ => self.has_hyperconverged,
        };
        if is_openshift {
            OpenShift::NEWEST.into()
        } else {
            Release::NEWEST.into()
        }
    }
}

impl Described {
    fn named(&self, name: &str) -> Option<&DescribedTarget> {
        self.targets.iter().find(|target| target.name == name)
    }

    /// The releases of base and head that differ, which an option of the command line hides.
    pub(super) fn hidden_upgrades(&self, base: &Self) -> Vec<(Release, Release)> {
        let mut hidden: Vec<(Release, Release)> = self
            .targets
            .iter()
            .filter_map(|head| {
                let base = base.named(&head.name)?.platform()?.release;
                let head = head.platform()?.release;
                (base != head).then_some((base, head))
            })
            .collect();
        hidden.sort_unstable();
        hidden.dedup();
        hidden
    }
}

/// What a side alone says of its targets.
pub(super) fn describe(
    global: &Global,
    settings: &Settings,
    (side, scope): (&Side, &Scope),
    from: &ReadFrom<'_>,
) -> anyhow::Result<Described> {
    let mut described = Described::default();
    let implicit = &settings.config.target;
    // What overlays of named targets build on is for no cluster as it is written.
    let mut own: BTreeSet<usize> = BTreeSet::new();
    for placed in side.resources() {
        if side.built_on(&placed).overlays.is_empty() {
            own.insert(side.roots[placed.root].place.target);
        }
    }
    let targets = std::iter::once(implicit).chain(&settings.config.targets);
    for (number, config) in targets.enumerate() {
        let is_for = |target: usize| number == target;
        let shown = ClusterFacts::by(
            side.resources()
                .filter(|placed| is_for(side.roots[placed.root].place.target))
                .map(|placed| placed.resource),
        )
        .and(
            side.kustomizations
                .iter()
                .filter(|read| is_for(scope.target_of(&read.file))),
        );
        let is_used = own.contains(&number) || number == 0 && settings.config.targets.is_empty();
        described.targets.push(DescribedTarget {
            name: config.name.clone(),
            namespace: scope.namespace_of(number).to_owned(),
            complete: config.complete.unwrap_or_default(),
            external: config.external.clone(),
            is_used,
            cdi: catalog::cdi::shown(
                side.resources()
                    .filter(|placed| is_for(side.roots[placed.root].place.target))
                    .map(|placed| placed.resource),
                side.kustomizations
                    .iter()
                    .filter(|read| is_for(scope.target_of(&read.file))),
            ),
            stated: config.platform,
            shown: shown.release(),
            has_hyperconverged: shown.has_hyperconverged,
            configuration: configuration(global, settings, config, &shown, from)?,
        });
    }
    Ok(described)
}

/// Decides the targets of a side, where it tells too little by what the other tells. Gives what had to be assumed too.
pub(super) fn settle(
    global: &Global,
    own: &Described,
    other: Option<&Described>,
) -> (Targets, Vec<String>) {
    let mut assumed = Vec::new();
    let mut settled = Targets::default();
    for target in &own.targets {
        let other = other.and_then(|other| other.named(&target.name));
        let known = global
            .platform()
            .or_else(|| target.platform())
            .or_else(|| other.and_then(DescribedTarget::platform));
        if target.is_used {
            assumed.extend(assumption(global, target, known));
        }
        let platform = known.unwrap_or_else(|| target.assumed());
        let written = match (
            &target.configuration,
            other.map(|other| &other.configuration),
        ) {
            (ShownConfiguration::One(only), _)
            | (ShownConfiguration::None, Some(ShownConfiguration::One(only))) => Some(only.clone()),
            (ShownConfiguration::Several(first, second), _) => {
                assumed.push(format!(
                    "{first} and {second} differ in their configuration; assuming {}: --cluster-config says which",
                    defaults(platform)
                ));
                None
            }
            (ShownConfiguration::None, _) => None,
        };
        let configuration = configured(written.as_ref(), platform).unwrap_or_else(|refusal| {
            assumed.push(format!(
                "the operator refuses the HyperConverged object: {refusal}; assuming {}",
                defaults(platform)
            ));
            without(platform)
        });
        settled.0.push(Settled {
            target: Target {
                name: target.name.clone(),
                release: platform.release,
                openshift: platform.openshift,
                release_known: known.is_some(),
                cdi: target.cdi.or_else(|| other.and_then(|other| other.cdi)),
                configuration,
                namespace: target.namespace.clone(),
                complete: target.complete,
                external: target.external.clone(),
            },
            written,
        });
    }
    (settled, assumed)
}

/// The configuration of a cluster.
fn configured(
    written: Option<&WrittenConfig>,
    platform: Platform,
) -> Result<ClusterConfig, hyperconverged::Refusal> {
    written.map_or_else(|| Ok(without(platform)), |written| written.on(platform))
}

/// The configuration of a cluster that says nothing of it.
fn without(platform: Platform) -> ClusterConfig {
    let openshift = platform.openshift;
    openshift.map_or_else(ClusterConfig::default, hyperconverged::defaults)
}

/// What [`without`] gives, in words.
const fn defaults(platform: Platform) -> &'static str {
    match platform.openshift {
        Some(_) => "HyperConverged's defaults",
        None => "KubeVirt's defaults",
    }
}

/// What had to be assumed of a target's release.
fn assumption(
    global: &Global,
    target: &DescribedTarget,
    known: Option<Platform>,
) -> Option<String> {
    let newest = target.assumed();
    let option = |platform: Platform| match platform.openshift {
        Some(_) => "openshift",
        None => "kubevirt",
    };
    let which = option(newest);
    match (known, &target.shown) {
        (None, ShownRelease::Several { first, last }) => {
            let both = match (first.openshift, last.openshift) {
                (Some(first), Some(last)) => format!("OpenShift {first} and {last}"),
                _ => format!("KubeVirt {} and {}", first.release, last.release),
            };
            Some(format!(
                "the manifests show {both}; assuming {newest}, the newest known: --{which} says which"
            ))
        }
        (None, _) => Some(format!(
            "assuming {newest}, the newest known: --{which} or `{which}:` in driftless.yaml says which"
        )),
        (
            Some(platform),
            ShownRelease::One {
                is_lower_bound: true,
                ..
            },
        ) if global.platform().or(target.stated).is_none() => Some(format!(
            "{platform} is what a Subscription starts with; with automatic approval the cluster may run a later one: --{} says which",
            option(platform)
        )),
        _ => None,
    }
}

fn configuration(
    global: &Global,
    settings: &Settings,
    config: &TargetConfig,
    shown: &ClusterFacts<'_>,
    from: &ReadFrom<'_>,
) -> anyhow::Result<ShownConfiguration> {
    let stated = config.cluster_config.as_ref();
    let file = match (&global.cluster_config, stated) {
        (Some(file), _) => Some(reported(file)),
        (None, Some(file)) => Some(path::join(&settings.directory, file)),
        (None, None) => None,
    };
    if let Some(place) = file {
        let name = from.reads(&place);
        return match from.bytes(&place) {
            Ok(Some(bytes)) => read(&name, bytes).map(ShownConfiguration::One),
            // The other side has it.
            Ok(None) if from.covers(&place) && global.cluster_config.is_some() => {
                Ok(ShownConfiguration::None)
            }
            Ok(None) => {
                bail!("cannot read the cluster configuration `{name}`: there is no such file")
            }
            Err(error) => {
                Err(error.context(format!("cannot read the cluster configuration `{name}`")))
            }
        };
    }
    Ok(match shown.configurations.as_slice() {
        [] => ShownConfiguration::None,
        [(only, _)] => ShownConfiguration::One(only.clone()),
        [(_, first), (_, second), ..] => {
            ShownConfiguration::Several(first.id.to_string(), second.id.to_string())
        }
    })
}

/// The configuration in a file: a KubeVirt or HyperConverged object, in a List or among others, or the content of
/// `spec.configuration`.
fn read(name: &str, bytes: Vec<u8>) -> anyhow::Result<WrittenConfig> {
    let sources = Sources::from([(name, bytes)]);
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
                .filter_map(WrittenConfig::of),
        );
    }
    let is_object = |written: &WrittenConfig| matches!(written, WrittenConfig::HyperConverged(_));
    if found.iter().any(is_object) {
        // An export holds the KubeVirt object that the operator writes too.
        found.retain(is_object);
    }
    match found.as_slice() {
        [only] => Ok(only.clone()),
        [] => bail!(
            "`{name}` holds neither a KubeVirt or HyperConverged object nor a `spec.configuration`"
        ),
        _ => bail!("`{name}` holds more than one KubeVirt or HyperConverged object"),
    }
}
