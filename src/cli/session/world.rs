//! One side with its settings, its context and its targets.

use std::collections::BTreeMap;
use std::path::PathBuf;

use driftless::catalog::Catalog;
use driftless::catalog::kustomization;
use driftless::catalog::path;
use driftless::catalog::root::{Scope, TargetScope};
use driftless::catalog::side::{Input, Role, Side};
use driftless::config::{Config, Target, TargetConfig};
use driftless::plan::Export;
use driftless::release::Release;
use driftless::resolve::Resolver;
use driftless::source::{FileId, SourceFile, Sources};

use super::gather::{Asked, Gathered, Head, Same, gather};
use super::settings::{self, Settings};
use super::targets::{self, Described, Targets};
use super::{Request, Resolvers, say_unreadable};
use crate::args::Global;
use crate::input::aside::Asides;
use crate::input::discover::{Exclude, reported};
use crate::input::read_from::ReadFrom;
use crate::output::Shell;

/// One side of the manifests.
#[derive(Debug)]
pub(crate) struct World {
    /// What the paths hold.
    pub(crate) side: Side,
    /// The settings of `driftless.yaml`, or the defaults.
    pub(crate) config: Config,
    /// What is left out.
    pub(crate) exclude: Exclude,
    /// The paths given, as they are reported.
    pub(crate) named: Vec<String>,
    /// What kustomizations of the paths build on beside them.
    pub(crate) parts: Vec<String>,
    /// Files whose content Git LFS holds elsewhere.
    pub(crate) pointers: Vec<String>,
    /// What could not be read, with the reason.
    pub(crate) unreadable: BTreeMap<String, String>,
    context: Vec<String>,
    scope: Scope,
    inputs: Vec<Input>,
    settings: Settings,
    stated: Catalog,
    described: Described,
    targets: Targets,
    /// Revisions that a cluster captured, with what it is said of.
    captured: Vec<CapturedRevisions>,
}

/// A side whose texts were edited in memory.
#[derive(Debug)]
pub(crate) struct EditedSide {
    /// The side.
    pub(crate) side: Side,
    inputs: Vec<Input>,
}

/// Revisions that a cluster captured.
#[derive(Debug)]
struct CapturedRevisions {
    targets: Vec<String>,
    revisions: Catalog,
}

impl World {
    /// Reads one side; a base takes over from the head what both have. Its targets are open until [`Self::settle`].
    pub(super) fn read(
        sources: &mut Sources,
        request: &Request<'_>,
        from: &ReadFrom<'_>,
        head: Option<(&Self, Same<'_>)>,
        shell: &mut Shell,
    ) -> anyhow::Result<Self> {
        let here = [PathBuf::from(".")];
        let paths = if request.paths.is_empty() {
            &here[..]
        } else {
            request.paths
        };
        let global = request.global;
        let heads = head.as_ref().map(|(world, _)| &world.settings);
        let settings = if request.settings {
            settings::find(global, paths, from, heads, sources)?
        } else {
            Settings::default()
        };
        let mut exclude = Exclude::new(&global.exclude, &settings.config)?;
        if matches!(from, ReadFrom::WorkingTree(_)) {
            exclude.repositories();
        }
        let context: Vec<String> = global
            .context
            .iter()
            .map(|path| reported(path))
            .chain(settings.joined(&settings.config.context))
            .collect();
        let targets = settings.config.targets();
        let asides = match request.looks_aside {
            false => Asides::None,
            true if targets.iter().any(|target| target.complete == Some(true)) => Asides::Named,
            true => Asides::Mounted,
        };
        let (world, head) = match head {
            Some((world, same)) => {
                let head = Head {
                    by_place: world.by_place(sources),
                    world,
                    sources,
                    same,
                };
                (Some(world), Some(head))
            }
            None => (None, None),
        };
        let gathered = gather(
            &Asked {
                from,
                paths,
                context: &context,
                exclude: &exclude,
                wants: request.wants,
                asides,
                follows: request.follows,
                differing: request.differing,
                head: head.as_ref(),
            },
            shell,
        )?;
        say_unreadable(&gathered, shell);
        let Gathered {
            texts,
            shared,
            given,
            context: context_given,
            parts,
            pointers,
            unreadable,
            progress,
            ..
        } = gathered;
        let scope = Scope {
            given,
            context: context_given,
            configured: settings.joined(&settings.config.roots),
            namespace: assumed_namespace(global, &settings, &settings.config.target),
            targets: settings
                .config
                .targets
                .iter()
                .map(|target| TargetScope {
                    paths: settings.joined(&target.paths),
                    namespace: assumed_namespace(global, &settings, target),
                })
                .collect(),
        };
        let files: Vec<(SourceFile, Role)> = texts
            .into_iter()
            .map(|text| {
                let read = from.reads(&text.path);
                let is_in_head = head.as_ref().is_some_and(|head| head.has(&text.path));
                let file = if read == text.path || is_in_head {
                    SourceFile::new(text.path, text.bytes)
                } else {
                    SourceFile::new(read, text.bytes).standing_at(text.path)
                };
                (file, text.role)
            })
            .collect();
        drop(head);
        let mut inputs: Vec<Input> = files
            .into_iter()
            .map(|(file, role)| Input {
                file: sources.push(file),
                role,
            })
            .collect();
        inputs.extend(shared);
        let other = world.map(|world| &world.side);
        let step = || {
            if let Some(progress) = &progress {
                progress.step();
            }
        };
        let side = Side::beside(sources, inputs.clone(), &scope, other, &step);
        drop(progress);
        let described = targets::describe(global, &settings, (&side, &scope), from)?;
        Ok(Self {
            config: settings.config.clone(),
            stated: Catalog::new(settings.config.infer.clone()),
            targets: Targets::default(),
            named: paths.iter().map(|path| reported(path)).collect(),
            side,
            exclude,
            parts,
            pointers,
            context,
            scope,
            inputs,
            settings,
            described,
            unreadable,
            captured: Vec::new(),
        })
    }

    /// Decides the targets; what this side does not tell is taken from the other. Gives what had to be assumed.
    pub(crate) fn settle(&mut self, global: &Global, other: Option<&Self>) -> Vec<String> {
        let other = other.map(|other| &other.described);
        let (targets, assumed) = targets::settle(global, &self.described, other);
        self.targets = targets;
        assumed
    }

    /// Where `--kubevirt` overrides releases that differ between this side and the base: what it hides.
    pub(crate) fn hidden_upgrades(&self, base: &Self) -> Vec<(Release, Release)> {
        self.described.hidden_upgrades(&base.described)
    }

    /// The target of a file.
    pub(crate) fn target_of(&self, file: Option<FileId>) -> &Target {
        let number = file.map_or(0, |file| self.side.target(file));
        self.targets.at(number)
    }

    /// A resolver for each root and target.
    pub(crate) fn resolvers(&self) -> Resolvers<'_> {
        self.resolvers_with(&self.targets)
    }

