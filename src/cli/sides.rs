//! Two sides of one tree: the head from disk, a revision or the index, the base from a revision or a directory.
//!
//! Each side is read under its own settings. Files that are equal on both sides are parsed once.

mod changed;
mod unjudged;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::bail;
use driftless::catalog::path;
use driftless::catalog::side::Side;
use driftless::change::Sided;
use driftless::config::Config;
use driftless::plan::{Delivery, Export, Unjudged};
use driftless::release::Release;
use driftless::resource::ResourceId;

use crate::args::Global;
use crate::input::discover::{self, on_disk, reported};
use crate::input::git::{GitTree, Listing, Repository};
use crate::input::read::Wants;
use crate::input::read_from::{ReadFrom, WorkingTree};
use crate::input::stdin;
use crate::output::Shell;
use crate::session::{Differing, OnRelease, Request, Resolvers, Same, Session, World, sided};
use crate::sides::changed::ChangedFiles;
use crate::sides::unjudged::{ComparedSides, Unseen};

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
    /// How many documents that the change touches cannot be read.
    pub(crate) bad: usize,
    /// What changed, concerns virtual machines and is not judged.
    pub(crate) unjudged: Vec<Unjudged>,
    /// What `--kubevirt` hides.
    pub(crate) hidden: Vec<(Release, Release)>,
    /// What applies the tree to clusters.
    pub(crate) deliveries: Vec<Delivery>,
    base: Against,
    migration: Option<World>,
    uncovered: BTreeSet<String>,
    half_read: BTreeSet<(String, ResourceId)>,
}

