//! `init`: a first `driftless.yaml`, from what the tree shows, and what to run next.

mod seen;
mod text;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::bail;
use driftless::catalog::path;
use driftless::catalog::side::SkipReason;

use self::seen::Seen;
use crate::args::Global;
use crate::input::discover::{on_disk, reported, shown};
use crate::input::git::Repository;
use crate::input::read::Wants;
use crate::input::read_from::ReadFrom;
use crate::output::{self, Outcome, Shell};
use crate::session::{Request, SETTINGS_NAMES, Session};

/// Write a first driftless.yaml from what the tree shows
///
/// Reads the manifests of the directory and writes a commented settings file: the KubeVirt release and configuration found,
/// the clusters it holds manifests for, the directories that are applied each on its own. `--kubevirt`, `--cluster-config`,
/// `--namespace`, `--exclude` and `--context` are written down. Then says what to run next. Exit status: 0, or 2 where there
/// is such a file already, or where the directory cannot be read.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The directory to read, and to write the file to [default: .]
    directory: Option<PathBuf>,

    /// Write over a settings file that is there already
    #[arg(long)]
    force: bool,

    /// Print the file, and write nothing
    #[arg(long, visible_alias = "dry-run", conflicts_with = "force")]
    stdout: bool,
}

/// Writes or prints the settings.
pub(crate) fn run(args: &Args, global: &Global, shell: &mut Shell) -> anyhow::Result<Outcome> {
    if global.config.is_some() {
        bail!("`--config` names settings to read, and `init` writes them: give it a directory");
    }
    let directory = args.directory.clone().unwrap_or_else(|| PathBuf::from("."));
    if !directory.is_dir() {
        bail!(
            "`{}` is not a directory",
            reported(&directory).escape_debug()
        );
    }
    let place = reported(&directory);
    let file = match existing(&place) {
        Some(file) if !args.force && !args.stdout => {
            shell.error(format!("`{}` is there already", shown(&file)));
            shell.help(Some(
                "`--stdout` prints what would be written, `--force` writes over it",
            ));
            return Ok(Outcome::CouldNot);
        }
        Some(file) => file,
        None => path::join(&place, SETTINGS_NAMES[0]),
    };
    let paths = [directory];
    let request = Request {
        settings: false,
        ..Request::new(global, &paths).wanting(Wants::Delivered)
    };
    let session = Session::open(&request, &ReadFrom::Disk, shell)?;
    let repository = Repository::of(&paths).ok();
    let seen = Seen::of(&session, &place, repository.as_ref());
    let text = text::settings(&seen, global, &place);
    if args.stdout {
        shell.data(text.as_bytes())?;
        return Ok(session.outcome());
    }
    output::write_file(&on_disk(&file), text.as_bytes())?;
    shell.note(format!("wrote `{file}`: {}", found(&seen)));
    let next = next(&seen, &place, repository.as_ref());
    shell.data(next.as_bytes())?;
    Ok(session.outcome())
}

/// The settings file of a directory.
fn existing(directory: &str) -> Option<String> {
    let names = SETTINGS_NAMES.iter();
    let mut places = names.map(|name| path::join(directory, name));
    places.find(|place| Path::new(place).symlink_metadata().is_ok())
}

/// What was found, in words.
fn found(seen: &Seen) -> String {
    let mut parts = vec![SkipReason::counted("virtual machines", seen.machines)];
    if !seen.targets.is_empty() && !seen.targets_are_guessed {
        parts.push(SkipReason::counted("clusters", seen.targets.len()));
    }
    if !seen.configurations.is_empty() {
        let count = seen.configurations.len();
        parts.push(SkipReason::counted("KubeVirt configurations", count));
    }
    parts.join(", ")
}

/// Three commands to run next.
fn next(seen: &Seen, place: &str, repository: Option<&Repository>) -> String {
    let program = crate::commands::called();
    let here = if place.is_empty() {
        String::new()
    } else {
        format!(" {}", quoted(place))
    };
    let check = format!("{program} check{here}");
    let plan = match repository {
        Some(repository) => format!("{program} plan --base {}{here}", base(repository)),
        None => format!("{program} plan --base-dir OLD {}", quoted(shown(place))),
    };
    let what = match repository {
        Some(_) => "what did the change do to every virtual machine?",
        None => "OLD is another copy: what would the change do to every virtual machine?",
    };
    let (third, why) = match &seen.first_machine {
        Some(file) => (
            format!("{program} expand {}", quoted(file)),
            "what does KubeVirt run?",
        ),
        None => (
            format!("{program} catalog"),
            "which instance types does KubeVirt ship?",
        ),
    };
    let rows = [
        (check, "would KubeVirt accept what is here?"),
        (plan, what),
        (third, why),
    ];
    let width = rows.iter().map(|(command, _)| command.chars().count());
    let width = width.max().unwrap_or_default();
    let mut out = "Next:\n".to_owned();
    for (command, why) in &rows {
        let _ = writeln!(out, "  {command:width$}  # {why}");
    }
    out
}

/// A revision to compare with that shows something.
fn base(repository: &Repository) -> &'static str {
    let head = repository.commit("HEAD").ok();
    let differs = |name: &str| {
        let commit = repository.commit(name).ok();
        commit.is_some() && commit != head
    };
    ["main", "master", "HEAD~1"]
        .into_iter()
        .find(|name| differs(name))
        .unwrap_or("HEAD")
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./@+,:%".contains(c);
    if !word.is_empty() && !word.starts_with('-') && word.chars().all(is_plain) {
        return word.to_owned();
    }
    let word = if word.starts_with('-') {
        format!("./{word}")
    } else {
        word.to_owned()
    };
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_where_a_shell_would_read_more_into_them() {
        for (word, shell) in [
            ("vms/web.yaml", "vms/web.yaml"),
            ("größe.yaml", "größe.yaml"),
            ("a b.yaml", "'a b.yaml'"),
            ("it's.yaml", r"'it'\''s.yaml'"),
            ("$(x).yaml", "'$(x).yaml'"),
            ("-rf.yaml", "'./-rf.yaml'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), shell);
        }
    }
}
