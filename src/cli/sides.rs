//! Two sides of one tree: the head from disk, a revision or the index, the base from a revision or a directory.
//!
//! Files that are equal on both sides are parsed once.

mod unbuilt;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::bail;
use driftless::catalog::path;
use driftless::catalog::relevance::Relevance;
use driftless::catalog::side::{Input, Role, Side};
use driftless::change::Subject;
use driftless::config::Config;
use driftless::release::Release;
use driftless::source::FileId;

use crate::args::Global;
use crate::input::discover::{self, Exclude, on_disk, reported};
use crate::input::git::{Blob, Repository, Tree};
use crate::input::read::{self, Text, Wants, frames};
use crate::input::stdin;
use crate::output::Shell;
use crate::session::{From, OnRelease, Other, Request, Resolvers, Session};

/// What a head is compared with.
#[derive(Clone, Debug)]
pub(crate) enum Base {
    /// A git revision.
    Revision(String),
    /// A git revision during a migration that began at another.
    DuringMigration {
        /// Before the migration.
        migration: String,
        /// While it is under way.
        base: String,
    },
    /// A directory or file.
    Directory(PathBuf),
}

/// Both sides of a change.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The head.
    pub(crate) session: Session,
    /// What the base is called.
    pub(crate) base_name: String,
    /// What the head is called.
    pub(crate) head_name: String,
    /// How many documents of either side cannot be read.
    pub(crate) bad: usize,
    base: Against,
    migration: Option<Other>,
}

#[derive(Debug)]
enum Against {
    Other(Other),
    OnRelease(OnRelease),
}

impl Loaded {
    /// Reads both sides, and says what cannot be read.
    pub(crate) fn load(
        global: &Global,
        paths: &[PathBuf],
        base: &Base,
        head: Option<&str>,
        shell: &mut Shell,
    ) -> anyhow::Result<Self> {
        if paths.iter().any(|path| stdin::is_stdin(path)) {
            bail!("standard input has no base: give files or directories");
        }
        match base {
            Base::Directory(directory) => Self::beside(global, paths, directory, shell),
            Base::Revision(revision) => Self::in_git(global, paths, revision, None, head, shell),
            Base::DuringMigration { migration, base } => {
                Self::in_git(global, paths, base, Some(migration), head, shell)
            }
        }
    }

    /// The same side on two releases.
    pub(crate) fn one_side(
        global: &Global,
        paths: &[PathBuf],
        from: Release,
        to: Release,
        shell: &mut Shell,
    ) -> anyhow::Result<Self> {
        let global = Global {
            kubevirt: Some(to),
            ..global.clone()
        };
        let session = Session::load(&request(&global, paths), shell)?;
        let base = Against::OnRelease(session.on(from));
        Ok(Self {
            bad: said(&session, None, shell),
            session,
            base_name: String::new(),
            head_name: String::new(),
            base,
            migration: None,
        })
    }

    /// Two sets of paths, paired by identity alone. Every object counts, not only KubeVirt's.
    pub(crate) fn of_paths(
        global: &Global,
        base: &[PathBuf],
        head: &[PathBuf],
        shell: &mut Shell,
    ) -> anyhow::Result<Self> {
        let request = Request {
            wants: Wants::Everything,
            ..request(global, head)
        };
        let mut session = Session::load(&request, shell)?;
        let jobs = rayon::current_num_threads();
        let mut discovery = discover::discover(base, &[], &session.exclude, jobs);
        let texts = read::read(&mut discovery, Wants::Everything, &|| ());
        if let Some((path, reason)) = discovery.unreadable.iter().next() {
            bail!("cannot read `{path}`: {reason}");
        }
        let shared = context(&session);
        let other = session.other(global, texts, shared)?;
        Ok(Self {
            bad: said(&session, Some(&other), shell),
            session,
            base_name: String::new(),
            head_name: String::new(),
            base: Against::Other(other),
            migration: None,
        })
    }