    /// The same, with other targets.
    pub(super) fn resolvers_with<'a>(&'a self, targets: &'a Targets) -> Resolvers<'a> {
        self.resolvers_of(&self.side, targets)
    }

    /// The same, over texts that were edited.
    pub(crate) fn resolvers_over<'a>(&'a self, side: &'a Side) -> Resolvers<'a> {
        self.resolvers_of(side, &self.targets)
    }

    fn resolvers_of<'a>(&'a self, side: &'a Side, targets: &'a Targets) -> Resolvers<'a> {
        let roots = side.roots.iter().enumerate();
        let by_root = roots
            .map(|(at, root)| {
                let target = targets.at(root.place.target);
                let mut catalogs = side.catalogs(at);
                let captured = self.captured.iter();
                let captured = captured.filter(|held| held.targets.contains(&target.name));
                catalogs.extend(captured.map(|held| &held.revisions));
                Resolver::new(target, catalogs).with_answers(&self.stated)
            })
            .collect();
        Resolvers { by_root }
    }

    /// The side as it is with other texts in some of its files, which become sources of their own. The others are not
    /// read again.
    pub(crate) fn edited(
        &self,
        sources: &mut Sources,
        texts: BTreeMap<FileId, Vec<u8>>,
    ) -> EditedSide {
        let mut inputs = self.inputs.clone();
        for (file, text) in texts {
            let old = sources.file(file);
            let new = SourceFile::new(old.path(), text).standing_at(old.place());
            let id = sources.push(new);
            for input in inputs.iter_mut().filter(|input| input.file == file) {
                input.file = id;
            }
        }
        let side = Side::beside(
            sources,
            inputs.clone(),
            &self.scope,
            Some(&self.side),
            &|| (),
        );
        EditedSide { side, inputs }
    }

    /// Goes on with texts that were edited. Targets stay as they were decided.
    pub(crate) fn take(&mut self, edited: EditedSide) {
        self.side = edited.side;
        self.inputs = edited.inputs;
    }

    /// Takes what clusters captured into account.
    pub(crate) fn know(&mut self, exports: &[Export]) {
        let names: Vec<&str> = self.targets.names().collect();
        self.captured = exports
            .iter()
            .map(|export| {
                let held = names.iter().filter(|name| export.is_of(name));
                CapturedRevisions {
                    targets: held.map(|name| (*name).to_owned()).collect(),
                    revisions: export.revisions(),
                }
            })
            .collect();
    }

    /// The targets of this side.
    pub(super) const fn targets(&self) -> &Targets {
        &self.targets
    }

    /// Whether a file at that place was looked for.
    pub(crate) fn looked_at(&self, place: &str) -> bool {
        self.may_be_asked_for(place) && !self.exclude.covers(place)
    }

    /// Whether a place lies in what was asked for.
    pub(crate) fn may_be_asked_for(&self, place: &str) -> bool {
        let mut outer = self.named.iter().chain(&self.parts).chain(&self.context);
        outer.any(|outer| path::is_inside(place, outer))
    }

    /// Kustomizations above the paths, by place.
    pub(crate) fn frames(&self, sources: &Sources) -> Vec<String> {
        let frames = self.inputs.iter().filter(|input| input.role == Role::Frame);
        frames
            .map(|input| sources.file(input.file).place().to_owned())
            .filter(|place| kustomization::NAMES.contains(&path::name(place)))
            .collect()
    }

    /// What was read, by place.
    pub(crate) fn by_place<'a>(&self, sources: &'a Sources) -> BTreeMap<&'a str, Input> {
        let inputs = self.inputs.iter();
        inputs
            .map(|input| (sources.file(input.file).place(), *input))
            .collect()
    }
}

fn assumed_namespace(global: &Global, settings: &Settings, target: &TargetConfig) -> String {
    let implicit = &settings.config.target;
    let told = [&global.namespace, &target.namespace, &implicit.namespace];
    let told = told.into_iter().flatten().next();
    told.map_or_else(|| "default".to_owned(), Clone::clone)
}
