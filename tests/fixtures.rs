//! Cases as folders: `fixtures/expand/<case>/input.yaml` and what must come of it.
//!
//! A case is a folder; adding one needs no Rust. `case.yaml` may name the release (`kubevirt: "1.6"`) and say why the case is
//! there. `UPDATE=1` rewrites the expected files. An argument that is no flag runs only the cases whose path contains it.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests are a shell too"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use driftless::catalog::Catalog;
use driftless::config::Target;
use driftless::field_path::FieldPath;
use driftless::release::Release;
use driftless::resolve::Resolver;
use driftless::resource::Resource;
use driftless::resource::cluster::ClusterConfig;
use driftless::schema;
use driftless::source::{FileId, Sources};
use driftless::transform::expand::{ExpandError, expand};
use driftless::transform::explain::{Giver, explain};
use driftless::yaml::{emit, reader};

/// What a case must give: file names and their text.
type Outcome = Vec<(&'static str, String)>;

/// Makes the outcome of the case in a folder.
type Run = fn(&Path) -> Outcome;

/// The folders under `fixtures/` that hold cases, and what a case of each gives.
const KINDS: &[(&str, Run)] = &[("expand", expanded)];

fn main() -> ExitCode {
    let only: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let update = std::env::var_os("UPDATE").is_some();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let (mut passed, mut failed) = (0, 0);
    for (kind, run) in KINDS {
        for case in folders(&fixtures.join(kind)) {
            let name = format!("{kind}/{}", case.file_name().unwrap_or_default().display());
            if !only.is_empty() && !only.iter().any(|part| name.contains(part.as_str())) {
                continue;
            }
            let mut equal = true;
            for (file, actual) in run(&case) {
                let file = case.join(file);
                let expected = std::fs::read_to_string(&file).unwrap_or_default();
                if expected == actual {
                    continue;
                }
                if update {
                    std::fs::write(&file, actual).expect("the fixture is writable");
                } else {
                    equal = false;
                    println!("FAILED {name}: {}", file.display());
                    let diff = similar::TextDiff::from_lines(&expected, &actual);
                    println!("{}", diff.unified_diff().header("expected", "actual"));
                }
            }
            if equal {
                passed += 1;
            } else {
                failed += 1;
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        println!("UPDATE=1 cargo test --test fixtures rewrites what is expected");
        ExitCode::FAILURE
    }
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<_> = std::fs::read_dir(parent)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

/// Every VM of `input.yaml` expanded, and where each field came from.
fn expanded(case: &Path) -> Outcome {
    let read = |name: &str| std::fs::read(case.join(name)).unwrap_or_default();
    let sources = Sources::from([("input.yaml", read("input.yaml"))]);
    let catalog = Catalog::new(resources(sources.file(FileId(0)).bytes()));
    let release = reader::parse_first(FileId(1), &read("case.yaml"))
        .ok()
        .and_then(|document| document)
        .map(|document| document.root.str_at("kubevirt").to_owned())
        .filter(|text| !text.is_empty())
        .map_or(Release::NEWEST, |text| {
            text.parse().expect("case.yaml names a release")
        });
    let configuration = catalog
        .resources()
        .iter()
        .find_map(|resource| ClusterConfig::from_resource_node(&resource.node))
        .unwrap_or_default();
    let target = Target {
        release,
        configuration,
        ..Target::default()
    };
    let resolver = Resolver::new(&target, vec![&catalog]);
    let (mut objects, mut explained) = (String::new(), String::new());
    for vm in catalog
        .resources()
        .iter()
        .filter(|resource| resource.is("kubevirt.io", "VirtualMachine"))
    {
        if !objects.is_empty() {
            objects.push_str("---\n");
        }
        let namespace = vm.namespace_or(&target.namespace);
        match expand(&vm.node, namespace, &resolver) {
            Ok(expanded) => {
                let instancetype = resolver.resolve_instancetype(&vm.node, namespace);
                let preference = resolver.resolve_preference(&vm.node, namespace);
                for field in explain(
                    &expanded,
                    vm,
                    instancetype.ok().flatten().as_ref(),
                    preference.ok().flatten().as_ref(),
                ) {
                    let giver = described(&field.giver, &sources);
                    let _ = writeln!(explained, "{} = {}  # {giver}", field.path, field.value);
                }
                let mut written = expanded;
                schema::encode(release, "v1.VirtualMachine", &mut written);
                objects.push_str(&emit::to_string(&written));
            }
            Err(error) => {
                let _ = writeln!(objects, "# {}: {error}", vm.id);
                if let ExpandError::Conflicts(conflicts) = &error {
                    for conflict in &conflicts.0 {
                        let place = conflict.origin.span().map(|span| sources.describe(span));
                        let place = place.unwrap_or_default();
                        let _ = writeln!(objects, "# {place}: {}", conflict.name);
                    }
                }
            }
        }
    }
    let mut outcome = vec![("expected.yaml", objects)];
    if !explained.is_empty() {
        outcome.push(("explained.txt", explained));
    }
    outcome
}

fn resources(text: &[u8]) -> Vec<Resource> {
    reader::parse(FileId(0), text)
        .documents
        .into_iter()
        .map(|document| {
            let document = document.expect("input.yaml is YAML");
            let (file, index) = (Some(document.file), document.index);
            Resource::from_node(document.root, file, index, FieldPath::root())
                .expect("every document of input.yaml is a resource")
        })
        .collect()
}

fn described(giver: &Giver, sources: &Sources) -> String {
    let (what, place) = match giver {
        Giver::Vm(place) => ("VM".to_owned(), *place),
        Giver::Instancetype(id, place) | Giver::Preference(id, place) => (id.to_string(), *place),
        Giver::Bundle(entry) => (format!("built-in {} {}", entry.kind, entry.name), None),
        Giver::Default(writer) => (format!("default {}", writer.0), None),
        Giver::Elsewhere(place) => ("elsewhere".to_owned(), Some(*place)),
    };
    match place {
        Some(span) => format!("{what}, {}", sources.describe(span)),
        None => what,
    }
}
