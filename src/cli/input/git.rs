//! A side read from git's object database through the `git` program: nothing is checked out, no hook or pager runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, anyhow, bail};
use driftless::catalog::path;
use driftless::catalog::side::Role;

use super::discover::{Exclude, is_manifest};
use super::read::frames;

/// A repository, seen from the working directory.
#[derive(Debug)]
pub(crate) struct Repository {
    /// Where git runs.
    directory: PathBuf,
    /// That directory as paths are reported.
    reported: String,
    /// That directory as the repository names it, without a slash at its end.
    prefix: String,
    is_shallow: bool,
    is_bare: bool,
}

/// What a listed file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blob {
    /// The path it is reported under.
    pub(crate) path: String,
    /// Its object.
    pub(crate) object: String,
    /// What it is read for.
    pub(crate) role: Role,
}

/// Where a side is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tree {
    /// A revision.
    Revision(String),
    /// What is about to be committed.
    Index,
}

impl Repository {
    /// The repository the first path lies in.
    pub(crate) fn of(paths: &[PathBuf]) -> anyhow::Result<Self> {
        let here = Path::new(".");
        let first = paths.first().map_or(here, PathBuf::as_path);
        let inside = if first.is_dir() {
            first
        } else {
            first
                .parent()
                .filter(|parent| parent.is_dir())
                .unwrap_or(here)
        };
        let inside = if inside.as_os_str().is_empty() {
            here
        } else {
            inside
        };
        // A hook sets GIT_DIR, which is relative to where git runs.
        let from_here = std::env::var_os("GIT_DIR").is_some() || is_within(inside);
        let directory = if from_here { here } else { inside };
        let text = run(
            directory,
            &[
                "rev-parse",
                "--is-shallow-repository",
                "--is-bare-repository",
                "--is-inside-work-tree",
            ],
        )
        .map_err(|error| match error {
            Failure::NoGit => no_git(),
            Failure::Said(said) => anyhow!("{}", said.trim())
                .context("`--base` needs a git repository; `--base-dir` compares with a directory"),
        })?;
        let lines: Vec<&str> = text.lines().collect();
        let inside_work_tree = lines.get(2) == Some(&"true");
        let prefix = if inside_work_tree {
            said(directory, &["rev-parse", "--show-prefix"])?
        } else {
            String::new()
        };
        Ok(Self {
            directory: directory.to_path_buf(),
            reported: super::discover::reported(directory),
            prefix: prefix.trim_end_matches(['\n', '/']).to_owned(),
            is_shallow: lines.first() == Some(&"true"),
            is_bare: lines.get(1) == Some(&"true") || !inside_work_tree,
        })
    }

    /// Whether there is no working tree.
    pub(crate) const fn is_bare(&self) -> bool {
        self.is_bare
    }

    /// The commit a revision names. Where there is none, the error says which command gets it.
    pub(crate) fn commit(&self, revision: &str) -> anyhow::Result<String> {
        if revision.starts_with('-') || revision.is_empty() {
            bail!("`{revision}` is no git revision");
        }
        let wanted = format!("{revision}^{{commit}}");
        let found = run(
            &self.directory,
            &[
                "rev-parse",
                "--verify",
                "--quiet",
                "--end-of-options",
                &wanted,
            ],
        );
        match found {
            Ok(text) => Ok(text.trim().to_owned()),
            Err(Failure::NoGit) => Err(no_git()),
            Err(Failure::Said(_)) => Err(self.missing(revision)),
        }
    }

