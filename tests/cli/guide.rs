//! The guide is whole: every key of the settings, every command's exit status, every page in the index, every link.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::Value as Json;

use crate::support::{VM, Workspace};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

fn page(name: &str) -> String {
    std::fs::read_to_string(docs().join(name)).unwrap()
}

/// The rows of the table whose first column has this heading: their cells, without marks.
fn table(text: &str, heading: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| -> Vec<String> {
        let inner = line.trim().trim_matches('|');
        inner
            .split(" | ")
            .map(|cell| cell.trim().to_owned())
            .collect()
    };
    let mut rows = text
        .lines()
        .skip_while(|line| !line.starts_with(&format!("| {heading} |")));
    assert!(rows.next().is_some(), "no table begins with `{heading}`");
    rows.skip(1)
        .take_while(|line| line.starts_with('|'))
        .map(cells)
        .collect()
}

/// The keys that a schema's object has, with those below them.
fn keys(schema: &Json, before: &str, into: &mut BTreeSet<String>) {
    for (key, value) in schema["properties"].as_object().into_iter().flatten() {
        let name = format!("{before}{key}");
        into.insert(name.clone());
        if key != "levels" {
            keys(value, &format!("{name}."), into);
            keys(&value["items"], &format!("{name}[]."), into);
        }
    }
}

#[test]
fn every_setting_has_a_row() {
    let schema: Json = serde_json::from_str(include_str!("../../schemas/config.json")).unwrap();
    let mut known = BTreeSet::new();
    keys(&schema, "", &mut known);
    assert!(known.len() > 20 && known.contains("ignores[].reason"));
    let rows = table(&page("settings.md"), "key");
    let told: Vec<String> = rows
        .iter()
        .map(|row| row[0].trim_matches('`').to_owned())
        .collect();
    let told_once: BTreeSet<String> = told.iter().cloned().collect();
    assert_eq!(told.len(), told_once.len(), "a key has two rows");
    let missing: Vec<_> = known.difference(&told_once).collect();
    let unknown: Vec<_> = told_once.difference(&known).collect();
    assert!(
        missing.is_empty() && unknown.is_empty(),
        "docs/settings.md lacks {missing:?}, and has {unknown:?}"
    );
    for row in &rows {
        assert!(
            row.len() == 3 && !row[1].is_empty() && !row[2].is_empty(),
            "{row:?}"
        );
    }
}

#[test]
fn every_default_of_the_settings_is_as_told() {
    let rows = table(&page("settings.md"), "key");
    let default: BTreeMap<&str, &str> = rows
        .iter()
        .map(|row| (row[0].trim_matches('`'), row[2].as_str()))
        .collect();
    let target = driftless::config::Target::default();
    assert_eq!(default["namespace"], format!("`{}`", target.namespace));
    assert_eq!(default["complete"], format!("`{}`", target.complete));
    let way = driftless::config::FieldValidation::default();
    assert_eq!(default["fieldValidation"], format!("`{}`", way.as_str()));
    for gate in driftless::action::Gate::DEFAULT {
        assert!(
            default["plan.failOn"].contains(&format!("`{}`", gate.as_str())),
            "{}",
            gate.as_str()
        );
    }
}

/// What a case starts from.
fn workspace() -> Workspace {
    let bad = VM.replace("Always", "Sometimes");
    let new = VM.replace("Always", "Halted");
    let conflicting = VM.replace("devices: {}", "cpu: {cores: 3}\n        devices: {}");
    let old = "apiVersion: instancetype.kubevirt.io/v1alpha2\nkind: VirtualMachineInstancetype\nmetadata: {name: small}\nspec: {cpu: {guest: 1}, memory: {guest: 1Gi}}\n";
    let list = |vm: &str| {
        let item = vm.trim_end().replace('\n', "\n  ");
        format!("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- {item}\n")
    };
    Workspace::with(&[
        ("good/vm.yaml", VM),
        ("bad/vm.yaml", &bad),
        ("new/vm.yaml", &new),
        ("conflict/vm.yaml", &conflicting),
        ("old/type.yaml", old),
        ("raw/vm.yaml", &format!("{VM}status: {{created: true}}\n")),
        (
            "broken/vm.yaml",
            "kind: VirtualMachine\napiVersion: kubevirt.io/v1\na: [\n",
        ),
        ("set/driftless.yaml", "kubevirt: '1.9'\n"),
        ("empty/a.txt", ""),
        ("good.list", &list(VM)),
        ("bad.list", &list(&bad)),
    ])
}

