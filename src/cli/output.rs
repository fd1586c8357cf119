//! The one place that prints and the one place that writes files.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, Once, PoisonError};
use std::time::Instant;

use anyhow::Context;
use clap::ColorChoice;
use driftless::rule::Severity;
use driftless::shown::{self, Shown};

use crate::args::Global;

/// How a run ended; the number is the exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// No findings.
    Clean = 0,
    /// Findings or differences.
    Findings = 1,
    /// The command could not do its work.
    CouldNot = 2,
}

/// How much to say on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Talk {
    Errors,
    Notes,
    Details,
}

/// The streams of a run: data on standard output, everything else on standard error.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Shell {
    out: io::BufWriter<io::Stdout>,
    reader_gone: bool,
    talk: Talk,
    /// Whether the last message was said.
    said: bool,
    color_out: bool,
    color_err: bool,
}

/// Whether the terminal says that it understands no control sequence.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

impl Shell {
    /// The streams as the global options want them.
    pub(crate) fn new(global: &Global) -> Self {
        let color = |terminal: bool| match global.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                terminal
                    && !is_dumb()
                    && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            }
        };
        Self {
            out: io::BufWriter::new(io::stdout()),
            reader_gone: false,
            talk: match (global.quiet, global.verbose) {
                (true, _) => Talk::Errors,
                (false, 0) => Talk::Notes,
                _ => Talk::Details,
            },
            said: false,
            color_out: color(io::stdout().is_terminal()),
            color_err: color(io::stderr().is_terminal()),
        }
    }

    /// Whether data may be colored.
    pub(crate) const fn colors(&self) -> bool {
        self.color_out
    }

    /// Columns of the terminal that data goes to; `None` where it goes elsewhere.
    pub(crate) fn width(&self) -> Option<usize> {
        let (columns, _) = terminal_size::terminal_size_of(self.out.get_ref())?;
        Some(usize::from(columns.0).clamp(60, 120))
    }

    /// A unified diff in the colors of a terminal, where data goes to one.
    pub(crate) fn painted_diff(&self, text: &str) -> String {
        if !self.color_out {
            return text.to_owned();
        }
        let paint = |line: &str| {
            let color = match line.as_bytes().first() {
                Some(b'+') => "32",
                Some(b'-') => "31",
                Some(b'@') => "36",
                _ => return line.to_owned(),
            };
            let bare = line.trim_end_matches('\n');
            let end = &line[bare.len()..];
            format!("\u{1b}[{color}m{bare}\u{1b}[0m{end}")
        };
        text.split_inclusive('\n').map(paint).collect()
    }

    /// Writes data. When the reader has closed its end the rest is dropped quietly: the run's verdict does not change.
    pub(crate) fn data(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        if self.reader_gone {
            return Ok(());
        }
        let written = self.out.write_all(bytes);
        self.written(written)
    }

    fn written(&mut self, result: io::Result<()>) -> anyhow::Result<()> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.reader_gone = true;
                Ok(())
            }
            other => other.context("cannot write to standard output"),
        }
    }

    /// Flushes and gives the exit status its final value: data that could not be written is a failure.
    pub(crate) fn finish(&mut self, outcome: Outcome) -> Outcome {
        if self.reader_gone {
            return outcome;
        }
        let flushed = self.out.flush();
        match self.written(flushed) {
            Ok(()) => outcome,
            Err(error) => {
                self.failure(&error);
                Outcome::CouldNot
            }
        }
    }

    /// Says why the job could not be done, with every cause.
    pub(crate) fn failure(&mut self, error: &anyhow::Error) {
        self.error(error);
        for cause in error.chain().skip(1) {
            self.say(&format!("  caused by: {}", Shown(cause)));
        }
    }

    /// Says what is wrong.
    pub(crate) fn error(&mut self, message: impl Display) {
        self.titled(Talk::Errors, "error", "\u{1b}[1;31m", &message);
    }

    /// Says what to do about what was just said, if it was.
    pub(crate) fn help(&mut self, help: Option<impl Display>) {
        if let Some(help) = help.filter(|_| self.said) {
            self.say(&format!("  help: {}", Shown(help)));
        }
    }

    /// Says what may be wrong, unless `--quiet`.
    pub(crate) fn warning(&mut self, message: impl Display) {
        self.titled(Talk::Notes, "warning", "\u{1b}[1;33m", &message);
    }

    /// Says what is good to know, unless `--quiet`.
    pub(crate) fn note(&mut self, message: impl Display) {
        self.titled(Talk::Notes, "note", "\u{1b}[1;36m", &message);
    }

    /// Says a message with its weight.
    pub(crate) fn remark(&mut self, severity: Severity, message: impl Display) {
        match severity {
            Severity::Error => self.error(message),
            Severity::Warning => self.warning(message),
            Severity::Note => self.note(message),
        }
    }

    /// Says a table, unless `--quiet`: the first row names the columns.
    pub(crate) fn table<const N: usize>(&mut self, rows: &[[String; N]]) {
        if self.talk < Talk::Notes {
            return;
        }
        let rows: Vec<[String; N]> = rows
            .iter()
            .map(|row| row.each_ref().map(|cell| shown::line(cell)))
            .collect();
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or(0)
        };
        let widths: [usize; N] = std::array::from_fn(width);
        for row in &rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(widths) {
                line.push_str(cell);
                line.extend(std::iter::repeat_n(' ', width + 2 - cell.chars().count()));
            }
            self.say(line.trim_end());
        }
    }

    /// Whether `--verbose` was given.
    pub(crate) fn is_verbose(&self) -> bool {
        self.talk >= Talk::Details
    }

    /// Says what only `--verbose` asks for.
    pub(crate) fn detail(&mut self, message: impl Display) {
        self.titled(Talk::Details, "note", "\u{1b}[1;36m", &message);
    }

    fn titled(&mut self, from: Talk, title: &str, color: &str, message: &dyn Display) {
        self.said = self.talk >= from;
        if !self.said {
            return;
        }
        let message = Shown(message);
        if self.color_err {
            self.say(&format!("{color}{title}:\u{1b}[0m {message}"));
        } else {
            self.say(&format!("{title}: {message}"));
        }
    }

    /// Nothing is left to do when standard error is gone.
    #[allow(clippy::unused_self, reason = "printing goes through the shell")]
    fn say(&self, line: &str) {
        let _ = writeln!(io::stderr(), "{}", shown::page(line.to_owned()));
    }
}