    fn missing(&self, revision: &str) -> anyhow::Error {
        if let Some((base, head)) = revision.split_once("..") {
            let head = head.trim_start_matches('.');
            let or_here = |side: &str| if side.is_empty() { "HEAD" } else { side }.to_owned();
            return anyhow!(
                "`{revision}` is a range, not a revision: give `--base {} --head {}`",
                or_here(base),
                or_here(head)
            );
        }
        let (remote, branch) = match revision.split_once('/') {
            Some((remote, branch)) if self.has_remote(remote) => (remote.to_owned(), branch),
            _ => ("origin".to_owned(), revision),
        };
        let is_hash = revision.len() >= 7 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_name = !is_hash && !revision.contains(['~', '^', '@', ':', '{', '?', '*', '[', ' ']);
        let mut help = String::new();
        if self.is_shallow {
            help.push_str("; the clone is shallow: run `git fetch --unshallow`");
            if is_name {
                let _ = write!(
                    help,
                    " or `git fetch {remote} {branch}:refs/remotes/{remote}/{branch}`"
                );
            }
            help.push_str(" (actions/checkout: `fetch-depth: 0`)");
        } else if is_name {
            let _ = write!(
                help,
                ": run `git fetch {remote} {branch}:refs/remotes/{remote}/{branch}` and name it `{remote}/{branch}`"
            );
        } else if is_hash {
            let whole = if revision.len() >= 40 { revision } else { "" };
            let fetch = format!("git fetch {remote} {whole}");
            let _ = write!(help, ": run `{}`", fetch.trim_end());
        } else {
            help.push_str(": `git log --oneline --all` lists what there is");
        }
        anyhow!("there is no revision `{revision}` in this repository{help}")
    }

    fn has_remote(&self, name: &str) -> bool {
        said(&self.directory, &["remote"]).is_ok_and(|text| text.lines().any(|line| line == name))
    }

    /// A short name of a commit for reports.
    pub(crate) fn short(&self, commit: &str) -> String {
        said(&self.directory, &["rev-parse", "--short", commit])
            .map_or_else(|_| commit.to_owned(), |text| text.trim().to_owned())
    }

    /// Every manifest of a tree under the given reported paths, and the kustomizations and charts above them.
    pub(crate) fn list(
        &self,
        tree: &Tree,
        paths: &[String],
        exclude: &Exclude,
    ) -> anyhow::Result<Vec<Blob>> {
        let text = match tree {
            Tree::Revision(commit) => said(
                &self.directory,
                &["ls-tree", "-r", "-z", "--full-tree", commit],
            ),
            Tree::Index => said(
                &self.directory,
                &["ls-files", "--stage", "-z", "--full-name", ":/"],
            ),
        }?;
        let wanted: Vec<String> = paths.iter().map(|path| self.inside(path)).collect();
        let mut blobs = Vec::new();
        for entry in text.split('\0').filter(|entry| !entry.is_empty()) {
            let Some((meta, name)) = entry.split_once('\t') else {
                continue;
            };
            let mut fields = meta.split_ascii_whitespace();
            let mode = fields.next().unwrap_or_default();
            // ls-tree: mode type object; ls-files: mode object stage.
            let object = match tree {
                Tree::Revision(_) => fields.nth(1),
                Tree::Index => fields.next(),
            };
            let Some(object) = object.filter(|_| mode.starts_with("100")) else {
                continue;
            };
            if is_hidden(name, &wanted) || !is_manifest(Path::new(name)) {
                continue;
            }
            let frames = frames(name)
                && path::parent(name).is_some_and(|above| {
                    wanted.iter().any(|wanted| path::is_inside(wanted, &above))
                });
            let reported = self.report(name);
            let asked = wanted.iter().any(|wanted| path::is_inside(name, wanted));
            if frames || asked && !exclude.covers(&reported) {
                blobs.push(Blob {
                    path: reported,
                    object: object.to_owned(),
                    role: if asked { Role::Judged } else { Role::Frame },
                });
            }
        }
        Ok(blobs)
    }

    /// The reported paths of files that may differ between a commit and the working tree; others are the same.
    pub(crate) fn changed(&self, commit: &str) -> anyhow::Result<BTreeSet<String>> {
        let text = said(
            &self.directory,
            &[
                "diff-index",
                "--name-only",
                "-z",
                "--no-renames",
                "--ignore-submodules=all",
                commit,
            ],
        )?;
        Ok(text
            .split('\0')
            .filter(|name| !name.is_empty())
            .map(|name| self.report(name))
            .collect())
    }

    /// Whether a revision has a reported path, as a file or as a directory.
    pub(crate) fn holds(&self, commit: &str, reported: &str) -> bool {
        let object = format!("{commit}:{}", self.inside(reported));
        run(&self.directory, &["cat-file", "-e", &object]).is_ok()
    }

    /// The bytes of objects, each once.
    pub(crate) fn read(&self, blobs: &[Blob]) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
        let objects: BTreeSet<&str> = blobs.iter().map(|blob| blob.object.as_str()).collect();
        if objects.is_empty() {
            return Ok(BTreeMap::new());
        }
        let mut child = git(&self.directory)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|_| no_git())?;
        let mut input = child.stdin.take().context("git has a standard input")?;
        let asked = objects.iter().copied().collect::<Vec<_>>().join(
            "
",
        ) + "