#[derive(Debug)]
enum Against {
    World(Box<World>),
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
            Base::Directory(directory) => {
                let head = paths
                    .first()
                    .map_or_else(|| PathBuf::from("."), Clone::clone);
                let request = Request::new(global, paths);
                let base = (directory.as_path(), std::slice::from_ref(directory));
                Self::beside(&request, base, &head, shell)
            }
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
        let session = Session::load(&Request::new(&global, paths), shell)?;
        let bad = session.say_bad_documents(shell).unreadable;
        session.say_nameless(shell);
        session.say_skipped(shell);
        let base = Against::OnRelease(session.on(from));
        Ok(Self {
            session,
            base_name: String::new(),
            head_name: String::new(),
            bad,
            unjudged: Vec::new(),
            hidden: Vec::new(),
            deliveries: Vec::new(),
            base,
            migration: None,
            uncovered: BTreeSet::new(),
            half_read: BTreeSet::new(),
        })
    }

    /// The settings of the base and of the head.
    pub(crate) fn settings(&self) -> [Config; 2] {
        let head = self.session.head.config.clone();
        match &self.base {
            Against::World(base) => [base.config.clone(), head],
            Against::OnRelease(_) => [head.clone(), head],
        }
    }

    /// Two files or directories, each with the files that are read for it. Every object counts, not only KubeVirt's.
    pub(crate) fn of_paths(
        global: &Global,
        (before, base): (&Path, &[PathBuf]),
        (after, head): (&Path, &[PathBuf]),
        shell: &mut Shell,
    ) -> anyhow::Result<Self> {
        let request = Request::new(global, head).wanting(Wants::Everything);
        Self::beside(&request, (before, base), after, shell)
    }

    /// Files or a directory that stand in for the head's.
    fn beside(
        request: &Request<'_>,
        (before, base): (&Path, &[PathBuf]),
        after: &Path,
        shell: &mut Shell,
    ) -> anyhow::Result<Self> {
        let request = &Request {
            differing: Some(Differing::Any),
            ..*request
        };
        let mut session = Session::open(request, &ReadFrom::Disk, shell)?;
        let (from, to) = (reported(before), reported(after));
        let place = to.clone();
        let names = (
            discover::shown(&from).to_owned(),
            discover::shown(&to).to_owned(),
        );
        let from = ReadFrom::Beside {
            paths: base.to_vec(),
            from,
            to,
        };
        let base = session.base(request, &from, Same::Bytes, shell)?;
        if let Some((path, reason)) = base.unreadable.iter().next() {
            bail!("cannot read `{path}`: {reason}");
        }
        let changed = ChangedFiles::between(&session, &base, &from, &ReadFrom::Disk, None)?;
        let global = request.global;
        let loaded = Self::of(global, session, base, None, &changed, names, shell);
        Ok(loaded.delivered(|path| path::join(&place, path)))
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
            Some(head) => Some(GitTree::Commit(repository.commit(head)?)),
            None if in_hook => Some(GitTree::Index),
            None => {
                repository.has_working_tree()?;
                None
            }
        };
        let listing = repository.list(&GitTree::Commit(base_commit.clone()))?;
        let (from_head, may_differ) = match &tree {
            None => working_tree(&repository, &listing, &base_commit, paths)?,
            Some(tree) => {
                let from = ReadFrom::Git {
                    repository: &repository,
                    listing: repository.list(tree)?,
                };
                (from, None)
            }
        };
        let from_base = ReadFrom::Git {
            repository: &repository,
            listing,
        };
        let may = Differing::between(&from_base, &from_head, may_differ.as_ref());
        let request = Request {
            follows: true,
            differing: Some(may),
            ..Request::new(global, paths)
        };
        let mut session = Session::open(&request, &from_head, shell)?;
        let same = |other: Option<BTreeSet<String>>| match (&from_head, other) {
            (ReadFrom::Git { listing, .. }, _) => Same::Objects(&repository, listing),
            (_, Some(places)) => Same::AllBut(places),
            _ => Same::Bytes,
        };
        for place in paths.iter().map(|path| reported(path)) {
            if repository.inside(&place).is_none() {
                bail!(
                    "`{}` lies outside of the repository that `--base` names a revision of",
                    discover::shown(&place).escape_debug()
                );
            }
            if tree.is_some() && !from_head.has(&place) && !from_base.has(&place) {
                bail!(
                    "neither side has `{}`",
                    discover::shown(&place).escape_debug()
                );
            }
        }
        let base_world = session.base(&request, &from_base, same(may_differ.clone()), shell)?;
        let migration = match migration_commit {
            None => None,
            Some(commit) => {
                let others = match &tree {
                    None => Some(differing(&repository, &commit)?),
                    Some(_) => None,
                };
                let from = ReadFrom::Git {
                    repository: &repository,
                    listing: repository.list(&GitTree::Commit(commit))?,
                };
                Some(session.base(&request, &from, same(others), shell)?)
            }
        };
        let changed = ChangedFiles::between(
            &session,
            &base_world,
            &from_base,
            &from_head,
            may_differ.as_ref(),
        )?;
        let name = |given: &str, commit: &str| {
            if given.len() == commit.len() {
                repository.short(commit)
            } else {
                given.to_owned()
            }
        };
        let head_name = match (head, &tree) {
            (Some(head), Some(GitTree::Commit(commit))) => name(head, commit),
            (_, Some(_)) => "the index".to_owned(),
            _ => "the working tree".to_owned(),
        };
        let names = (name(base, &base_commit), head_name);
        let loaded = Self::of(
            global, session, base_world, migration, &changed, names, shell,
        );
        Ok(loaded.delivered(|path| repository.report(path)))
    }

    fn of(
        global: &Global,
        mut session: Session,
        mut base: World,
        mut migration: Option<World>,
        changed: &ChangedFiles,
        (base_name, head_name): (String, String),
        shell: &mut Shell,
    ) -> Self {
        session.settle(global, Some(&mut base), shell);
        if let Some(migration) = &mut migration {
            // What has to be assumed was said for the base.
            let _ = migration.settle(global, Some(&session.head));
        }
        let hidden = match global.platform() {
            Some(_) => session.head.hidden_upgrades(&base),
            None => Vec::new(),
        };
        let Unseen {
            unjudged,
            bad,
            uncovered,
            half_read,
        } = ComparedSides::of(&session, &base, changed).find(shell);
        session.say_nameless(shell);
        session.say_skipped(shell);
        Self {
            session,
            base_name,
            head_name,
            bad,
            unjudged,
            hidden,
            deliveries: Vec::new(),
            base: Against::World(Box::new(base)),
            migration,
            uncovered,
            half_read,
        }
    }

    /// With what applies the tree, as its head says, and of what is gone from there its base. `place` gives the place of a
    /// path that the repository names.
    fn delivered(mut self, place: impl Fn(&str) -> String) -> Self {
        let head = self.session.head.side.resources();
        let head: Vec<_> = head.map(|placed| placed.resource).collect();
        let is_gone = |id: &ResourceId| !head.iter().any(|resource| resource.id == *id);
        let base = self.base_side().resources().map(|placed| placed.resource);
        let gone = base.filter(|resource| Delivery::is_one(resource) && is_gone(&resource.id));
        let all = head.iter().copied().chain(gone);
        let deliveries = all.filter_map(|resource| Delivery::read(resource, &place));
        self.deliveries = deliveries.collect();
        self
    }

    /// Takes what clusters have into account.
    pub(crate) fn know(&mut self, exports: &[Export]) {
        self.session.head.know(exports);
        if let Against::World(base) = &mut self.base {
            base.know(exports);
        }
    }

    /// The resolvers of both sides.
    pub(crate) fn resolvers(&self) -> Both<'_> {
        Both {
            loaded: self,
            head: self.session.resolvers(),
            base: match &self.base {
                Against::World(base) => base.resolvers(),
                Against::OnRelease(on) => self.session.resolvers_on(on),
            },
            migration: self.migration.as_ref().map(World::resolvers),
        }
    }

    /// The base.
    pub(crate) const fn base_side(&self) -> &Side {
        match &self.base {
            Against::World(base) => &base.side,
            Against::OnRelease(_) => &self.session.head.side,
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
    pub(crate) fn head(&self) -> Vec<Sided<'_>> {
        self.subjects(&self.loaded.session.head.side, &self.head)
    }

    /// Every resource of the base.
    pub(crate) fn base(&self) -> Vec<Sided<'_>> {
        self.subjects(self.loaded.base_side(), &self.base)
    }

    /// Every resource of the base of a migration.
    pub(crate) fn migration(&self) -> Vec<Sided<'_>> {
        match (&self.loaded.migration, &self.migration) {
            (Some(world), Some(resolvers)) => self.subjects(&world.side, resolvers),
            _ => Vec::new(),
        }
    }

    /// Files that only one side's settings cover are left out, and what cannot be read on the other side: they are
    /// listed as not judged.
    fn subjects<'a>(&'a self, side: &'a Side, resolvers: &'a Resolvers<'a>) -> Vec<Sided<'a>> {
        sided(side, resolvers, &self.loaded.session.sources)
            .into_iter()
            .filter(|subject| !self.loaded.uncovered.contains(subject.place))
            .filter(|subject| {
                self.loaded.half_read.is_empty() || {
                    let key = (subject.place.to_owned(), subject.resource.id.clone());
                    !self.loaded.half_read.contains(&key)
                }
            })
            .collect()
    }
}

