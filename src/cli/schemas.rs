//! The schemas that the settings name.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use driftless::catalog::path;
use driftless::config::Config;
use driftless::schema::kinds::Kinds;
use driftless::source::FileId;
use driftless::yaml;

use crate::input::discover::{is_manifest, on_disk};

/// Reads every file that `schemas:` names, and those of every directory that it names.
pub(crate) fn read(config: &Config) -> anyhow::Result<Kinds> {
    let mut kinds = Kinds::default();
    for named in &config.schemas {
        let place = on_disk(&path::join(&config.directory, named));
        for file in files(&place)? {
            let name = file.display();
            let bytes =
                fs::read(&file).with_context(|| format!("cannot read the schema `{name}`"))?;
            for document in yaml::parse(FileId(0), &bytes).documents {
                let document = document.map_err(|error| anyhow!("the schema `{name}`: {error}"))?;
                if !document.root.is_null() {
                    kinds
                        .add(&document.root)
                        .with_context(|| format!("cannot use the schema `{name}`"))?;
                }
            }
        }
    }
    Ok(kinds)
}

fn files(place: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !place.is_dir() {
        return Ok(vec![place.to_owned()]);
    }
    let reading = || format!("cannot read the schemas in `{}`", place.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(place).with_context(reading)? {
        let file = entry.with_context(reading)?.path();
        if file.is_file() && is_manifest(&file) {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}
