//! What every command that reads manifests starts from: discovered files → sources → resources by root → targets.
//!
//! ```text
//! let session = Session::load(&Request { global, paths: &args.paths, wants: Wants::Relevant }, shell)?;
//! let resolvers = session.resolvers();
//! for placed in session.side.judged() { let resolver = resolvers.of(&placed); … }
//! Ok(outcome.max(session.outcome()))
//! ```
//!
//! `session.other(global, texts, shared)` makes another side, such as the base of a change, over the same sources.

mod bad;
mod settings;
mod targets;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use driftless::catalog::Catalog;
use driftless::catalog::root::Scope;
use driftless::catalog::side::{Input, Placed, Reason, Role, Side};
use driftless::config::{Config, Target};
use driftless::field_path::FieldPath;
use driftless::release::Release;
use driftless::resolve::Resolver;
use driftless::resource::Resource;
use driftless::source::{FileId, SourceFile, Sources};
use driftless::transform::normalize;

use crate::args::Global;
use crate::input::discover::{self, Discovery, Exclude, reported};
use crate::input::read::{self, Text, Wants};
use crate::output::{Outcome, Progress, Shell};
use crate::session::settings::Settings;
use crate::session::targets::Targets;

/// What to load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    /// The global options.
    pub(crate) global: &'a Global,
    /// Files and directories; `-` is standard input; none is the working directory.
    pub(crate) paths: &'a [PathBuf],
    /// Which files matter.
    pub(crate) wants: Wants,
}

/// A tree of manifests, read and sorted out, with the clusters it is for.
#[derive(Debug)]
pub(crate) struct Session {
    /// Every text, of every side.
    pub(crate) sources: Sources,
    /// What the paths hold.
    pub(crate) side: Side,
    /// The settings of `driftless.yaml`, or the defaults.
    #[allow(dead_code, reason = "for commands with rules and profiles")]
    pub(crate) config: Config,
    /// The paths given, as they are reported.
    pub(crate) named: Vec<String>,
    /// What is left out.
    pub(crate) exclude: Exclude,
    scope: Scope,
    settings: Settings,
    targets: Targets,
    stated: Catalog,
    unreadable: usize,
}

/// Reads the texts of the reported paths, without what is left out.
pub(crate) type Reader<'a> = &'a dyn Fn(&[String], &Exclude) -> anyhow::Result<Vec<Text>>;