    fn beside(
        global: &Global,
        paths: &[PathBuf],
        directory: &Path,
        shell: &mut Shell,
    ) -> anyhow::Result<Self> {
        let mut session = Session::load(&request(global, paths), shell)?;
        let empty = Exclude::new(&[], &Config::default())?;
        let jobs = rayon::current_num_threads();
        let mut discovery = discover::discover(&[directory.to_path_buf()], &[], &empty, jobs);
        let texts = read::read(&mut discovery, Wants::Relevant, &|| ());
        if let Some((path, reason)) = discovery.unreadable.iter().next() {
            bail!("cannot read `{path}`: {reason}");
        }
        let from = reported(directory);
        let to = session.named.first().cloned().unwrap_or_default();
        let moved: Vec<Text> = texts
            .into_iter()
            .filter(|text| text.role == Role::Judged)
            .map(|text| {
                let below = text.path.strip_prefix(&from).unwrap_or(&text.path);
                let below = below.trim_start_matches('/');
                let path = if below.is_empty() {
                    to.clone()
                } else {
                    path::join(&to, below)
                };
                Text { path, ..text }
            })
            .filter(|text| !session.exclude.covers(&text.path))
            .collect();
        let (texts, shared) = split_equal(&session, moved);
        let other = session.other(global, texts, shared)?;
        let bad = said(&session, Some(&other), shell);
        Ok(Self {
            bad,
            base_name: discover::shown(&from).to_owned(),
            head_name: discover::shown(&to).to_owned(),
            session,
            base: Against::Other(other),
            migration: None,
        })
    }

    fn in_git(
        global: &Global,
        paths: &[PathBuf],
        base: &str,
        migration: Option<&str>,
        head: Option<&str>,
        shell: &mut Shell,
    ) -> anyhow::Result<Self> {
        let repository = Repository::of(paths)?;
        let base_commit = repository.commit(base)?;
        let migration_commit = migration.map(|name| repository.commit(name)).transpose()?;
        let in_hook = std::env::var_os("GIT_INDEX_FILE").is_some_and(|file| !file.is_empty());
        let tree = match head {
            Some(head) => Some(Tree::Revision(repository.commit(head)?)),
            None if in_hook => Some(Tree::Index),
            None if repository.is_bare() => {
                bail!("a bare repository has no working tree: `--head REV` says what to compare")
            }
            None => None,
        };
        let mut session = match &tree {
            None => {
                let gone = gone(&repository, &base_commit, paths);
                Session::load_from(&request(global, paths), From::WorkingTree(&gone), shell)?
            }
            Some(tree) => Session::load_from(
                &request(global, paths),
                From::Reader(&|named, exclude| {
                    let blobs = repository.list(tree, named, exclude)?;
                    texts(&repository, &blobs)
                }),
                shell,
            )?,
        };
        let other = other_side(
            &mut session,
            global,
            &repository,
            tree.as_ref(),
            &base_commit,
        )?;
        let migration = migration_commit
            .map(|commit| other_side(&mut session, global, &repository, tree.as_ref(), &commit))
            .transpose()?;
        let bad = said(&session, Some(&other), shell);
        let name = |given: &str, commit: &str| {
            if given.len() == commit.len() {
                repository.short(commit)
            } else {
                given.to_owned()
            }
        };
        let head_name = match (head, &tree) {
            (Some(head), Some(Tree::Revision(commit))) => name(head, commit),
            (_, Some(_)) => "the index".to_owned(),
            _ => "the working tree".to_owned(),
        };
        Ok(Self {
            bad,
            base_name: name(base, &base_commit),
            head_name,
            session,
            base: Against::Other(other),
            migration,
        })
    }

    /// The resolvers of both sides.
    pub(crate) fn resolvers(&self) -> Both<'_> {
        Both {
            loaded: self,
            head: self.session.resolvers(),
            base: match &self.base {
                Against::Other(other) => self.session.resolvers_for(other),
                Against::OnRelease(on) => self.session.resolvers_on(on),
            },
            migration: self
                .migration
                .as_ref()
                .map(|other| self.session.resolvers_for(other)),
        }
    }

    /// What is said of changed files that are not judged.
    pub(crate) fn note_on_unbuilt(&self) -> Option<String> {
        unbuilt::note(self.base_side(), &self.session.side, &self.session.sources)
    }

    /// The base.
    pub(crate) const fn base_side(&self) -> &Side {
        match &self.base {
            Against::Other(other) => &other.side,
            Against::OnRelease(_) => &self.session.side,
        }
    }
}

/// The resolvers of both sides.
#[derive(Debug)]
pub(crate) struct Both<'a> {
    loaded: &'a Loaded,
    head: Resolvers<'a>,
    base: Resolvers<'a>,
    migration: Option<Resolvers<'a>>,
}

impl Both<'_> {
    /// Every resource of the head.
    pub(crate) fn head(&self) -> Vec<Subject<'_>> {
        subjects(&self.loaded.session.side, &self.head)
    }

    /// Every resource of the base.
    pub(crate) fn base(&self) -> Vec<Subject<'_>> {
        subjects(self.loaded.base_side(), &self.base)
    }

    /// Every resource of the base of a migration.
    pub(crate) fn migration(&self) -> Vec<Subject<'_>> {
        match (&self.loaded.migration, &self.migration) {
            (Some(other), Some(resolvers)) => subjects(&other.side, resolvers),
            _ => Vec::new(),
        }
    }
}

