//! Writing one file an object.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use driftless::catalog::path;
use driftless::emit::file_name;
use driftless::resource::Resource;

use super::Rendered;
use crate::input::discover::reported;
use crate::output::write_file;

/// The pattern that keeps the directory's own files from being read.
pub(super) fn exclusion(directory: &Path) -> Option<String> {
    let name = reported(directory);
    let inside = !name.is_empty() && !name.starts_with('/') && !name.starts_with("..");
    inside.then(|| {
        let mut pattern = String::from("/");
        for c in name.chars() {
            if matches!(
                c,
                '*' | '?' | '[' | ']' | '!' | '#' | '\\' | '{' | '}' | ' '
            ) {
                pattern.push('\\');
            }
            pattern.push(c);
        }
        pattern
    })
}

/// Writes every resource; files that are there already and hold something else are replaced, others stay.
pub(super) fn write(directory: &Path, rendered: &[Rendered<'_>]) -> anyhow::Result<()> {
    make(directory)?;
    for (name, at) in names(rendered) {
        let file = directory.join(&name);
        if let Some(parent) = file.parent().filter(|parent| *parent != directory) {
            make(parent)?;
        }
        if fs::symlink_metadata(&file).is_ok_and(|metadata| metadata.is_symlink()) {
            bail!(
                "`{}` is a symbolic link, and --output-dir does not write through links; remove it",
                file.display()
            );
        }
        let text = rendered[at].text();
        let same = fs::read(&file).is_ok_and(|old| old == text.as_bytes());
        if !same {
            write_file(&file, text.as_bytes())?;
        }
    }
    Ok(())
}

fn make(directory: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(directory)
        .with_context(|| format!("cannot create the directory `{}`", directory.display()))
}

/// The file of each resource, by name. Several of one identity lie in a directory each, named after the one they come
/// from; where one directory has several, they are numbered.
fn names(rendered: &[Rendered<'_>]) -> BTreeMap<String, usize> {
    let mut wanted: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, one) in rendered.iter().enumerate() {
        let name = file_name::file_name(&one.placed.resource.id, generated(one.placed.resource));
        wanted.entry(name).or_default().push(at);
    }
    let mut names = BTreeMap::new();
    for (name, claims) in wanted {
        let from = |at: usize| rendered[at].source.as_deref().and_then(path::parent);
        let several = claims.iter().any(|at| from(*at) != from(claims[0]));
        let directories: Vec<String> = claims.iter().filter_map(|at| from(*at)).collect();
        let shared = shared_steps(&directories);
        for at in claims {
            let held = match from(at).filter(|_| several) {
                Some(directory) => {
                    let own: Vec<&str> = directory.split('/').skip(shared).collect();
                    format!("{}/{name}", file_name::step(&own.join("/")))
                }
                None => name.clone(),
            };
            let mut free = held.clone();
            let mut number = 1;
            while names.contains_key(&free) {
                number += 1;
                free = format!("{}-{number}.yaml", held.trim_end_matches(".yaml"));
            }
            names.insert(free, at);
        }
    }
    names
}

/// How many leading steps all directories share: those say where the command ran, and would make names unstable.
fn shared_steps(directories: &[String]) -> usize {
    let Some((first, rest)) = directories.split_first() else {
        return 0;
    };
    first
        .split('/')
        .enumerate()
        .take_while(|(at, step)| {
            rest.iter()
                .all(|other| other.split('/').nth(*at) == Some(step))
        })
        .count()
}

/// What stands for the name of a resource that only has `generateName`.
fn generated(resource: &Resource) -> &str {
    resource.node.str_at("metadata.generateName")
}
