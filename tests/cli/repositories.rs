//! Every command over every repository of `fixtures/repos`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::Workspace;

fn repositories() -> Vec<PathBuf> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/repos");
    let mut found: Vec<_> = fs::read_dir(all)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    found.retain(|path| path.is_dir());
    found.sort();
    assert!(found.len() >= 6);
    found
}

/// A copy of a repository whose files are made in the order given, so that directories list them differently.
fn copy(repository: &Path, backward: bool) -> Workspace {
    let mut files: Vec<_> = files(repository)
        .into_iter()
        .map(|(inside, _)| repository.join(inside))
        .collect();
    if backward {
        files.reverse();
    }
    let workspace = Workspace::new();
    for file in files {
        let name = file.strip_prefix(repository).unwrap().to_str().unwrap();
        workspace.write(name, &fs::read(&file).unwrap());
    }
    workspace
}

const COMMANDS: [&[&str]; 6] = [
    &["expand"],
    &["expand", "--explain"],
    &["expand", "--admitted", "-o", "json"],
    &["render"],
    &["render", "--policy", "expandAll"],
    &["render", "--admitted", "-o", "json"],
];

#[test]
fn output_is_the_same_whatever_the_threads_and_the_order_of_files() {
    for repository in repositories() {
        let forward = copy(&repository, false);
        let backward = copy(&repository, true);
        for command in COMMANDS {
            let run = |workspace: &Workspace, jobs: &str| {
                let arguments: Vec<_> = command
                    .iter()
                    .copied()
                    .chain(["-v", "--jobs", jobs])
                    .collect();
                let run = workspace.run(&arguments).exits(0);
                (run.stdout, run.stderr)
            };
            let first = run(&forward, "1");
            assert!(!first.0.is_empty(), "{} {command:?}", repository.display());
            assert_eq!(
                first,
                run(&forward, "8"),
                "{} {command:?}",
                repository.display()
            );
            assert_eq!(
                first,
                run(&backward, "8"),
                "{} {command:?}",
                repository.display()
            );
        }
    }
}

#[test]
fn rendering_again_changes_nothing() {
    for repository in repositories() {
        let workspace = copy(&repository, false);
        for policy in ["reference", "expand", "expandAll"] {
            let once = workspace.run(&["render", "--policy", policy]).exits(0);
            let twice = workspace.pipe(&["render", "-"], &once.stdout).exits(0);
            assert_eq!(
                once.stdout,
                twice.stdout,
                "{} {policy}",
                repository.display()
            );
        }
        workspace.run(&["render", "--output-dir", "once"]).exits(0);
        workspace
            .run(&["render", "once", "--output-dir", "twice"])
            .exits(0);
        let listing = |name: &str| {
            let mut all: Vec<_> = files(&workspace.path(name));
            all.sort();
            all
        };
        assert_eq!(
            listing("once"),
            listing("twice"),
            "{}",
            repository.display()
        );
    }
}

/// Every file under a directory: its path inside, and its text.
fn files(directory: &Path) -> Vec<(PathBuf, String)> {
    walkdir::WalkDir::new(directory)
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.is_file())
        .map(|path| {
            let inside = path.strip_prefix(directory).unwrap().to_path_buf();
            (inside, fs::read_to_string(&path).unwrap())
        })
        .collect()
}

#[test]
fn empty_mappings_of_the_source_survive() {
    for repository in repositories() {
        let workspace = copy(&repository, false);
        let rendered = workspace.run(&["render"]).exits(0).stdout;
        for word in [
            "masquerade: {}",
            "rng: {}",
            "pod: {}",
            "bridge: {}",
            "tpm: {}",
            "acpi: {}",
            "cdrom: {}",
        ] {
            let written: bool = files(&repository).iter().any(|(path, text)| {
                path.components()
                    .all(|part| part.as_os_str() != "templates")
                    && text.contains(word)
            });
            assert!(
                !written || rendered.contains(word),
                "{}: {word}",
                repository.display()
            );
        }
    }
}

#[test]
fn no_repository_raises_a_false_duplicate() {
    for repository in repositories() {
        let run = copy(&repository, false).run(&["render"]).exits(0);
        assert!(!run.stderr.contains("differs"), "{}", run.stderr);
    }
    let said = |name: &str| {
        let repository = repositories()
            .into_iter()
            .find(|path| path.ends_with(name))
            .unwrap();
        copy(&repository, false).run(&["expand"]).exits(0).stderr
    };
    assert!(said("kustomize").contains("skipped 2 patches"));
    assert!(said("monorepo").contains("skipped 2 templates"));
}