fn subjects<'a>(side: &'a Side, resolvers: &'a Resolvers<'a>) -> Vec<Subject<'a>> {
    side.judged()
        .into_iter()
        .map(|placed| Subject {
            resource: placed.resource,
            root: &side.roots[placed.root].place.directory,
            resolver: resolvers.of(&placed),
        })
        .collect()
}

const fn request<'a>(global: &'a Global, paths: &'a [PathBuf]) -> Request<'a> {
    Request {
        global,
        paths,
        wants: Wants::Relevant,
    }
}

fn said(session: &Session, other: Option<&Other>, shell: &mut Shell) -> usize {
    let own = session.say_bad_documents(shell).unreadable;
    session.say_nameless(shell);
    session.say_skipped(shell);
    own + other.map_or(0, |other| {
        session.say_bad_documents_of(&other.side, shell).unreadable
    })
}

/// The paths that the base has and the working tree does not: they were removed or moved away.
fn gone(repository: &Repository, base: &str, paths: &[PathBuf]) -> Vec<PathBuf> {
    let is_gone = |path: &&PathBuf| {
        path.symlink_metadata().is_err() && repository.holds(base, &reported(path))
    };
    paths.iter().filter(is_gone).cloned().collect()
}

/// The objects that matter, as texts.
fn texts(repository: &Repository, blobs: &[Blob]) -> anyhow::Result<Vec<Text>> {
    let read = repository.read(blobs)?;
    Ok(blobs
        .iter()
        .filter_map(|blob| {
            let bytes = read.get(&blob.object)?;
            let matters = frames(&blob.path) || Relevance::of(bytes) >= Relevance::Nameable;
            matters.then(|| Text {
                path: blob.path.clone(),
                bytes: bytes.clone(),
                role: blob.role,
            })
        })
        .collect())
}

/// Another revision beside the head: objects that the head has too are taken over from it.
fn other_side(
    session: &mut Session,
    global: &Global,
    repository: &Repository,
    head: Option<&Tree>,
    commit: &str,
) -> anyhow::Result<Other> {
    let named = session.named.clone();
    let blobs = repository.list(&Tree::Revision(commit.to_owned()), &named, &session.exclude)?;
    let ours = judged_files(session);
    let same: Box<dyn Fn(&Blob) -> bool> = match head {
        None => {
            let changed = repository.changed(commit)?;
            Box::new(move |blob| !changed.contains(&blob.path))
        }
        Some(tree) => {
            let objects: BTreeMap<String, String> = repository
                .list(tree, &named, &session.exclude)?
                .into_iter()
                .map(|blob| (blob.path, blob.object))
                .collect();
            Box::new(move |blob| objects.get(&blob.path) == Some(&blob.object))
        }
    };
    let mut wanted = Vec::new();
    let mut shared = Vec::new();
    for blob in blobs {
        if !same(&blob) || blob.role == Role::Frame {
            wanted.push(blob);
            continue;
        }
        match ours.get(&blob.path) {
            Some(input) => shared.push(*input),
            // The head has it too and found nothing of interest in it, or leaves it out.
            None if head.is_some() || on_disk(&blob.path).exists() => {}
            None => wanted.push(blob),
        }
    }
    shared.extend(context(session));
    let texts = texts(repository, &wanted)?;
    session.other(global, texts, shared)
}

/// The head's judged files by path.
fn judged_files(session: &Session) -> BTreeMap<String, Input> {
    session
        .side
        .files
        .iter()
        .filter(|file| file.role == Role::Judged)
        .map(|file| {
            let path = session.sources.file(file.id).path().to_owned();
            (path, input(file.id, file.role))
        })
        .collect()
}

/// What both sides are resolved against.
fn context(session: &Session) -> Vec<Input> {
    let files = session.side.files.iter();
    files
        .filter(|file| file.role == Role::Context)
        .map(|file| input(file.id, file.role))
        .collect()
}

const fn input(file: FileId, role: Role) -> Input {
    Input { file, role }
}

/// Tells texts that the head has too, byte for byte, from others.
fn split_equal(session: &Session, texts: Vec<Text>) -> (Vec<Text>, Vec<Input>) {
    let held = judged_files(session);
    let mut shared = context(session);
    let mut other = Vec::new();
    for text in texts {
        match held.get(&text.path) {
            Some(input) if session.sources.file(input.file).bytes() == text.bytes => {
                shared.push(*input);
            }
            _ => other.push(text),
        }
    }
    (other, shared)
}
