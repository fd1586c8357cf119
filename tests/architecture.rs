//! The modules of the library depend in one direction, and the paths the guides name exist.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests are a shell too"
)]

use std::path::{Path, PathBuf};

use driftless::rules;
use driftless::update::Action;

/// A module may use only those before it. `report` and `emit` stand last: they use result types, the binary hands them in.
const ORDER: &[&str] = &[
    "word",
    "action",
    "source",
    "field_path",
    "yaml",
    "shown",
    "release",
    "openshift",
    "resource",
    "cause",
    "rule",
    "finding",
    "config",
    "schema",
    "hyperconverged",
    "stored",
    "catalog",
    "conflict",
    "resolve",
    "transform",
    "diff",
    "change",
    "update",
    "rules",
    "check",
    "plan",
    "fix",
    "emit",
    "report",
];

#[test]
fn modules_depend_in_one_direction() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    for file in rust_files(&root.join("src")) {
        // Tests may reach for anything.
        let inside = file.strip_prefix(root.join("src")).unwrap();
        if inside.ends_with("tests.rs") || inside.iter().any(|part| part == "tests") {
            continue;
        }
        let module = inside
            .components()
            .next()
            .unwrap()
            .as_os_str()
            .to_string_lossy()
            .replace(".rs", "");
        // Unit tests may look at what stands after; they are `mod tests` or a file of that name.
        if module == "cli" || module == "lib" || inside.ends_with("tests.rs") {
            continue;
        }
        let Some(rank) = ORDER.iter().position(|name| *name == module) else {
            wrong.push(format!(
                "{}: module `{module}` has no place in ORDER",
                inside.display()
            ));
            continue;
        };
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or_default();
        for used in uses(code) {
            match ORDER.iter().position(|name| *name == used) {
                Some(other) if other <= rank => {}
                Some(_) => wrong.push(format!(
                    "{}: `{module}` uses `{used}`, which stands after it",
                    inside.display()
                )),
                None => wrong.push(format!(
                    "{}: `{used}` has no place in ORDER",
                    inside.display()
                )),
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "move the shared piece to the earlier module:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn guides_name_paths_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for guide in ["CONTRIBUTING.md", "README.md"] {
        let text = std::fs::read_to_string(root.join(guide)).unwrap();
        for word in text.split('`').skip(1).step_by(2) {
            let is_path = [
                "src/",
                "tests/",
                "fixtures/",
                "schemas/",
                "docs/",
                "scripts/",
                "catalog/",
                ".ci/",
                ".cargo/",
                "benches/",
            ]
            .iter()
            .any(|start| word.starts_with(start));
            if is_path && !word.contains(['<', '…', ' ', '*']) {
                assert!(
                    root.join(word).exists(),
                    "{guide} names `{word}`, which is not there"
                );
            }
        }
    }
}

#[test]
fn traps_name_rules_and_actions_that_exist() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/traps.md"))
        .unwrap();
    let is_id = |word: &&str| {
        word.contains('-')
            && word
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    let named: Vec<&str> = text
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(is_id)
        .filter(|word| !word.starts_with("--"))
        .collect();
    assert!(named.len() > 40, "the table of traps is gone");
    let rules = rules::ALL.iter().map(|rule| rule.info.id);
    let known: Vec<&str> = rules
        .chain(Action::ALL.into_iter().map(Action::as_str))
        .collect();
    let unknown: Vec<_> = named.iter().filter(|word| !known.contains(word)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// Every first name after `crate::`, also in grouped uses.
fn uses(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for tail in code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| line.split("crate::").skip(1))
    {
        let name: String = tail
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect();
        if !name.is_empty() {
            found.push(name);
        }
    }
    found.sort();
    found.dedup();
    found
}

fn rust_files(directory: &Path) -> Vec<PathBuf> {
    walkdir::WalkDir::new(directory)
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}
