//! `driftless.yaml`: finding it and reading it.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use driftless::catalog::path;
use driftless::config::Config;
use driftless::rules;
use driftless::source::{FileId, SourceFile, Sources, Span};
use driftless::yaml;

use crate::args::Global;
use crate::input::discover::{is_manifest, on_disk, reported, upward};
use crate::input::read_from::ReadFrom;
use crate::input::stdin;

/// File names looked for, in this order.
pub(crate) const NAMES: [&str; 2] = ["driftless.yaml", "driftless.yml"];

/// The settings and the directory their paths are relative to.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    /// The settings.
    pub(super) config: Config,
    /// Where they stand, as reported.
    pub(super) directory: String,
}

impl Settings {
    /// Paths of the configuration as the command line would give them.
    pub(super) fn joined(&self, paths: &[String]) -> Vec<String> {
        paths
            .iter()
            .map(|path| path::join(&self.directory, path))
            .collect()
    }
}

/// The settings that hold for the paths of a side: those named by `--config`, else the nearest upward from the first
/// path. A side without them has the defaults; a directory beside the head without them, those of the head.
pub(super) fn find(
    global: &Global,
    paths: &[PathBuf],
    from: &ReadFrom<'_>,
    head: Option<&Settings>,
    sources: &mut Sources,
) -> anyhow::Result<Settings> {
    let place = match &global.config {
        Some(file) => Some(reported(file)),
        None => nearest(paths, from),
    };
    let Some(place) = place else {
        return Ok(match (from, head) {
            (ReadFrom::Beside { .. }, Some(head)) => head.clone(),
            _ => Settings::default(),
        });
    };
    match from.bytes(&place) {
        Ok(Some(bytes)) => read(&place, from, bytes, sources),
        Ok(None) if head.is_some() && from.covers(&place) => Ok(Settings::default()),
        Ok(None) => bail!("cannot read the settings file `{place}`: there is no such file"),
        Err(error) => Err(error.context(format!("cannot read the settings file `{place}`"))),
    }
}

fn nearest(paths: &[PathBuf], from: &ReadFrom<'_>) -> Option<String> {
    let first = paths.iter().find(|path| !stdin::is_stdin(path));
    let start = first.map_or_else(String::new, |path| {
        let name = reported(path);
        if path.is_dir() || !is_manifest(path) {
            name
        } else {
            path::parent(&name).unwrap_or_default()
        }
    });
    // What only the other side has is not on disk: its directories are those below what is.
    let mut directories = Vec::new();
    let mut here = Some(start);
    while let Some(directory) = here.take() {
        if on_disk(&directory).is_dir() {
            directories.extend(upward(&directory));
        } else {
            here = path::parent(&directory);
            directories.push(directory);
        }
    }
    directories.iter().find_map(|directory| {
        NAMES
            .iter()
            .map(|name| path::join(directory, name))
            .find(|place| from.has_file(place))
    })
}

fn read(
    place: &str,
    from: &ReadFrom<'_>,
    bytes: Vec<u8>,
    sources: &mut Sources,
) -> anyhow::Result<Settings> {
    let file = SourceFile::new(from.reads(place), bytes).standing_at(place);
    let id = sources.push(file);
    let directory = path::parent(place).unwrap_or_default();
    let mut config = config(id, sources)?;
    config.working_directory = seen_from(&directory);
    config.directory.clone_from(&directory);
    Ok(Settings { config, directory })
}

fn config(id: FileId, sources: &Sources) -> anyhow::Result<Config> {
    let place = |span: Option<Span>| {
        span.map_or_else(
            || sources.file(id).path().to_owned(),
            |span| sources.describe(span),
        )
    };
    let stream = yaml::parse(id, sources.file(id).bytes());
    let mut root = None;
    for document in stream.documents {
        let document = document.map_err(|error| anyhow!("{}: {error}", place(Some(error.span))))?;
        if let Some(problem) = document.strict.first() {
            let place = place(Some(problem.second));
            return Err(anyhow!("{place}: `{}` is set twice", problem.key));
        }
        if !document.root.is_null() {
            root.get_or_insert(document.root);
        }
    }
    let Some(root) = root else {
        return Ok(Config::default());
    };
    let read = Config::read(&root).and_then(|config| {
        config.verify_rules(rules::ids())?;
        Ok(config)
    });
    read.map_err(|error| {
        let help = error.help.as_ref().map(|help| format!("; {help}"));
        anyhow!(
            "{}: {}{}",
            place(error.span),
            error.message,
            help.unwrap_or_default()
        )
    })
}

/// The working directory as seen from a directory.
fn seen_from(directory: &str) -> String {
    if directory.is_empty() {
        return String::new();
    }
    let canonical = |path: &Path| std::fs::canonicalize(path).unwrap_or_default();
    if !on_disk(directory).is_dir() && !directory.starts_with(['.', '/']) {
        // It is not on disk any more.
        return vec![".."; directory.split('/').count()].join("/");
    }
    let here = canonical(Path::new("."));
    let there = canonical(&on_disk(directory));
    if let Ok(inside) = here.strip_prefix(&there) {
        return reported(inside);
    }
    match there.strip_prefix(&here) {
        Ok(below) => vec![".."; below.components().count()].join("/"),
        Err(_) => here.to_string_lossy().into_owned(),
    }
}
