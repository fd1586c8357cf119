//! A side read from git's object database through the `git` program: nothing is checked out, no hook, filter or pager
//! runs, nothing is fetched.

mod listing;
mod program;
mod revision;
mod trailers;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use driftless::catalog::path;

pub(crate) use self::listing::Listing;
use self::program::{Git, GitFailure, Unread, no_git};

/// A repository, seen from the working directory.
#[derive(Debug)]
pub(crate) struct Repository {
    git: Git,
    /// Where git runs, as paths are reported.
    reported: String,
    /// That directory as the repository names it, without a slash at its end.
    prefix: String,
    /// The top of the working tree.
    top: Option<PathBuf>,
    place: GitPlace,
    is_shallow: bool,
}

/// Where git runs, seen from the working tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GitPlace {
    /// In it.
    Inside,
    /// Beside it: `core.worktree` or `GIT_WORK_TREE` names another directory.
    Outside,
    /// There is none.
    Bare,
}

/// Where a side is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GitTree {
    /// A commit.
    Commit(String),
    /// What is about to be committed.
    Index,
}

impl Repository {
    /// The repository the first path lies in.
    pub(crate) fn of(paths: &[PathBuf]) -> anyhow::Result<Self> {
        let here = Path::new(".");
        let first = paths.first().map_or(here, PathBuf::as_path);
        // What was removed lay in what is still there.
        let inside = first
            .ancestors()
            .find(|above| above.is_dir())
            .unwrap_or(here);
        // A hook sets GIT_DIR, which is relative to where git runs.
        let from_here = std::env::var_os("GIT_DIR").is_some() || is_within(inside);
        let directory = if from_here { here } else { inside };
        let git = Git::within(directory)?;
        let text = git
            .run(&[
                "rev-parse",
                "--is-shallow-repository",
                "--is-bare-repository",
                "--is-inside-work-tree",
            ])
            .map_err(|error| match error {
                GitFailure::NoGit => no_git(),
                GitFailure::Said(said) => anyhow!("{}", said.trim()).context(
                    "`--base` needs a git repository; `--base-dir` compares with a directory",
                ),
            })?;
        let lines: Vec<&str> = text.lines().collect();
        let top = git.run(&["rev-parse", "--show-toplevel"]).ok();
        let top = top.map(|text| PathBuf::from(text.trim_end_matches('\n')));
        let place = match (lines.get(1), lines.get(2)) {
            (_, Some(&"true")) => GitPlace::Inside,
            (Some(&"true"), _) => GitPlace::Bare,
            _ if top.is_some() => GitPlace::Outside,
            _ => GitPlace::Bare,
        };
        let prefix = match place {
            GitPlace::Inside => git.said(&["rev-parse", "--show-prefix"])?,
            GitPlace::Outside | GitPlace::Bare => String::new(),
        };
        Ok(Self {
            reported: super::discover::reported(directory),
            prefix: prefix.trim_end_matches(['\n', '/']).to_owned(),
            top,
            place,
            is_shallow: lines.first() == Some(&"true"),
            git,
        })
    }

    /// Whether the paths can be read from the working tree.
    pub(crate) fn has_working_tree(&self) -> anyhow::Result<()> {
        match (self.place, &self.top) {
            (GitPlace::Inside, _) => Ok(()),
            (GitPlace::Outside, Some(top)) => bail!(
                "the working tree of this repository is `{}` (`core.worktree` or GIT_WORK_TREE), and the paths are not in it: run driftless there, or say with `--head REV` what to compare",
                top.display()
            ),
            _ => {
                bail!("a bare repository has no working tree: `--head REV` says what to compare")
            }
        }
    }

    /// Every entry of a tree.
    pub(crate) fn list(&self, tree: &GitTree) -> anyhow::Result<Listing> {
        let text = match tree {
            GitTree::Commit(commit) => {
                self.git
                    .run(&["ls-tree", "-r", "-z", "--full-tree", commit])
            }
            GitTree::Index => self
                .git
                .run(&["ls-files", "--stage", "-z", "--full-name", ":/"]),
        };
        let text = text.map_err(|failure| match failure {
            GitFailure::NoGit => no_git(),
            GitFailure::Said(said) => self.unread("a directory of the base", said.trim()),
        })?;
        Ok(Listing::read(tree, &text))
    }

    /// The reported paths of tracked files that may differ between a commit and the working tree; others are the same,
    /// but for those of [`Self::unwatched`].
    pub(crate) fn changed(&self, commit: &str) -> anyhow::Result<BTreeSet<String>> {
        let text = self.git.said(&[
            "diff-index",
            "--name-only",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules=all",
            "--end-of-options",
            commit,
        ])?;
        Ok(self.reported_names(text.split('\0')))
    }

