//! The `git` program, run so that no setting of a repository makes it run another program or reach a network.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{anyhow, bail};

/// Settings of a repository that name a program, each with a value that names none or one that does nothing.
const OFF: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.sshCommand", "false"),
    ("core.gitProxy", "false"),
    ("core.askPass", "false"),
    ("core.editor", "false"),
    ("core.alternateRefsCommand", "false"),
    ("core.untrackedCache", "false"),
    ("core.quotePath", "false"),
    ("credential.helper", ""),
    ("diff.external", ""),
    ("gc.auto", "0"),
    ("gpg.program", "false"),
    ("gpg.ssh.program", "false"),
    ("gpg.x509.program", "false"),
    ("log.showSignature", "false"),
    ("maintenance.auto", "false"),
    ("protocol.allow", "never"),
    ("sequence.editor", "false"),
    ("submodule.recurse", "false"),
    ("uploadpack.packObjectsHook", ""),
];

/// Why git gave no answer.
#[derive(Debug)]
pub(super) enum GitFailure {
    /// There is no such program.
    NoGit,
    /// It ended in an error and said this.
    Said(String),
}

/// Git, run in a directory.
#[derive(Debug)]
pub(super) struct Git {
    directory: PathBuf,
    off: Vec<String>,
}

impl Git {
    /// Git in that directory, for questions about the repository itself.
    pub(super) fn at(directory: &Path) -> Self {
        Self {
            directory: directory.to_path_buf(),
            off: OFF
                .iter()
                .map(|(key, value)| format!("{key}={value}"))
                .collect(),
        }
    }

    /// Git in that directory. The drivers that the repository's settings name are looked up to be switched off too.
    pub(super) fn within(directory: &Path) -> anyhow::Result<Self> {
        let mut git = Self::at(directory);
        let asked = [
            "config",
            "--null",
            "--name-only",
            "--get-regexp",
            r"^(filter|diff)\..*\.",
        ];
        let answer = match git.run(&asked) {
            Ok(text) => text,
            Err(GitFailure::NoGit) => return Err(no_git()),
            // No setting of that name.
            Err(GitFailure::Said(_)) => String::new(),
        };
        let drivers: BTreeSet<&str> = answer
            .split('\0')
            .filter_map(|name| name.rsplit_once('.'))
            .map(|(driver, _)| driver)
            .collect();
        for driver in drivers {
            if driver.contains(['=', '\n']) {
                bail!(
                    "the settings of this repository name a driver that cannot be switched off: {}",
                    driver.escape_debug()
                );
            }
            let keys: &[&str] = if driver.starts_with("filter.") {
                &["clean=", "smudge=", "process=", "required=false"]
            } else {
                &["command=", "textconv="]
            };
            git.off
                .extend(keys.iter().map(|key| format!("{driver}.{key}")));
        }
        Ok(git)
    }

    fn command(&self) -> Command {
        let mut command = Command::new("git");
        command
            .current_dir(&self.directory)
            .args(["--no-pager", "--no-optional-locks"]);
        for setting in &self.off {
            command.args(["-c", setting]);
        }
        command
            .env("LC_ALL", "C")
            // What is missing stays missing: nothing is fetched, whatever the version of git.
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env_remove("GIT_EXTERNAL_DIFF");
        command
    }

    /// What git prints.
    pub(super) fn run(&self, arguments: &[&str]) -> Result<String, GitFailure> {
        let output = self
            .command()
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .map_err(|_| GitFailure::NoGit)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() {
            Ok(text(&output.stdout))
        } else {
            Err(GitFailure::Said(text(&output.stderr)))
        }
    }

    /// What git prints; its words where it fails.
    pub(super) fn said(&self, arguments: &[&str]) -> anyhow::Result<String> {
        self.run(arguments).map_err(|failure| match failure {
            GitFailure::NoGit => no_git(),
            GitFailure::Said(said) => anyhow!(
                "git {}: {}",
                arguments.first().copied().unwrap_or_default(),
                said.trim()
            ),
        })
    }

    /// The bytes of objects, in the order asked for; `Err` names the first that cannot be read, with git's words.
    pub(super) fn objects(&self, names: &[&str]) -> Result<Vec<Vec<u8>>, Unread> {
        let gone = |object: &str| Unread::Object {
            object: object.to_owned(),
            said: String::new(),
        };
        let mut child = self
            .command()
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|_| Unread::NoGit)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(mut input), Some(output), Some(mut errors)) = pipes else {
            return Err(Unread::NoGit);
        };
        let asked = names
            .iter()
            .fold(String::new(), |all, name| all + name + "\n");
        let writer = std::thread::spawn(move || input.write_all(asked.as_bytes()));
        let words = std::thread::spawn(move || {
            let mut words = String::new();
            // Words that are no text are no help.
            let _ = errors.read_to_string(&mut words);
            words
        });
        let mut output = BufReader::new(output);
        let mut out = Vec::with_capacity(names.len());
        let mut failed = None;
        for name in names {
            let Some(bytes) = next(&mut output) else {
                failed = Some(gone(name));
                break;
            };
            out.push(bytes);
        }
        drop(output);
        if failed.is_some() {
            let _ = child.kill();
        }
        let _ = child.wait();
        let _ = writer.join();
        let words = words.join().unwrap_or_default();
        match failed {
            Some(Unread::Object { object, .. }) => Err(Unread::Object {
                object,
                said: words.trim().to_owned(),
            }),
            Some(other) => Err(other),
            None => Ok(out),
        }
    }
}

/// Why objects were not read.
#[derive(Debug)]
pub(super) enum Unread {
    /// There is no such program.
    NoGit,
    /// An object that is missing or damaged.
    Object {
        /// Which.
        object: String,
        /// What git says of it; empty where it only says that the object is missing.
        said: String,
    },
}

/// The next blob of `cat-file --batch`.
fn next(output: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut header = String::new();
    output.read_line(&mut header).ok()?;
    let mut fields = header.split_ascii_whitespace().skip(1);
    let (Some("blob"), Some(size)) = (fields.next(), fields.next()) else {
        return None;
    };
    let mut bytes = vec![0; size.parse().ok()?];
    output.read_exact(&mut bytes).ok()?;
    let mut end = [0];
    output.read_exact(&mut end).ok()?;
    Some(bytes)
}

/// There is no git.
pub(super) fn no_git() -> anyhow::Error {
    anyhow!(
        "there is no `git` program on PATH: install git, or compare with a directory (`--base-dir`)"
    )
}
