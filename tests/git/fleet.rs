//! The fleet: 120 machines in four clusters of three releases, and what each commit of a year does to every one of them.
//!
//! `fixtures/fleet` holds the machines' templates, the files around them and the commits with what is expected of each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use driftless::source::Sources;
use driftless::yaml;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::support::Repository;

/// `repository.yaml`.
#[derive(Deserialize)]
struct Fleet {
    targets: BTreeMap<String, TargetOf>,
    each: BTreeMap<String, String>,
    files: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct TargetOf {
    kubevirt: String,
    machines: BTreeMap<String, usize>,
    #[serde(default)]
    extra: BTreeMap<String, Vec<String>>,
}

/// One entry of `commits.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    commit: String,
    edits: Vec<Edit>,
    does: Vec<Row>,
    #[serde(default)]
    unjudged: Vec<String>,
    why: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Edit {
    Replace(Replace),
    Write { file: String, text: String },
    Move { from: String, to: String },
    Delete(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Replace {
    /// `TARGET/TEMPLATE/NAME`, the last with a range as in `ci-01..08`.
    #[serde(default)]
    r#in: Vec<String>,
    file: Option<String>,
    /// The text that is meant comes after this one.
    after: Option<String>,
    text: String,
    with: String,
    #[serde(default)]
    all: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Row {
    action: String,
    change: String,
    #[serde(default)]
    condition_only: bool,
    #[serde(default)]
    down: u64,
    #[serde(default = "virtual_machine")]
    kind: String,
    /// `TARGET/NAMESPACE/NAME`, with ranges.
    machines: Vec<String>,
}

fn virtual_machine() -> String {
    "VirtualMachine".to_owned()
}

/// A text of the fixture.
fn text(path: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/fleet");
    std::fs::read_to_string(folder.join(path)).unwrap()
}

fn read<T: serde::de::DeserializeOwned>(path: &str) -> T {
    let sources = Sources::from([(path, text(path))]);
    let (file, source) = sources.iter().next().unwrap();
    let document = yaml::parse(file, source.bytes())
        .documents
        .remove(0)
        .unwrap();
    serde_json::from_value(document.root.to_json()).unwrap()
}

/// `web-01..03` is `web-01`, `web-02` and `web-03`; what comes before the last `/` stays.
fn spread(pattern: &str) -> Vec<String> {
    let Some((head, last)) = pattern.split_once("..") else {
        return vec![pattern.to_owned()];
    };
    let (stem, first) = head.rsplit_once('-').unwrap();
    let numbers = first.parse::<usize>().unwrap()..=last.parse().unwrap();
    numbers
        .map(|number| format!("{stem}-{number:02}"))
        .collect()
}

impl Fleet {
    /// The repository before the first commit.
    fn lay_out(&self) -> Repository {
        let repository = Repository::new();
        let mut settings = String::from("targets:\n");
        for (name, target) in &self.targets {
            settings += &format!(
                "- name: {name}\n  paths: [clusters/{name}]\n  kubevirt: \"{}\"\n  clusterConfig: clusters/{name}/kubevirt.yaml\n",
                target.kubevirt
            );
            for (path, text) in &self.each {
                let fill = |text: &str| text.replace("@TARGET@", name);
                repository.write(&fill(path), &fill(text));
            }
            for (template, count) in &target.machines {
                let manifest = text(&format!("templates/{template}.yaml"));
                let numbered = (1..=*count).map(|number| format!("{template}-{number:02}"));
                let named = target.extra.get(template).into_iter().flatten().cloned();
                for machine in numbered.chain(named) {
                    repository.write(
                        &format!("clusters/{name}/vms/{template}/{machine}.yaml"),
                        &manifest.replace("@NAME@", &machine),
                    );
                }
            }
        }
        for (path, text) in &self.files {
            repository.write(path, text);
        }
        repository.write("driftless.yaml", &settings);
        repository.commit("the fleet");
        repository
    }
}

impl Edit {
    fn make(&self, repository: &Repository) {
        match self {
            Self::Write { file, text } => {
                repository.write(file, text);
            }
            Self::Delete(file) => {
                repository.remove(file);
            }
            Self::Move { from, to } => {
                let text = std::fs::read_to_string(repository.path().join(from)).unwrap();
                repository.write(to, &text).remove(from);
            }
            Self::Replace(replace) => {
                for file in replace.files() {
                    let before = std::fs::read_to_string(repository.path().join(&file)).unwrap();
                    let from = replace.after.as_ref().map_or(0, |after| {
                        before
                            .find(after)
                            .unwrap_or_else(|| panic!("{file}: no {after:?}"))
                    });
                    let count = before[from..].matches(&replace.text).count();
                    let fits = if replace.all || replace.after.is_some() {
                        count > 0
                    } else {
                        count == 1
                    };
                    assert!(
                        fits,
                        "{file}: {:?} stands there {count} times",
                        replace.text
                    );
                    let times = if replace.all { count } else { 1 };
                    let after = before[from..].replacen(&replace.text, &replace.with, times);
                    repository.write(&file, &format!("{}{after}", &before[..from]));
                }
            }
        }
    }
}

impl Replace {
    fn files(&self) -> Vec<String> {
        let named = self.r#in.iter().flat_map(|pattern| spread(pattern));
        named
            .map(|machine| {
                let (target, file) = machine.split_once('/').unwrap();
                format!("clusters/{target}/vms/{file}.yaml")
            })
            .chain(self.file.clone())
            .collect()
    }
}

/// A row as a line of text: what is compared.
fn line(kind: &str, machine: &str, action: &str, change: &str, condition_only: bool) -> String {
    let condition = if condition_only {
        " (condition only)"
    } else {
        ""
    };
    format!("{kind} {machine}: {change} {action}{condition}")
}

/// What the fixture expects of a commit.
fn expected(commit: &Entry) -> BTreeSet<String> {
    let rows = commit.does.iter().flat_map(|row| {
        let machines = row.machines.iter().flat_map(|pattern| spread(pattern));
        machines.map(|machine| {
            line(
                &row.kind,
                &machine,
                &row.action,
                &row.change,
                row.condition_only,
            )
        })
    });
    rows.collect()
}

/// What the plan says; rows that are `none` only where the fixture asks for them.
fn told(plan: &Json, asked: &BTreeSet<String>) -> BTreeSet<String> {
    let mut rows = BTreeSet::new();
    for vm in plan["virtualMachines"].as_array().unwrap() {
        let text = |key: &str| vm[key].as_str().unwrap_or_default();
        let machine = format!("{}/{}/{}", text("target"), text("namespace"), text("name"));
        let row = line(
            text("kind"),
            &machine,
            text("action"),
            text("change"),
            vm["conditionOnly"] == true,
        );
        if text("action") != "none" || asked.contains(&row) {
            rows.insert(row);
        }
    }
    rows
}

#[test]
fn every_commit_does_to_every_machine_what_kubevirt_does() {
    let fleet: Fleet = read("repository.yaml");
    let commits: Vec<Entry> = read("commits.yaml");
    assert!(commits.len() >= 20, "a commit is missing");
    let repository = fleet.lay_out();
    let machines = repository
        .git(&["ls-files", "clusters/*/vms/*"])
        .lines()
        .count();
    assert_eq!(machines, 120);
    let mut wrong = Vec::new();
    for commit in &commits {
        assert!(!commit.why.is_empty(), "{}: no source", commit.commit);
        for edit in &commit.edits {
            edit.make(&repository);
        }
        repository.commit(&commit.commit);
        let run = repository.run(&["plan", "--base", "HEAD~1", "--format", "json"]);
        let plan = run.json();
        let expected = expected(commit);
        let told = told(&plan, &expected);
        if expected != told {
            let missing: Vec<_> = expected.difference(&told).collect();
            let extra: Vec<_> = told.difference(&expected).collect();
            wrong.push(format!(
                "{}\n  missing {missing:#?}\n  not expected {extra:#?}",
                commit.commit
            ));
        }
        let down: u64 = commit.does.iter().map(|row| row.down).sum();
        if plan["summary"]["down"] != down {
            wrong.push(format!(
                "{}: {} go down, {down} should",
                commit.commit, plan["summary"]["down"]
            ));
        }
        let unjudged: BTreeSet<&str> = plan["unjudged"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["file"].as_str().unwrap())
            .collect();
        let expected: BTreeSet<&str> = commit.unjudged.iter().map(String::as_str).collect();
        if unjudged != expected {
            wrong.push(format!(
                "{}: unjudged are {unjudged:?}, {expected:?} should be",
                commit.commit
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
