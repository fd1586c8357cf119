//! The fleet: 120 machines in four clusters of three releases, and what each commit of a year does to every one of them.
//!
//! `fixtures/fleet` holds the machines' templates, the files around them and the commits with what is expected of each.

mod formats;
mod properties;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use driftless::source::Sources;
use driftless::yaml;
use serde::Deserialize;

use self::formats::{Formats, Told};
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
    /// What it does while the migration of the commit before is under way.
    #[serde(default)]
    during: Vec<Row>,
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
    /// What becomes of its volumes.
    #[serde(default)]
    volumes: Vec<String>,
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

/// The rows that the fixture expects.
fn expected(rows: &[Row]) -> BTreeSet<String> {
    let rows = rows.iter().flat_map(|row| {
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

/// What of a plan is not as the fixture has it; rows that are `none` only count where the fixture asks for them.
fn wrong(rows: &[Row], unjudged: &[String], plan: &Formats, told: &Told) -> Vec<String> {
    let mut wrong = Vec::new();
    let expected = expected(rows);
    let missing: Vec<_> = expected.difference(&told.rows).collect();
    let extra: Vec<_> = told
        .rows
        .difference(&expected)
        .filter(|row| !row.ends_with(" none"))
        .collect();
    if !missing.is_empty() || !extra.is_empty() {
        wrong.push(format!("missing {missing:#?}\nnot expected {extra:#?}"));
    }
    let down: u64 = rows.iter().map(|row| row.down).sum();
    let says = &plan.json["summary"]["down"];
    if *says != down {
        wrong.push(format!("{says} go down, {down} should"));
    }
    let unjudged: BTreeSet<String> = unjudged.iter().cloned().collect();
    if told.unjudged != unjudged {
        wrong.push(format!(
            "unjudged are {:?}, {unjudged:?} should be",
            told.unjudged
        ));
    }
    for row in rows.iter().filter(|row| !row.volumes.is_empty()) {
        let verdicts = plan.verdicts();
        if verdicts != row.volumes {
            wrong.push(format!("volumes {verdicts:?}, not {:?}", row.volumes));
        }
    }
    wrong
}

#[test]
fn every_commit_does_to_every_machine_what_kubevirt_does_in_every_format() {
    let fleet: Fleet = read("repository.yaml");
    let commits: Vec<Entry> = read("commits.yaml");
    let repository = fleet.lay_out();
    let machines = repository
        .git(&["ls-files", "clusters/*/vms/*"])
        .lines()
        .count();
    assert_eq!(machines, 120);
    let mut found = Vec::new();
    for commit in &commits {
        assert!(!commit.why.is_empty(), "{}: no source", commit.commit);
        for edit in &commit.edits {
            edit.make(&repository);
        }
        repository.commit(&commit.commit);
        let mut runs = vec![(&["--base", "HEAD~1"][..], &commit.does)];
        if !commit.during.is_empty() {
            runs.push((&["--base", "HEAD~2", "--base", "HEAD~1"], &commit.during));
        }
        for (arguments, rows) in runs {
            let plan = Formats::of(&repository, arguments);
            let told = plan.json();
            let mut all = wrong(rows, &commit.unjudged, &plan, &told);
            for (format, other) in plan.others() {
                all.extend(told.differs(&other).map(|how| format!("{format}: {how}")));
            }
            let name = &commit.commit;
            found.extend(all.iter().map(|wrong| format!("{name}: {wrong}")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n\n"));
    leave_for_the_browser(&repository);
}

/// The page and the comment of all commits at once, where `tests/browser/plan.mjs` finds them.
fn leave_for_the_browser(repository: &Repository) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fleet");
    std::fs::create_dir_all(&folder).unwrap();
    let to = |format: &str, name: &str| format!("{format}={}", folder.join(name).display());
    let first = repository.git(&["rev-list", "--max-parents=0", "HEAD"]);
    let run = repository.run(&[
        "plan",
        "--base",
        &first,
        "--link-template",
        "https://git.example.com/fleet/{path}#L{line}",
        "--artifact",
        "plan.html",
        "--format",
        &to("html", "plan.html"),
        "--format",
        &to("markdown", "comment.md"),
    ]);
    assert_eq!((run.code, run.out.as_str()), (0, ""), "{}", run.err);
}

#[test]
fn every_kind_of_change_is_a_commit() {
    let commits: Vec<Entry> = read("commits.yaml");
    let all: Vec<&str> = commits
        .iter()
        .map(|commit| commit.commit.as_str())
        .collect();
    for kind in [
        "resize one machine by its instance type",
        "more memory for everything of one size",
        "another disk bus by the preference of a cluster",
        "a second network for one build machine",
        "the databases move to another storage network",
        "a faster disk for one database, moved while it runs",
        "back to the old disk",
        "another name",
        "another folder",
        "another namespace",
        "another cluster",
        "cloud-init",
        "a larger template for a disk that exists",
        "one database and one shop front go",
        "one shop front rests",
        "migrate one build machine when its node is drained",
        "a new image for the build machines of a cluster",
        "KubeVirt 1.7 in one cluster",
        "larger runners in a pool",
        "a value of a chart",
        "more memory in a base of every cluster",
        "less room for one database",
    ] {
        assert!(all.contains(&kind), "no commit `{kind}`");
    }
}
