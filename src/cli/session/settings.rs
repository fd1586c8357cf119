//! `driftless.yaml`: finding it and reading it.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use driftless::catalog::path;
use driftless::config::Config;
use driftless::rules;
use driftless::source::{FileId, SourceFile, Sources, Span};
use driftless::yaml;

use crate::args::Global;
use crate::input::discover::{on_disk, reported, upward};
use crate::input::stdin;

/// File names looked for, in this order.
const NAMES: [&str; 2] = ["driftless.yaml", "driftless.yml"];

/// The settings and the directory their paths are relative to.
#[derive(Debug, Default)]
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

    /// The same, for the file system.
    pub(super) fn paths(&self, paths: &[String]) -> Vec<PathBuf> {
        self.joined(paths)
            .iter()
            .map(|path| on_disk(path))
            .collect()
    }
}

/// The settings that hold for the paths: those named by `--config`, else the nearest upward from the first path.
pub(super) fn find(
    global: &Global,
    paths: &[PathBuf],
    sources: &mut Sources,
) -> anyhow::Result<Settings> {
    let file = match &global.config {
        Some(file) => Some(file.clone()),
        None => nearest(paths),
    };
    match file {
        Some(file) => read(&file, sources),
        None => Ok(Settings::default()),
    }
}

fn nearest(paths: &[PathBuf]) -> Option<PathBuf> {
    let first = paths.iter().find(|path| !stdin::is_stdin(path));
    let start = first.map_or_else(String::new, |path| {
        let name = reported(path);
        if path.is_dir() {
            name
        } else {
            path::parent(&name).unwrap_or_default()
        }
    });
    upward(&start).iter().find_map(|directory| {
        NAMES
            .iter()
            .map(|name| on_disk(&path::join(directory, name)))
            .find(|file| file.is_file())
    })
}

fn read(file: &Path, sources: &mut Sources) -> anyhow::Result<Settings> {
    let name = reported(file);
    let bytes =
        std::fs::read(file).with_context(|| format!("cannot read the settings file `{name}`"))?;
    let id = sources.push(SourceFile::new(name.clone(), bytes));
    let directory = path::parent(&name).unwrap_or_default();
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
