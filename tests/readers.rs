//! Other readers of our YAML: `kubectl kustomize` and `kpt fn source` read what `render --output-dir` writes for every
//! fixture repository and hand back the same values; `serde_yaml` reads everything any command prints.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests are a shell too"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use driftless::catalog::bundle;
use driftless::emit;
use driftless::source::FileId;
use driftless::yaml::{self, Node};
use serde::Deserialize;
use serde_json::Value as Json;

#[test]
fn kustomize_hands_back_what_render_wrote() {
    if missing("kubectl") {
        return;
    }
    each_directory(|directory, written| {
        let names: Vec<String> = files(directory)
            .iter()
            .map(|file| file.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        let list = names.iter().fold("resources:\n".to_owned(), |list, name| {
            list + "- " + name + "\n"
        });
        std::fs::write(directory.join("kustomization.yaml"), list).unwrap();
        let read = output(Command::new("kubectl").arg("kustomize").arg(directory));
        std::fs::remove_file(directory.join("kustomization.yaml")).unwrap();
        same(
            "kubectl kustomize",
            directory,
            written,
            &by_identity(documents(&read)),
        );
    });
}

#[test]
fn kpt_hands_back_what_render_wrote() {
    if missing("kpt") {
        return;
    }
    each_directory(|directory, written| {
        let read = output(
            Command::new("kpt")
                .args(["fn", "source", "."])
                .current_dir(directory),
        );
        let list = documents(&read).remove(0);
        let mut items: Vec<Node> = list.items_at("items").to_vec();
        for item in &mut items {
            let Some(map) = item.path_mut("metadata").and_then(Node::as_map_mut) else {
                continue;
            };
            if let Some(annotations) = map.get_mut("annotations").and_then(Node::as_map_mut) {
                annotations.retain(|entry| !entry.key.contains("config.kubernetes.io/"));
                if annotations.is_empty() {
                    map.remove("annotations");
                }
            }
        }
        // Directories below are read too; they are compared on their own.
        let read: BTreeMap<_, _> = by_identity(items)
            .into_iter()
            .filter(|(identity, _)| written.contains_key(identity))
            .collect();
        same("kpt fn source", directory, written, &read);
    });
}

#[test]
fn serde_yaml_reads_what_every_command_prints() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut inputs = directories(&fixtures.join("repos"));
    inputs.extend(directories(&fixtures.join("upgrade")));
    inputs.extend(directories(&fixtures.join("expand")));
    let commands: [&[&str]; 7] = [
        &["expand"],
        &["expand", "--admitted"],
        &["render"],
        &["render", "--policy", "expandAll"],
        &["render", "--admitted"],
        &["upgrade"],
        &["upgrade", "--bug-compatible", "--prune"],
    ];
    let mut read = 0;
    for input in &inputs {
        for command in commands {
            let output = Command::new(env!("CARGO_BIN_EXE_driftless"))
                .args(command)
                .arg(input)
                .output()
                .unwrap();
            read += read_alike(&output.stdout, &format!("{command:?} {}", input.display()));
        }
    }
    assert!(read > 300, "{read} documents in all");
}

#[test]
fn serde_yaml_reads_the_catalog_of_every_release() {
    for release in bundle::releases().iter().map(|shipped| shipped.kubevirt) {
        let nodes: Vec<_> = bundle::list(release)
            .map(|resource| &resource.node)
            .collect();
        let text = emit::emit_all(emit::Syntax::Yaml, nodes.iter().copied());
        assert_eq!(read_alike(text.as_bytes(), release.as_str()), nodes.len());
        assert!(nodes.len() > 50, "{release}: {}", nodes.len());
    }
}

/// Asserts that `serde_yaml` reads the documents as we do; gives their number.
fn read_alike(text: &[u8], what: &str) -> usize {
    let ours: Vec<Json> = documents(text).iter().map(Node::to_json).collect();
    let theirs: Vec<Json> = serde_yaml::Deserializer::from_slice(text)
        .map(|document| {
            Json::deserialize(document).unwrap_or_else(|error| panic!("{what}: {error}"))
        })
        .filter(|document| !document.is_null())
        .collect();
    assert_eq!(ours, theirs, "{what}");
    ours.len()
}

/// Whether a program is absent; on CI that is a failure, unless the script that prepared the machine says it cannot be had.
fn missing(program: &str) -> bool {
    if Command::new(program).arg("--help").output().is_ok() {
        return false;
    }
    let excused = std::env::var("DRIFTLESS_WITHOUT").unwrap_or_default();
    assert!(
        std::env::var_os("CI").is_none() || excused.split(' ').any(|name| name == program),
        "{program} is not on PATH"
    );
    println!("skipped: {program} is not on PATH");
    true
}

fn each_directory(check: impl Fn(&Path, &BTreeMap<String, Node>)) {
    let repositories = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/repos");
    let mut seen = 0;
    for repository in directories(&repositories) {
        let out = tempfile::tempdir().unwrap();
        let status = Command::new(env!("CARGO_BIN_EXE_driftless"))
            .args(["render", "--output-dir"])
            .arg(out.path())
            .arg(&repository)
            .output()
            .unwrap();
        assert!(
            status.status.success(),
            "{}: {}",
            repository.display(),
            String::from_utf8_lossy(&status.stderr)
        );
        let mut pending = vec![out.path().to_owned()];
        while let Some(directory) = pending.pop() {
            pending.extend(directories(&directory));
            let written = files(&directory)
                .iter()
                .flat_map(|file| documents(&std::fs::read(file).unwrap()))
                .collect();
            let written = by_identity(written);
            if !written.is_empty() {
                seen += written.len();
                check(&directory, &written);
            }
        }
    }
    assert!(seen > 20, "render wrote {seen} resources in all");
}

fn same(
    reader: &str,
    directory: &Path,
    written: &BTreeMap<String, Node>,
    read: &BTreeMap<String, Node>,
) {
    assert_eq!(
        written.keys().collect::<Vec<_>>(),
        read.keys().collect::<Vec<_>>(),
        "{reader}: {}",
        directory.display()
    );
    for (identity, node) in written {
        let other = &read[identity];
        assert!(
            node.same_value(other),
            "{reader} reads {identity} otherwise:\n{}\n---\n{}",
            yaml::emit::to_string(node),
            yaml::emit::to_string(other)
        );
    }
}

fn by_identity(nodes: Vec<Node>) -> BTreeMap<String, Node> {
    nodes
        .into_iter()
        .map(|node| {
            let identity = format!(
                "{} {} {}/{}",
                node.str_at("apiVersion"),
                node.str_at("kind"),
                node.str_at("metadata.namespace"),
                node.str_at("metadata.name")
            );
            (identity, node)
        })
        .collect()
}

fn documents(bytes: &[u8]) -> Vec<Node> {
    yaml::parse(FileId(0), bytes)
        .documents
        .into_iter()
        .map(|document| document.expect("valid YAML").root)
        .collect()
}

fn output(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

fn files(directory: &Path) -> Vec<PathBuf> {
    entries(directory)
        .into_iter()
        .filter(|path| path.is_file())
        .collect()
}

fn directories(directory: &Path) -> Vec<PathBuf> {
    entries(directory)
        .into_iter()
        .filter(|path| path.is_dir())
        .collect()
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
}
