//! Finding files: walks directories by `.gitignore`, and looks upward for the settings and the repository around them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use anyhow::Context;
use driftless::catalog::kustomization;
use driftless::catalog::path;
use driftless::catalog::side::Role;
use driftless::config::Config;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, WalkBuilder, WalkState};

use super::stdin;

/// Why a link is not followed.
const OUTSIDE: &str = "is a symbolic link that leads outside";

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundFile {
    /// Where it is.
    pub(crate) disk: PathBuf,
    /// What it is read for.
    pub(crate) role: Role,
    /// Whether the command line names the file itself.
    pub(crate) named: bool,
}

/// What a walk came upon.
#[derive(Debug, Default)]
pub(crate) struct Discovery {
    /// Files by the path they are reported under.
    pub(crate) files: BTreeMap<String, FoundFile>,
    /// Directories given as PATH, as they are reported.
    pub(crate) given: Vec<String>,
    /// Directories given as context, as they are reported.
    pub(crate) context: Vec<String>,
    /// What could not be looked at, with the reason.
    pub(crate) unreadable: BTreeMap<String, String>,
    /// Links that were not followed, with the reason.
    pub(crate) unfollowed: BTreeMap<String, String>,
    /// Whether standard input is among the paths.
    pub(crate) stdin: bool,
}

/// Patterns of paths that are left out, as in a `.gitignore`: the command line's are relative to the working directory,
/// the configuration's to its own.
#[derive(Debug)]
pub(crate) struct Exclude {
    given: Gitignore,
    configured: Gitignore,
    config: Config,
    repositories: bool,
}

impl Exclude {
    /// The patterns of the command line and of the configuration.
    pub(crate) fn new(given: &[String], config: &Config) -> anyhow::Result<Self> {
        Ok(Self {
            given: patterns(given, "--exclude")?,
            configured: patterns(&config.exclude, "`exclude:`")?,
            config: config.clone(),
            repositories: false,
        })
    }

    /// Leaves out the repositories that lie in what is judged, as a revision does.
    pub(crate) const fn repositories(&mut self) {
        self.repositories = true;
    }

    fn matches(&self, reported: &str, is_directory: bool) -> bool {
        let matched = |patterns: &Gitignore, path: &str| {
            !patterns.is_empty() && patterns.matched(path, is_directory).is_ignore()
        };
        matched(&self.given, reported)
            || (!self.configured.is_empty()
                && matched(&self.configured, &self.config.relative(reported)))
    }

    /// Whether the path or a directory above it is left out.
    pub(crate) fn covers(&self, reported: &str) -> bool {
        let mut above = path::parent(reported);
        while let Some(here) = above.filter(|here| path::depth(here) > 0) {
            if self.matches(&here, true) {
                return true;
            }
            above = path::parent(&here);
        }
        self.matches(reported, false)
    }
}

fn patterns(globs: &[String], place: &str) -> anyhow::Result<Gitignore> {
    let mut builder = GitignoreBuilder::new("");
    for glob in globs {
        builder
            .add_line(None, glob)
            .with_context(|| format!("`{glob}` is not a valid pattern for {place}"))?;
    }
    Ok(builder.build()?)
}

/// Finds every file of the paths, then of the context, then the kustomizations and charts above them.
pub(crate) fn discover(
    paths: &[PathBuf],
    context: &[PathBuf],
    exclude: &Exclude,
    jobs: usize,
) -> Discovery {
    let mut discovery = Discovery::default();
    for (paths, role) in [(paths, Role::Judged), (context, Role::Context)] {
        for given in paths {
            if role == Role::Judged && stdin::is_stdin(given) {
                discovery.stdin = true;
                continue;
            }
            discovery.add(given, role, exclude, jobs);
        }
    }
    discovery.frame();
    discovery
}

/// The path as it is reported: relative to the working directory where it lies inside, with forward slashes.
pub(crate) fn reported(of: &Path) -> String {
    static HERE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let here = HERE.get_or_init(|| std::env::current_dir().ok());
    let inside = here.as_ref().and_then(|here| of.strip_prefix(here).ok());
    let text = inside.unwrap_or(of).to_string_lossy();
    let text = if cfg!(windows) {
        text.replace('\\', "/")
    } else {
        text.into_owned()
    };
    path::normal(&text)
}

