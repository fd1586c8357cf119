//! Second and third readers of what `render --output-dir` writes: kustomize and kpt hand back the same values.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use driftless::source::FileId;
use driftless::yaml;
use serde_json::Value as Json;

use crate::repositories::{copy, repositories};
use crate::support::{Workspace, scrubbed};

/// Resources by kind, namespace and name.
type Resources = BTreeMap<String, Json>;

#[test]
fn kustomize_reads_the_same_values() {
    let reader = |directory: &Path| {
        let names: Vec<_> = files(directory)
            .iter()
            .map(|name| format!("- {name}\n"))
            .collect();
        let text = format!("resources:\n{}", names.concat());
        fs::write(directory.join("kustomization.yaml"), text).unwrap();
        let mut command = scrubbed("kubectl".as_ref());
        command.args(["kustomize", "."]).current_dir(directory);
        command
    };
    read_back("kubectl", reader, |documents| documents);
}

#[test]
fn kpt_reads_the_same_values() {
    let reader = |directory: &Path| {
        let mut command = scrubbed("kpt".as_ref());
        command
            .args(["fn", "source", "."])
            .current_dir(directory)
            .env("HOME", directory);
        command
    };
    read_back("kpt", reader, |documents| {
        let items = documents
            .into_iter()
            .flat_map(|list| list["items"].as_array().cloned().unwrap_or_default());
        items.map(without_places).collect()
    });
}

/// Renders every repository into files, lets the program read each directory, and compares the values.
fn read_back(
    program: &str,
    reader: impl Fn(&Path) -> Command,
    items: impl Fn(Vec<Json>) -> Vec<Json>,
) {
    let found = scrubbed(program.as_ref())
        .arg("version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if found.is_err() {
        assert!(std::env::var_os("CI").is_none(), "{program} is part of CI");
        println!("skipped: {program} is not installed");
        return;
    }
    for repository in repositories() {
        let workspace = copy(&repository, false);
        workspace.run(&["render", "--output-dir", "out"]).exits(0);
        for directory in directories(&workspace) {
            let ours = ours(&directory);
            let output = reader(&directory).stdin(Stdio::null()).output().unwrap();
            let place = format!("{program}, {}", repository.display());
            assert!(
                output.status.success(),
                "{place}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            let theirs = by_name(items(documents(&output.stdout)));
            assert_eq!(ours, theirs, "{place}");
        }
    }
}

/// The output directory where it holds files itself, and each directory inside it: two resources of one identity never
/// share one.
fn directories(workspace: &Workspace) -> Vec<std::path::PathBuf> {
    let out = workspace.path("out");
    let inside: Vec<_> = fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    let mut all: Vec<_> = inside
        .iter()
        .map(|path| {
            let moved = workspace
                .path(path.file_name().unwrap().to_str().unwrap())
                .with_extension("moved");
            fs::rename(path, &moved).unwrap();
            moved
        })
        .collect();
    all.push(out);
    all
}

fn files(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "kustomization.yaml")
        .collect();
    names.sort();
    names
}

fn ours(directory: &Path) -> Resources {
    let texts = files(directory)
        .into_iter()
        .map(|name| fs::read(directory.join(name)).unwrap());
    by_name(texts.flat_map(|text| documents(&text)).collect())
}

fn documents(text: &[u8]) -> Vec<Json> {
    let stream = yaml::parse(FileId(0), text);
    stream
        .documents
        .into_iter()
        .map(|document| document.unwrap().root.to_json())
        .collect()
}

fn by_name(resources: Vec<Json>) -> Resources {
    let name = |of: &Json| {
        let metadata = &of["metadata"];
        format!(
            "{} {} {}",
            of["kind"], metadata["namespace"], metadata["name"]
        )
    };
    resources
        .into_iter()
        .map(|resource| (name(&resource), resource))
        .collect()
}

/// A resource without the annotations that say which file it came from.
fn without_places(mut resource: Json) -> Json {
    let metadata = resource["metadata"].as_object_mut().unwrap();
    if let Some(annotations) = metadata
        .get_mut("annotations")
        .and_then(Json::as_object_mut)
    {
        annotations.retain(|key, _| !key.contains("config.kubernetes.io/"));
        if annotations.is_empty() {
            metadata.remove("annotations");
        }
    }
    resource
}