/// The working tree as a head, and which of its files may differ from a commit.
fn working_tree<'a>(
    repository: &'a Repository,
    base: &Listing,
    commit: &str,
    paths: &[PathBuf],
) -> anyhow::Result<(ReadFrom<'a>, Option<BTreeSet<String>>)> {
    let is_missing = |path: &&PathBuf| path.symlink_metadata().is_err();
    let held = |path: &&PathBuf| {
        repository
            .inside(&reported(path))
            .is_some_and(|name| base.holds(&name))
    };
    let gone = paths.iter().filter(is_missing).filter(held).cloned();
    let gone: Vec<PathBuf> = gone.collect();
    let unwatched = repository.unwatched()?;
    let mut left_out = BTreeMap::new();
    let absent = |place: &&String| on_disk(place).symlink_metadata().is_err();
    if unwatched.iter().any(|place| absent(&place)) {
        let index = repository.list(&GitTree::Index)?;
        for place in unwatched.iter().filter(absent) {
            let object = repository.inside(place).and_then(|name| {
                let object = index.object(&name)?;
                Some(object.to_owned())
            });
            left_out.extend(object.map(|object| (place.clone(), object)));
        }
    }
    let mut may_differ = repository.changed(commit)?;
    may_differ.extend(unwatched);
    let gone = gone
        .into_iter()
        .filter(|path| {
            let place = reported(path);
            !left_out.keys().any(|held| path::is_inside(held, &place))
        })
        .collect();
    let tree = WorkingTree {
        repository,
        gone,
        left_out,
    };
    Ok((ReadFrom::WorkingTree(tree), Some(may_differ)))
}

fn differing(repository: &Repository, commit: &str) -> anyhow::Result<BTreeSet<String>> {
    let mut places = repository.changed(commit)?;
    places.extend(repository.unwatched()?);
    Ok(places)
}