";
        let writer = std::thread::spawn(move || input.write_all(asked.as_bytes()));
        let mut output = BufReader::new(child.stdout.take().context("git has a standard output")?);
        let mut out = BTreeMap::new();
        for _ in &objects {
            let mut header = String::new();
            output
                .read_line(&mut header)
                .context("git ended while objects were read")?;
            let mut fields = header.split_ascii_whitespace();
            let (object, kind, size) = (fields.next(), fields.next(), fields.next());
            let (Some(object), Some("blob"), Some(size)) = (object, kind, size) else {
                drop(output);
                let _ = child.kill();
                let _ = child.wait();
                bail!(
                    "git cannot read object {}; a partial clone lacks it: run `git fetch --refetch`",
                    header
                        .split_ascii_whitespace()
                        .next()
                        .unwrap_or("of the base")
                );
            };
            let size: usize = size.parse().context("git names the size of an object")?;
            let mut bytes = vec![0; size];
            output
                .read_exact(&mut bytes)
                .context("git ended within an object")?;
            let mut end = [0];
            output
                .read_exact(&mut end)
                .context("git ended after an object")?;
            out.insert(object.to_owned(), bytes);
        }
        drop(output);
        let _ = writer.join();
        let _ = child.wait();
        Ok(out)
    }

    /// A reported path as the repository names it.
    fn inside(&self, reported: &str) -> String {
        let here = strip(reported, &self.reported);
        if Path::new(&here).is_absolute() {
            let top = said(&self.directory, &["rev-parse", "--show-toplevel"]).unwrap_or_default();
            let canonical = std::fs::canonicalize(&here).unwrap_or_else(|_| PathBuf::from(&here));
            let top = std::fs::canonicalize(top.trim()).unwrap_or_default();
            if let Ok(rest) = canonical.strip_prefix(top) {
                return path::normal(&rest.to_string_lossy());
            }
        }
        path::join(&self.prefix, &here)
    }

    /// A path of the repository as it is reported.
    fn report(&self, name: &str) -> String {
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

/// `name` below `directory`.
fn strip(name: &str, directory: &str) -> String {
    if directory.is_empty() {
        return name.to_owned();
    }
    name.strip_prefix(directory)
        .map_or(name, |rest| rest.trim_start_matches('/'))
        .to_owned()
}

/// Whether a path has a hidden directory or name below what was asked for.
fn is_hidden(name: &str, wanted: &[String]) -> bool {
    let below = wanted
        .iter()
        .filter(|wanted| path::is_inside(name, wanted))
        .map(|wanted| strip(name, wanted))
        .min_by_key(String::len)
        .unwrap_or_else(|| name.to_owned());
    below.split('/').any(|step| step.starts_with('.'))
}

/// Whether a directory lies in the working directory's own repository.
fn is_within(directory: &Path) -> bool {
    let top = |at: &Path| {
        run(at, &["rev-parse", "--absolute-git-dir"])
            .ok()
            .map(|text| text.trim().to_owned())
    };
    let here = top(Path::new("."));
    here.is_some() && here == top(directory)
}

/// Why git gave no answer.
enum Failure {
    NoGit,
    Said(String),
}

fn git(directory: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(directory)
        .args([
            "--no-pager",
            "--no-optional-locks",
            "-c",
            "core.quotePath=false",
        ])
        .env("LC_ALL", "C")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_TERMINAL_PROMPT", "0");
    command
}

fn run(directory: &Path, arguments: &[&str]) -> Result<String, Failure> {
    let output = git(directory)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|_| Failure::NoGit)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        Err(Failure::Said(text(&output.stderr)))
    }
}

fn said(directory: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    run(directory, arguments).map_err(|failure| match failure {
        Failure::NoGit => no_git(),
        Failure::Said(said) => anyhow!(
            "git {}: {}",
            arguments.first().copied().unwrap_or_default(),
            said.trim()
        ),
    })
}

fn no_git() -> anyhow::Error {
    anyhow!(
        "there is no `git` program on PATH: install git, or compare with a directory (`--base-dir`)"
    )
}
