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

mod settings;
mod targets;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use driftless::catalog::Catalog;
use driftless::catalog::duplicate::{Duplicate, Nearness, Stand};
use driftless::catalog::root::Scope;
use driftless::catalog::side::{File, Input, Placed, Reason, Role, Side};
use driftless::config::{Config, Target};
use driftless::field_path::FieldPath;
use driftless::release::Release;
use driftless::resolve::Resolver;
use driftless::resource::Resource;
use driftless::source::{FileId, SourceFile, Sources};
use driftless::transform::normalize;
use driftless::yaml::{Document, StrictKind, StrictProblem};

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
        Self::load_from(request, None, shell)
    }

    /// As [`Self::load`], where the paths are read by `reader` instead of from disk.
    pub(crate) fn load_from(
        request: &Request<'_>,
        reader: Option<Reader<'_>>,
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
        let exclude = Exclude::new(&global.exclude, &settings.config)?;
        let context: Vec<_> = global
            .context
            .iter()
            .cloned()
            .chain(settings.paths(&settings.config.context))
            .collect();
        let jobs = rayon::current_num_threads();
        let on_disk = if reader.is_some() { &[][..] } else { paths };
        let mut discovery = discover::discover(on_disk, &context, &exclude, jobs);
        let progress = Progress::new(shell, discovery.files.len());
        let mut texts = read::read(&mut discovery, request.wants, &|| progress.step());
        let named: Vec<String> = paths.iter().map(|path| reported(path)).collect();
        if let Some(read) = reader {
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

    /// Says every document that cannot be read, each key set twice, and each identity that two resources of one file or
    /// kustomization claim; gives what is spoiled by it. For commands that do not report findings.
    pub(crate) fn say_bad_documents(&self, shell: &mut Shell) -> Bad {
        self.say_bad_documents_of(&self.side, shell)
    }

    /// The same for another side.
    pub(crate) fn say_bad_documents_of(&self, side: &Side, shell: &mut Shell) -> Bad {
        let mut bad = Bad::default();
        for error in &side.broken {
            if side.role(error.span.file) == Role::Judged {
                bad.count += 1;
                bad.unreadable += 1;
            }
            shell.error(format!("{}: {error}", self.sources.describe(error.span)));
            shell.help(error.help);
        }
        for file in &side.files {
            for document in &file.documents {
                self.say_strict_problems(file, document, &mut bad, shell);
                if let Some(span) = document.ignored {
                    let place = self.sources.describe(span);
                    shell.warning(format!("{place}: kubectl never reads what follows here"));
                }
            }
        }
        for duplicate in &side.duplicates {
            let message = self.duplicate_message(side, duplicate);
            match duplicate.nearness {
                Nearness::File | Nearness::Kustomization => {
                    bad.count += 1;
                    bad.stands.push(duplicate.first.clone());
                    bad.stands.push(duplicate.second.clone());
                    shell.error(message);
                }
                Nearness::Root => shell.warning(message),
                Nearness::Roots => shell.detail(message),
            }
        }
        bad
    }

    fn say_strict_problems(
        &self,
        file: &File,
        document: &Document,
        bad: &mut Bad,
        shell: &mut Shell,
    ) {
        let refused = |problem: &&StrictProblem| problem.kind != StrictKind::Spellings;
        let mut problems = document.strict.iter().filter(refused).peekable();
        if problems.peek().is_some() && file.role == Role::Judged {
            bad.count += 1;
            bad.unreadable += 1;
            bad.documents.insert((file.id, document.index));
        }
        for problem in problems {
            shell.error(format!(
                "{}: `{}` is set twice, first at {}; kubectl refuses the document",
                self.sources.describe(problem.second),
                problem.key,
                self.sources.describe(problem.first),
            ));
            shell.help(problem.help());
        }
    }

    fn duplicate_message(&self, side: &Side, duplicate: &Duplicate) -> String {
        let place =
            |stand: &Stand| match resource_at(side, stand).and_then(|r| r.node.origin.span()) {
                Some(span) => self.sources.describe(span),
                None => self.sources.file(stand.file).path().to_owned(),
            };
        let why = match duplicate.nearness {
            Nearness::File => "a file holds one resource of a name once",
            Nearness::Kustomization => {
                "one kustomization lists both files, and kustomize refuses them"
            }
            Nearness::Root => "a cluster keeps what it is given last",
            Nearness::Roots => "they are in different roots, taken to be for different clusters",
        };
        format!(
            "{}: {} differs from the one at {}; {why}",
            place(&duplicate.second),
            duplicate.id,
            place(&duplicate.first),
        )
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

    /// Says which documents look like Kubernetes objects and have no name: they are left out.
    pub(crate) fn say_nameless(&self, shell: &mut Shell) {
        for loose in &self.side.loose {
            let place = match loose.node.origin.span() {
                Some(span) => self.sources.describe(span),
                None => self.sources.file(loose.file).path().to_owned(),
            };
            let kind = loose.node.str_at("kind");
            let message =
                format!("{place}: skipped: {kind} without apiVersion, kind or name is no object");
            if loose.node.str_at("apiVersion").contains("kubevirt.io") {
                shell.warning(message);
            } else {
                shell.detail(message);
            }
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

fn resource_at<'a>(side: &'a Side, stand: &Stand) -> Option<&'a Resource> {
    let catalog = &side.roots.get(stand.root)?.catalog;
    catalog.resources().iter().find(|resource| {
        resource.file == Some(stand.file)
            && resource.document == stand.document
            && resource.prefix == stand.prefix
    })
}

/// What is wrong with the input beyond what a command can work with.
#[derive(Debug, Default)]
pub(crate) struct Bad {
    /// How many documents and identities.
    pub(crate) count: usize,
    /// How many documents.
    pub(crate) unreadable: usize,
    documents: BTreeSet<(FileId, usize)>,
    stands: Vec<Stand>,
}

impl Bad {
    /// Whether a resource is among what is wrong.
    pub(crate) fn holds(&self, placed: &Placed<'_>) -> bool {
        let resource = placed.resource;
        let Some(file) = resource.file else {
            return false;
        };
        self.documents.contains(&(file, resource.document))
            || self.stands.iter().any(|stand| {
                stand.file == file
                    && stand.document == resource.document
                    && stand.prefix == resource.prefix
            })
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