/// A reported path as the system takes it.
pub(crate) fn on_disk(reported: &str) -> PathBuf {
    PathBuf::from(if reported.is_empty() { "." } else { reported })
}

/// How a reported path is shown: the working directory as `.`.
pub(crate) const fn shown(reported: &str) -> &str {
    if reported.is_empty() { "." } else { reported }
}

/// The directories from `start` upward that belong to the same repository: up to the one with `.git`, else up to the
/// working directory, else only `start`.
pub(crate) fn upward(start: &str) -> Vec<String> {
    let mut all = vec![start.to_owned()];
    let here = std::env::current_dir().unwrap_or_default();
    let absolute = fs::canonicalize(on_disk(start)).unwrap_or_default();
    let steps = absolute.ancestors().count();
    let mut next = start.to_owned();
    let mut limit = None;
    for at in 0..steps {
        if on_disk(&next).join(".git").exists() {
            limit = Some(at);
            break;
        }
        match path::parent(&next) {
            Some(up) => next = up,
            None => break,
        }
        all.push(next.clone());
    }
    let to_here = || {
        let inside = fs::canonicalize(&here).is_ok_and(|here| absolute.starts_with(here));
        inside
            .then(|| all.iter().position(String::is_empty))
            .flatten()
    };
    let last = limit.or_else(to_here).unwrap_or(0);
    all.truncate(last + 1);
    all
}

impl Discovery {
    fn add(&mut self, given: &Path, role: Role, exclude: &Exclude, jobs: usize) {
        let name = reported(given);
        match fs::metadata(given) {
            Err(error) => self.cannot_read(&name, &error),
            Ok(metadata) if metadata.is_dir() => {
                match role {
                    Role::Judged => self.given.push(name),
                    _ => self.context.push(name),
                }
                self.walk(given, role, exclude, jobs);
            }
            Ok(_) if exclude.covers(&name) => {}
            Ok(_) => self.insert(name, given.to_path_buf(), role, true),
        }
    }

    fn insert(&mut self, name: String, disk: PathBuf, role: Role, named: bool) {
        let held = self
            .files
            .entry(name)
            .or_insert(FoundFile { disk, role, named });
        held.role = held.role.min(role);
        held.named |= named;
    }

    fn cannot_read(&mut self, name: &str, error: &std::io::Error) {
        self.unreadable
            .insert(shown(name).to_owned(), plain_reason(error));
    }

    fn pass(&mut self, name: String, reason: &str) {
        self.unfollowed.insert(name, reason.to_owned());
    }

    fn walk(&mut self, directory: &Path, role: Role, exclude: &Exclude, jobs: usize) {
        let start = if directory.as_os_str().is_empty() {
            Path::new(".")
        } else {
            directory
        };
        let seen = Mutex::new(Vec::new());
        let excluded = |entry: &DirEntry| {
            let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
            exclude.matches(&reported(entry.path()), is_directory)
        };
        let is_repository = |entry: &DirEntry| {
            exclude.repositories
                && role == Role::Judged
                && entry.file_type().is_some_and(|kind| kind.is_dir())
                && entry.path().join(".git").exists()
        };
        WalkBuilder::new(start)
            .follow_links(false)
            .git_global(false)
            .git_exclude(false)
            .ignore(false)
            .require_git(false)
            .threads(jobs)
            .build_parallel()
            .run(|| {
                Box::new(|entry| {
                    let mut next = WalkState::Continue;
                    let met = match entry {
                        Ok(entry) if entry.depth() > 0 && excluded(&entry) => {
                            return WalkState::Skip;
                        }
                        Ok(entry) if entry.depth() > 0 && is_repository(&entry) => {
                            next = WalkState::Skip;
                            Some(Met::Passed(entry.into_path(), "is another repository"))
                        }
                        Ok(entry) => Met::of(&entry),
                        Err(error) => Some(Met::Unreadable(error)),
                    };
                    if let (Some(met), Ok(mut seen)) = (met, seen.lock()) {
                        seen.push(met);
                    }
                    next
                })
            });
        let mut links = Vec::new();
        for met in seen.into_inner().unwrap_or_default() {
            match met {
                Met::File(disk) => self.insert(reported(&disk), disk, role, false),
                Met::Link(disk) => links.push(disk),
                Met::Passed(disk, reason) => self.pass(reported(&disk), reason),
                Met::Unreadable(error) => {
                    let (path, reason) = explain(&error);
                    let path = path.map_or_else(|| reported(start), |path| reported(&path));
                    self.unreadable.insert(shown(&path).to_owned(), reason);
                }
            }
        }
        links.sort();
        let canonical = fs::canonicalize(start).unwrap_or_default();
        for link in links {
            self.follow(&link, start, &canonical, role);
        }
    }