/// Prints what clap has to say: help, or what is wrong with the arguments, which may come from a pull request.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let printed = if error.use_stderr() && !io::stderr().is_terminal() {
        let text = shown::lines(&error.render().to_string());
        io::stderr().write_all(text.as_bytes())
    } else {
        error.print()
    };
    // A reader who has seen enough of the help is no failure.
    drop(printed);
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// A bar on standard error that shows up when work takes over a second on a terminal.
pub(crate) struct Progress {
    bar: indicatif::ProgressBar,
    start: Instant,
    shown: Once,
}

impl Progress {
    /// A bar for that many files, each of which is read and then parsed.
    pub(crate) fn new(shell: &Shell, files: usize) -> Self {
        let bar = indicatif::ProgressBar::with_draw_target(
            Some(files as u64 * 2),
            indicatif::ProgressDrawTarget::hidden(),
        )
        .with_prefix("reading");
        if let Ok(style) = indicatif::ProgressStyle::with_template("{prefix} {wide_bar} {percent}%")
        {
            bar.set_style(style);
        }
        let shown = Once::new();
        if shell.talk < Talk::Notes || !io::stderr().is_terminal() || is_dumb() {
            shown.call_once(|| ());
        }
        Self {
            bar,
            start: Instant::now(),
            shown,
        }
    }

    /// One more file was read or parsed.
    pub(crate) fn step(&self) {
        self.bar.inc(1);
        if self.start.elapsed().as_secs() >= 1 {
            self.shown.call_once(|| {
                self.bar
                    .set_draw_target(indicatif::ProgressDrawTarget::stderr());
            });
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Writes a whole file: whoever reads it sees the old bytes or the new ones, never a part. A symlink stays one and its
/// target is replaced, or made where there is none; mode and owner stay. What is read-only is refused. What is no file, such as a pipe, is written to.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    replace(path, bytes).with_context(|| format!("cannot write `{}`", path.display()))
}

/// Takes a file away.
pub(crate) fn remove_file(path: &Path) -> anyhow::Result<()> {
    fs::remove_file(path).with_context(|| format!("cannot remove `{}`", path.display()))
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Opened anew, it would be written from its start, over what stands there.
    if path == Path::new("/dev/stdout") {
        let mut out = io::stdout();
        return out.write_all(bytes).and_then(|()| out.flush());
    }
    let is_file = match fs::metadata(path) {
        Ok(metadata) => metadata.is_file(),
        Err(_) => !path.is_symlink(),
    };
    if !is_file {
        let mut open = fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)?;
        return open.write_all(bytes);
    }
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let directory = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let old = fs::metadata(&target).ok();
    if old.as_ref().is_some_and(|old| old.permissions().readonly()) {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "it is read-only: make it writable (chmod u+w), or leave it out (--exclude)",
        ));
    }
    remove_stale(directory);
    loop {
        match put_beside(directory, &target, old.as_ref(), bytes) {
            // Another run took the temporary file for one that was left behind, before it was locked.
            Err(error) if error.kind() == io::ErrorKind::NotFound && directory.is_dir() => {}
            other => return other,
        }
    }
}

/// What the names of temporary files begin with.
const TEMPORARY: &str = ".driftless-";

/// Writes a temporary file and gives it the target's name. It is locked as long as it is written.
fn put_beside(
    directory: &Path,
    target: &Path,
    old: Option<&fs::Metadata>,
    bytes: &[u8],
) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(directory)?;
    // Some file systems have no locks.
    let _ = file.as_file().lock();
    if let Some(old) = old {
        #[cfg(unix)]
        keep_owner(file.as_file(), old)?;
        file.as_file().set_permissions(old.permissions())?;
    }
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(target)?;
    Ok(())
}

/// Gives the file the owner and group of the old one, where that is allowed.
#[cfg(unix)]
fn keep_owner(file: &fs::File, old: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        let both = fchown(file, Some(old.uid()), Some(old.gid()));
        let _ = both.or_else(|_| fchown(file, None, Some(old.gid())));
    }
    Ok(())
}

/// Removes what runs that were killed left in a directory, once a run. What a run still writes is locked.
fn remove_stale(directory: &Path) {
    static SEEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if !seen.insert(directory.to_path_buf()) {
        return;
    }
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(TEMPORARY))
    {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let file = fs::File::open(entry.path()).ok().filter(|_| is_file);
        if file.is_some_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