/// Where the paths are read from.
#[derive(Clone, Copy)]
pub(crate) enum From<'a> {
    /// The disk.
    Disk,
    /// The working tree of a repository, without the repositories in it; these of the paths are known to be gone.
    WorkingTree(&'a [PathBuf]),
    /// Elsewhere.
    Reader(Reader<'a>),
}

/// Another side over a session's sources, with its own targets.
#[derive(Debug)]
pub(crate) struct Other {
    /// What it holds.
    pub(crate) side: Side,
    targets: Targets,
}

/// The targets of a session's own side on another release.
#[derive(Debug)]
pub(crate) struct OnRelease(Targets);

impl Session {
    /// Reads the paths. What cannot be read is said at once and remembered in [`Self::outcome`].
    pub(crate) fn load(request: &Request<'_>, shell: &mut Shell) -> anyhow::Result<Self> {
        Self::load_from(request, From::Disk, shell)
    }

    /// As [`Self::load`], where the paths are read from elsewhere.
    pub(crate) fn load_from(
        request: &Request<'_>,
        from: From<'_>,
        shell: &mut Shell,
    ) -> anyhow::Result<Self> {
        let here = [PathBuf::from(".")];
        let paths = if request.paths.is_empty() {
            &here[..]
        } else {
            request.paths
        };
        let global = request.global;
        let mut sources = Sources::default();
        let settings = settings::find(global, paths, &mut sources)?;
        let mut exclude = Exclude::new(&global.exclude, &settings.config)?;
        if matches!(from, From::WorkingTree(_)) {
            exclude.repositories();
        }
        let context: Vec<_> = global
            .context
            .iter()
            .cloned()
            .chain(settings.paths(&settings.config.context))
            .collect();
        let jobs = rayon::current_num_threads();
        let on_disk: Vec<_> = match from {
            From::Disk => paths.to_vec(),
            From::WorkingTree(gone) => {
                let is_there = |path: &&PathBuf| !gone.contains(path);
                paths.iter().filter(is_there).cloned().collect()
            }
            From::Reader(_) => Vec::new(),
        };
        let mut discovery = discover::discover(&on_disk, &context, &exclude, jobs);
        let progress = Progress::new(shell, discovery.files.len());
        let mut texts = read::read(&mut discovery, request.wants, &|| progress.step());
        let named: Vec<String> = paths.iter().map(|path| reported(path)).collect();
        if let From::Reader(read) = from {
            texts.extend(read(&named, &exclude)?);
            let directories = named
                .iter()
                .filter(|name| !discover::is_manifest(Path::new(name)));
            discovery.given.extend(directories.cloned());
        }
        let scope = Scope {
            given: discovery.given.clone(),
            context: discovery.context.clone(),
            configured: settings.joined(&settings.config.roots),
            namespace: global
                .namespace
                .clone()
                .or_else(|| settings.config.target.namespace.clone())
                .unwrap_or_else(|| "default".to_owned()),
        };
        let inputs = push(&mut sources, texts);
        let side = Side::build(&sources, inputs, &scope, &|| progress.step());
        drop(progress);
        say_unreadable(&discovery, shell);
        for profile in settings
            .config
            .profiles
            .iter()
            .filter(|profile| !profile.has_effect())
        {
            shell.warning(format!(
                "`profile: {}` changes nothing yet: no key of that vendor is listed",
                profile.as_str()
            ));
        }
        let mut session = Self {
            targets: Targets::default(),
            stated: Catalog::new(settings.config.infer.clone()),
            config: settings.config.clone(),
            unreadable: discovery.unreadable.len(),
            sources,
            side,
            scope,
            named,
            exclude,
            settings: Settings::default(),
        };
        session.targets =
            targets::settle(global, &settings, &session.side, &session.sources, shell)?;
        session.settings = settings;
        Ok(session)
    }

    /// Another side over the same sources and settings, such as the base of a change: texts by path, and sources of
    /// the session's own side that it has too. It has targets of its own.
    pub(crate) fn other(
        &mut self,
        global: &Global,
        texts: Vec<Text>,
        shared: Vec<Input>,
    ) -> anyhow::Result<Other> {
        let mut inputs = push(&mut self.sources, texts);
        inputs.extend(shared);
        let side = Side::beside(&self.sources, inputs, &self.scope, Some(&self.side), &|| ());
        // What has to be assumed was said for the session's own side.
        let mut silent = Shell::new(&Global {
            quiet: true,
            verbose: 0,
            ..global.clone()
        });
        let targets = targets::settle(global, &self.settings, &side, &self.sources, &mut silent)?;
        Ok(Other { side, targets })
    }

    /// The targets of the session's own side on another release.
    pub(crate) fn on(&self, release: Release) -> OnRelease {
        OnRelease(self.targets.on(release))
    }

    /// A resolver for each root and target of the session's own side on another release.
    pub(crate) fn resolvers_on<'a>(&'a self, on: &'a OnRelease) -> Resolvers<'a> {
        self.resolvers_with(&self.side, &on.0)
    }

    /// A resolver for each root and target of another side.
    pub(crate) fn resolvers_for<'a>(&'a self, other: &'a Other) -> Resolvers<'a> {
        self.resolvers_with(&other.side, &other.targets)
    }

    /// The target of a resource, by the file it stands in.
    pub(crate) fn target_of(&self, file: Option<FileId>) -> &Target {
        self.targets.of(file)
    }

    /// A resolver for each root and target of the session's own side.
    pub(crate) fn resolvers(&self) -> Resolvers<'_> {
        self.resolvers_with(&self.side, &self.targets)
    }

    fn resolvers_with<'a>(&'a self, side: &'a Side, targets: &'a Targets) -> Resolvers<'a> {
        let mut by_place = BTreeMap::new();
        for placed in side.resources() {
            let target = targets.index(placed.resource.file);
            by_place.entry((placed.root, target)).or_insert_with(|| {
                let catalogs = side.catalogs(placed.root);
                Resolver::new(targets.at(target), catalogs).with_answers(&self.stated)
            });
        }
        Resolvers { targets, by_place }
    }

    /// What reading alone makes of the run: paths that could not be read.
    pub(crate) const fn outcome(&self) -> Outcome {
        if self.unreadable > 0 {
            Outcome::CouldNot
        } else {
            Outcome::Clean
        }
    }

    /// `path:line:column` of a field of a resource, or of its nearest ancestor that is there.
    pub(crate) fn place(&self, resource: &Resource, field: &FieldPath) -> String {
        let (_, node) = field.nearest(&resource.node);
        match (node.origin.span(), resource.file) {
            (Some(span), _) => self.sources.describe(span),
            (None, Some(file)) => self.sources.file(file).path().to_owned(),
            (None, None) => resource.id.to_string(),
        }
    }

    /// The text of the document a resource stands in, where it is encrypted and passes untouched.
    pub(crate) fn verbatim(&self, resource: &Resource) -> Option<String> {
        let file = resource
            .file
            .filter(|_| normalize::is_encrypted(&resource.node))?;
        let documents = &self.side.file(file)?.documents;
        let document = documents
            .iter()
            .find(|document| document.index == resource.document)?;
        let bytes = self.sources.file(file).bytes().get(document.span.range())?;
        let text = std::str::from_utf8(bytes)
            .ok()?
            .trim_start_matches('\u{feff}');
        let end = if text.ends_with('\n') { "" } else { "\n" };
        Some(format!("{text}{end}"))
    }

    /// Where a resource comes from: the path its document names as its source, else its file.
    pub(crate) fn source_of(&self, resource: &Resource) -> Option<String> {
        let file = resource.file?;
        let named = self
            .side
            .source_comment(&self.sources, file, resource.document);
        Some(
            named
                .unwrap_or_else(|| self.sources.file(file).path())
                .to_owned(),
        )
    }

    /// Says what was left out: a count by reason, and each with `--verbose`.
    pub(crate) fn say_skipped(&self, shell: &mut Shell) {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for skipped in &self.side.skipped {
            if self.side.role(skipped.file) != Role::Judged {
                continue;
            }
            if skipped.reason.is_notable() {
                *counts.entry(skipped.reason.plural()).or_default() += 1;
            }
            let file = self.sources.file(skipped.file);
            let place = match (skipped.document, &skipped.reason) {
                (_, Reason::Template { at, .. }) => {
                    format!("{}:{}", file.path(), file.position(*at))
                }
                (Some(document), _) if document > 0 => {
                    format!("{}, document {}", file.path(), document + 1)
                }
                _ => file.path().to_owned(),
            };
            shell.detail(format!("{place}: skipped: {}", skipped.reason));
        }
        if !counts.is_empty() {
            let list: Vec<_> = counts
                .iter()
                .map(|(what, count)| Reason::counted(what, *count))
                .collect();
            let hint = if shell.is_verbose() {
                ""
            } else {
                "; --verbose lists them"
            };
            shell.note(format!("skipped {}{hint}", list.join(", ")));
        }
    }
}

/// A resolver for each root and target.
#[derive(Debug)]
pub(crate) struct Resolvers<'a> {
    targets: &'a Targets,
    by_place: BTreeMap<(usize, usize), Resolver<'a>>,
}

impl<'a> Resolvers<'a> {
    /// The resolver for a resource of the side the resolvers were made for.
    pub(crate) fn of(&self, placed: &Placed<'_>) -> &Resolver<'a> {
        let target = self.targets.index(placed.resource.file);
        self.by_place
            .get(&(placed.root, target))
            .expect("made for every resource of the side")
    }
}

/// Adds texts to the sources.
fn push(sources: &mut Sources, texts: Vec<Text>) -> Vec<Input> {
    texts
        .into_iter()
        .map(|text| Input {
            file: sources.push(SourceFile::new(text.path, text.bytes)),
            role: text.role,
        })
        .collect()
}

fn say_unreadable(discovery: &Discovery, shell: &mut Shell) {
    for (path, reason) in &discovery.unreadable {
        shell.error(format!("cannot read `{path}`: {reason}"));
    }
    for (path, reason) in &discovery.unfollowed {
        shell.detail(format!("{path}: skipped: {reason}"));
    }
}