    /// The reported paths of files that git does not look at in the working tree: left out by a sparse checkout, or
    /// marked as unchanged by the user.
    pub(crate) fn unwatched(&self) -> anyhow::Result<BTreeSet<String>> {
        let text = self
            .git
            .said(&["ls-files", "-v", "-z", "--full-name", ":/"])?;
        let names = text.split('\0').filter_map(|entry| {
            let (tag, name) = entry.split_once(' ')?;
            // `S` is skip-worktree; a small letter is assume-unchanged.
            (tag == "S" || tag.starts_with(|letter: char| letter.is_ascii_lowercase()))
                .then_some(name)
        });
        Ok(self.reported_names(names))
    }

    fn reported_names<'a>(&self, names: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
        names
            .filter(|name| !name.is_empty())
            .map(|name| self.report(name))
            .collect()
    }

    /// The bytes of objects, each once.
    pub(crate) fn read<'a>(
        &self,
        objects: impl IntoIterator<Item = &'a str>,
    ) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
        let objects: BTreeSet<&str> = objects.into_iter().collect();
        if objects.is_empty() {
            return Ok(BTreeMap::new());
        }
        let names: Vec<&str> = objects.into_iter().collect();
        let bytes = self.git.objects(&names).map_err(|error| match error {
            Unread::NoGit => no_git(),
            Unread::Object { object, said } => self.unread(&format!("object {object}"), &said),
        })?;
        Ok(names
            .iter()
            .map(|name| (*name).to_owned())
            .zip(bytes)
            .collect())
    }

    /// Why something that a revision names cannot be read, and what to do.
    fn unread(&self, what: &str, said: &str) -> anyhow::Error {
        let partial = [
            "--get-regexp",
            r"^remote\..*\.(promisor|partialclonefilter)$",
        ];
        let is_partial = self.git.run(&["config", partial[0], partial[1]]).is_ok();
        let is_damaged = [
            "corrupt",
            "inflate",
            "mismatch",
            "garbage",
            "unable to parse",
            "bad object",
        ]
        .iter()
        .any(|word| said.contains(word));
        let error = if is_damaged || !is_partial {
            anyhow!("git cannot read {what}: it is missing or damaged, `git fsck` says more")
        } else {
            anyhow!(
                "git cannot read {what}: this is a partial clone that lacks it, and nothing is fetched here: run `git fetch --refetch --no-filter` first"
            )
        };
        match said.lines().next() {
            Some(first) => anyhow!("{first}").context(error),
            None => error,
        }
    }

    /// A reported path as the repository names it; `None` where it lies elsewhere.
    pub(crate) fn inside(&self, reported: &str) -> Option<String> {
        let is_below = path::is_inside(reported, &self.reported)
            || self.reported.is_empty() && !Path::new(reported).is_absolute();
        let name = if is_below {
            path::join(&self.prefix, &strip(reported, &self.reported))
        } else {
            let top = std::fs::canonicalize(self.top.as_ref()?).ok()?;
            let resolved = resolved(reported);
            path::normal(&resolved.strip_prefix(top).ok()?.to_string_lossy())
        };
        let is_above = name == ".." || name.starts_with("../") || name.starts_with('/');
        (!is_above).then_some(name)
    }

    /// A path of the repository as it is reported.
    pub(crate) fn report(&self, name: &str) -> String {
        let mut up = self.prefix.as_str();
        let mut steps = 0;
        loop {
            if path::is_inside(name, up) {
                break;
            }
            steps += 1;
            up = up.rsplit_once('/').map_or("", |(above, _)| above);
        }
        let rest = strip(name, up);
        let relative = format!("{}{rest}", "../".repeat(steps));
        path::join(&self.reported, &relative)
    }
}

/// A reported path as the system knows it, links followed as far as it is on disk.
fn resolved(reported: &str) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let whole = path::normal(&here.join(reported).to_string_lossy());
    let whole = Path::new(&whole);
    for above in whole.ancestors() {
        if let Ok(found) = std::fs::canonicalize(above) {
            let rest = whole.strip_prefix(above).unwrap_or(Path::new(""));
            return found.join(rest);
        }
    }
    whole.to_path_buf()
}

/// `name` below `directory`.
fn strip(name: &str, directory: &str) -> String {
    if directory.is_empty() {
        return name.to_owned();
    }
    name.strip_prefix(directory)
        .map_or(name, |rest| rest.trim_start_matches('/'))
        .to_owned()
}

/// Whether a directory lies in the working directory's own repository.
fn is_within(directory: &Path) -> bool {
    if directory == Path::new(".") || directory.as_os_str().is_empty() {
        return true;
    }
    let top = |at: &Path| Git::at(at).run(&["rev-parse", "--absolute-git-dir"]).ok();
    let here = top(Path::new("."));
    here.is_some() && here == top(directory)
}