/// A command line and its exit status. `<FILE` at the end is standard input.
const CASES: &[(i32, &[&str])] = &[
    (0, &["init", "good"]),
    (0, &["init", "--stdout", "set"]),
    (2, &["init", "set"]),
    (2, &["init", "nowhere"]),
    (0, &["check", "good"]),
    (1, &["check", "bad"]),
    (0, &["check", "--fail-on", "never", "bad"]),
    (1, &["check", "broken"]),
    (2, &["check", "nowhere"]),
    (2, &["check", "--config", "nowhere", "good"]),
    (2, &["check", "--baseline", "nowhere", "good"]),
    (0, &["plan", "--base-dir", "good", "new"]),
    (
        1,
        &["plan", "--base-dir", "good", "--fail-on", "stop", "new"],
    ),
    (
        0,
        &["plan", "--base-dir", "good", "--fail-on", "delete", "new"],
    ),
    (2, &["plan", "--base", "main", "new"]),
    (2, &["plan", "--base-dir", "nowhere", "new"]),
    (2, &["plan", "--base-dir", "good", "broken"]),
    (0, &["diff", "good", "good"]),
    (1, &["diff", "good", "new"]),
    (2, &["diff", "good", "nowhere"]),
    (0, &["expand", "good"]),
    (1, &["expand", "conflict"]),
    (1, &["expand", "broken"]),
    (2, &["expand", "nowhere"]),
    (0, &["render", "good"]),
    (0, &["render", "--diff", "good"]),
    (1, &["render", "--diff", "raw"]),
    (2, &["render", "broken"]),
    (2, &["render", "empty"]),
    (0, &["render", "--allow-empty", "empty"]),
    (2, &["render", "--policy", "expandAll", "conflict"]),
    (0, &["catalog"]),
    (0, &["catalog", "show", "u1.small"]),
    (1, &["catalog", "diff", "1.5", "1.9"]),
    (2, &["catalog", "show", "nothing"]),
    (0, &["explain", "data-loss"]),
    (2, &["explain", "nothing-at-all"]),
    (0, &["schema", "config"]),
    (2, &["schema", "nothing"]),
    (0, &["upgrade", "good"]),
    (0, &["upgrade", "old"]),
    (0, &["upgrade", "--check", "good"]),
    (1, &["upgrade", "--check", "old"]),
    (1, &["upgrade", "--diff", "old"]),
    (2, &["upgrade", "nowhere"]),
    (0, &["fix", "good"]),
    (0, &["fix", "raw"]),
    (0, &["fix", "--check", "good"]),
    (1, &["fix", "--check", "raw"]),
    (1, &["fix", "--diff", "raw"]),
    (2, &["fix", "nowhere"]),
    (0, &["argocd", "generate", "good"]),
    (0, &["argocd", "discover"]),
    (0, &["argocd", "parameters"]),
    (2, &["argocd", "generate", "broken"]),
    (2, &["argocd", "generate", "empty"]),
    (0, &["fn", "<good.list"]),
    (1, &["fn", "<bad.list"]),
    (2, &["fn", "<good/vm.yaml"]),
    (0, &["completions", "bash"]),
    (2, &["completions", "cmd"]),
    (0, &["man"]),
    (0, &["man", "check"]),
    (2, &["man", "nothing"]),
];

#[test]
fn every_exit_status_is_told_and_seen() {
    let mut seen: BTreeMap<&str, BTreeSet<i32>> = BTreeMap::new();
    for (status, arguments) in CASES {
        let workspace = workspace();
        let (arguments, input) = match arguments.split_last() {
            Some((last, rest)) if last.starts_with('<') => (rest, Some(&last[1..])),
            _ => (*arguments, None),
        };
        let run = match input {
            Some(file) => workspace.pipe(arguments, &workspace.read(file)),
            None => workspace.run(arguments),
        };
        assert_eq!(
            run.status, *status,
            "{arguments:?}\n{}\n{}",
            run.stdout, run.stderr
        );
        seen.entry(arguments[0]).or_default().insert(*status);
    }
    let rows = table(&page("exit-codes.md"), "command");
    let told: BTreeMap<String, BTreeSet<i32>> = rows
        .iter()
        .map(|row| {
            let statuses =
                (0..3).filter(|status| row[1 + usize::try_from(*status).unwrap()] != "–");
            (row[0].trim_matches('`').to_owned(), statuses.collect())
        })
        .collect();
    let seen: BTreeMap<String, BTreeSet<i32>> = seen
        .into_iter()
        .map(|(command, statuses)| (command.to_owned(), statuses))
        .collect();
    assert_eq!(told, seen);
    let help = Workspace::new().run(&["--help"]).exits(0).stdout;
    let commands = help
        .split("Commands:\n")
        .nth(1)
        .unwrap()
        .split("\n\n")
        .next()
        .unwrap();
    let commands: BTreeSet<&str> = commands
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    let told: BTreeSet<&str> = told.keys().map(String::as_str).collect();
    assert_eq!(commands, told);
}

/// The targets of the links of a text.
fn links(text: &str) -> Vec<String> {
    let parsed = Parser::new_ext(text, Options::ENABLE_TABLES);
    let links = parsed.filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.to_string()),
        _ => None,
    });
    links
        .filter(|link| !link.contains("://") && !link.starts_with('#'))
        .collect()
}

#[test]
fn every_page_is_in_the_index_and_every_link_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = BTreeSet::new();
    for entry in std::fs::read_dir(docs()).unwrap() {
        pages.insert(entry.unwrap().file_name().into_string().unwrap());
    }
    let index: BTreeSet<String> = links(&page("README.md"))
        .into_iter()
        .chain(["README.md".to_owned()])
        .collect();
    assert_eq!(index, pages);
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    assert!(links(&readme).iter().any(|link| link == "docs/README.md"));
    let mut wrong = Vec::new();
    let texts = pages
        .iter()
        .map(|name| (docs(), format!("docs/{name}"), page(name)));
    for (directory, name, text) in
        texts.chain([(root.to_path_buf(), "README.md".to_owned(), readme)])
    {
        for link in links(&text) {
            let file = link.split('#').next().unwrap();
            if !directory.join(file).exists() {
                wrong.push(format!("{name}: {link}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "links that lead nowhere:\n{}",
        wrong.join("\n")
    );
}