    /// A link to a file inside the directory is read under its own name unless the file is found anyway; a link that
    /// leads outside is not followed; one that leads to itself or to a directory it lies in cannot be read.
    fn follow(&mut self, link: &Path, start: &Path, within: &Path, role: Role) {
        let name = reported(link);
        let metadata = match fs::metadata(link) {
            Ok(metadata) => metadata,
            Err(error) if is_manifest(link) || !is_missing(&error) => {
                return self.cannot_read(&name, &error);
            }
            Err(_) => return,
        };
        let target = fs::canonicalize(link).unwrap_or_default();
        let holder = link
            .parent()
            .and_then(|parent| fs::canonicalize(parent).ok());
        if metadata.is_dir() {
            if holder.is_some_and(|holder| holder.starts_with(&target)) {
                let reason = "the symbolic link leads back to a directory it lies in";
                self.unreadable.insert(name, reason.to_owned());
            } else if !target.starts_with(within) {
                self.pass(name, OUTSIDE);
            }
        } else if is_manifest(link) {
            match target.strip_prefix(within) {
                Err(_) => self.pass(name, OUTSIDE),
                Ok(inside) if self.files.contains_key(&reported(&start.join(inside))) => {}
                Ok(_) => self.insert(name, link.to_path_buf(), role, false),
            }
        }
    }

    /// Kustomizations and charts above the files and directories given: they say what those are.
    fn frame(&mut self) {
        let named = self.files.iter().filter(|(_, found)| found.named);
        let starts: BTreeSet<String> = named
            .filter_map(|(name, _)| path::parent(name))
            .chain(self.given.iter().chain(&self.context).cloned())
            .collect();
        let directories: BTreeSet<String> = starts.iter().flat_map(|start| upward(start)).collect();
        for directory in directories {
            for name in kustomization::NAMES.iter().chain(&["Chart.yaml"]) {
                let name = path::join(&directory, name);
                if !self.files.contains_key(&name) && on_disk(&name).is_file() {
                    let disk = on_disk(&name);
                    self.insert(name, disk, Role::Frame, false);
                }
            }
        }
    }
}

/// What one step of a walk came upon.
enum Met {
    File(PathBuf),
    Link(PathBuf),
    Passed(PathBuf, &'static str),
    Unreadable(ignore::Error),
}

impl Met {
    fn of(entry: &DirEntry) -> Option<Self> {
        let kind = entry.file_type()?;
        let path = entry.path();
        if kind.is_symlink() {
            Some(Self::Link(path.to_path_buf()))
        } else if kind.is_dir() || !is_manifest(path) {
            None
        } else if kind.is_file() {
            Some(Self::File(path.to_path_buf()))
        } else {
            Some(Self::Passed(path.to_path_buf(), "is not a regular file"))
        }
    }
}

/// Whether a file's name promises manifests.
pub(crate) fn is_manifest(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| {
        ["yaml", "yml", "json"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    }) || path.file_name().is_some_and(|name| name == "Kustomization")
}

fn is_missing(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::NotFound
}

/// The reason without the system's error number.
pub(crate) fn plain_reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((reason, _)) => reason.to_lowercase(),
        None => text,
    }
}

/// The path and the plain reason of a failed step.
fn explain(error: &ignore::Error) -> (Option<PathBuf>, String) {
    match error {
        ignore::Error::WithPath { path, err } => (Some(path.clone()), explain(err).1),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            explain(err)
        }
        ignore::Error::Io(error) => (None, plain_reason(error)),
        other => (None, other.to_string()),
    }
}
