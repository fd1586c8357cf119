//! Random changes of the fleet: no gate passes what it is told to stop, and silence means that nothing was touched.
//! It is long because the random changes and what each may do are listed.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::TestRunner;
use serde_json::Value as Json;

use super::{Fleet, read};
use crate::support::{Repository, Run};

/// How many changes each property looks at.
const CASES: u32 = 24;
/// Every action but `none`, the first that holds before the others.
const ACTIONS: [&str; 12] = [
    "rejected",
    "data-loss",
    "delete",
    "stop",
    "restart",
    "unknown",
    "pending",
    "migrate-volumes",
    "live",
    "create",
    "start",
    "next-start",
];
/// What a hook is gated on where nothing else is said.
const DEFAULT: &str = "data-loss,delete,stop,rejected,start-refused,unknown";

/// What an edit has to come to, whatever else is edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Bears {
    /// On no machine: the file holds nothing that one of them is or names.
    Never,
    /// Perhaps: only its spelling or place changes, or only machines that other edits remove.
    Maybe,
    /// On a machine or on what is not judged.
    Always,
    /// A disk is lost or an object refused, and no guest stops.
    Gated,
    /// A guest stops.
    Harms,
}

/// One edit of the fleet: of a file, or of a machine's file.
#[derive(Clone, Debug)]
enum Edit {
    Replace(String, &'static str, &'static str),
    Comment(String),
    /// Everything from a text on goes.
    Cut(String, &'static str),
    Write(&'static str, &'static str),
    Delete(String),
    Move(String, String),
}

impl Edit {
    /// Makes the edit; false where an earlier one left nothing to edit.
    fn make(&self, repository: &Repository) -> bool {
        let text = |file: &str| std::fs::read_to_string(repository.path().join(file)).ok();
        match self {
            Self::Write(file, content) => {
                repository.write(file, content);
            }
            Self::Replace(file, from, to) => match text(file).filter(|text| text.contains(from)) {
                Some(text) => {
                    repository.write(file, &text.replace(from, to));
                }
                None => return false,
            },
            Self::Comment(file) => match text(file) {
                Some(text) => {
                    repository.write(file, &format!("# looked at\n{text}"));
                }
                None => return false,
            },
            Self::Cut(file, from) => {
                match text(file).as_deref().and_then(|text| text.split_once(from)) {
                    Some((text, _)) => {
                        repository.write(file, text);
                    }
                    None => return false,
                }
            }
            Self::Delete(file) => match text(file) {
                Some(_) => {
                    repository.remove(file);
                }
                None => return false,
            },
            Self::Move(from, to) => match text(from) {
                Some(text) => {
                    repository.write(to, &text).remove(from);
                }
                None => return false,
            },
        }
        true
    }
}

fn edits() -> impl Strategy<Value = (Edit, Bears)> {
    use Bears::{Always, Gated, Harms, Maybe, Never};
    let target = || select(vec!["oslo", "bergen", "trondheim", "tromso"]);
    let machine = |template: &'static str, most: usize| {
        (target(), 1..=most).prop_map(move |(target, number)| {
            format!("clusters/{target}/vms/{template}/{template}-{number:02}.yaml")
        })
    };
    let running = || prop_oneof![machine("web", 12), machine("db", 6), machine("ci", 8)];
    let replaced = |files: BoxedStrategy<String>, from, to, bears| {
        files.prop_map(move |file| (Edit::Replace(file, from, to), bears))
    };
    let fixed = |edit: Edit, bears| Just((edit, bears));
    let types = || target().prop_map(|target| format!("clusters/{target}/types.yaml"));
    prop_oneof![
        // A guest stops, or loses a disk.
        running().prop_map(|file| (Edit::Delete(file), Harms)),
        replaced(
            running().boxed(),
            "runStrategy: Always",
            "runStrategy: Halted",
            Harms
        ),
        replaced(
            machine("web", 12).boxed(),
            "namespace: shop",
            "namespace: front",
            Harms
        ),
        replaced(
            machine("ci", 8).boxed(),
            "  name: ci-",
            "  name: built-",
            Harms
        ),
        (1..=8_usize).prop_map(|number| {
            let file = |target: &str, name: &str| format!("clusters/{target}/vms/ci/{name}.yaml");
            let name = format!("ci-{number:02}");
            let moved = Edit::Move(
                file("oslo", &name),
                file("bergen", &format!("from-oslo-{name}")),
            );
            (moved, Harms)
        }),
        replaced(
            Just("clusters/oslo/pools/runners.yaml".to_owned()).boxed(),
            "guest: 1Gi",
            "guest: 2Gi",
            Harms
        ),
        // A claim goes, or is asked for less than it has.
        machine("db", 6).prop_map(|file| (Edit::Cut(file, "---\n"), Gated)),
        replaced(
            machine("db", 6).boxed(),
            "storage: 50Gi",
            "storage: 20Gi",
            Gated
        ),
        // A machine changes.
        replaced(machine("ci", 8).boxed(), "cores: 2", "cores: 4", Always),
        replaced(machine("ci", 8).boxed(), "guest: 4Gi", "guest: 6Gi", Always),
        replaced(
            machine("ci", 8).boxed(),
            "images/ci:3",
            "images/ci:4",
            Always
        ),
        replaced(
            machine("web", 12).boxed(),
            "name: web-medium",
            "name: web-large",
            Always
        ),
        replaced(
            machine("web", 12).boxed(),
            "name: web-medium",
            "name: web-huge",
            Always
        ),
        replaced(
            machine("db", 6).boxed(),
            "networkName: storage-a",
            "networkName: storage-b",
            Always
        ),
        replaced(machine("db", 6).boxed(), "cores: 2", "cores: 0", Always),
        replaced(
            machine("batch", 3).boxed(),
            "sockets: 4",
            "sockets: 2",
            Always
        ),
        replaced(
            machine("batch", 3).boxed(),
            "runStrategy: Halted",
            "runStrategy: Always",
            Always
        ),
        // What they share, and what is not judged.
        replaced(
            types().boxed(),
            "  name: web-medium\nspec:\n  cpu:",
            "  name: web-medium\nspec:\n  ioThreadsPolicy: shared\n  cpu:",
            Maybe
        ),
        replaced(
            types().boxed(),
            "preferredDiskBus: virtio",
            "preferredDiskBus: sata",
            Maybe
        ),
        replaced(
            Just("base/edge/vm.yaml".to_owned()).boxed(),
            "guest: 1Gi",
            "guest: 2Gi",
            Always
        ),
        replaced(
            Just("clusters/oslo/charts/reports/values.yaml".to_owned()).boxed(),
            "sockets: 1",
            "sockets: 2",
            Always
        ),
        fixed(
            Edit::Write(
                "clusters/oslo/policy.yaml",
                "apiVersion: migrations.kubevirt.io/v1alpha1\nkind: MigrationPolicy\nmetadata: {name: slow}\n"
            ),
            Always
        ),
        fixed(
            Edit::Write(
                "clusters/bergen/vms/new.yaml",
                "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: new, namespace: ci}\nspec: {runStrategy: Halted, template: {spec: {domain: {memory: {guest: 1Gi}, devices: {}}}}}\n"
            ),
            Always
        ),
        // Another spelling or place.
        running().prop_map(|file| (Edit::Comment(file), Maybe)),
        (target(), 1..=6_usize).prop_map(|(target, number)| {
            let file =
                |folder: &str| format!("clusters/{target}/vms/db/{folder}db-{number:02}.yaml");
            (Edit::Move(file(""), file("large/")), Maybe)
        }),
        // Nothing of KubeVirt's, or a type that no machine has.
        fixed(
            Edit::Write(
                "clusters/oslo/web.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 2}\n"
            ),
            Never
        ),
        fixed(Edit::Write("README.md", "All of kubevirt.io/v1.\n"), Never),
        fixed(
            Edit::Write(
                "clusters/tromso/spare.yaml",
                "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {name: spare}\nspec: {cpu: {guest: 1}, memory: {guest: 1Gi}}\n"
            ),
            Never
        ),
        types().prop_map(|file| (Edit::Comment(file), Never)),
    ]
}

/// Some edits, and which of them found something to edit.
fn change(edits: &[(Edit, Bears)], repository: &Repository) -> BTreeSet<Bears> {
    // What an edit takes away takes with it what the others said of the same machine.
    let made = edits.iter().filter(|(edit, _)| edit.make(repository));
    made.map(|(_, bears)| *bears).collect()
}

fn undo(repository: &Repository) {
    repository.git(&["checkout", "-q", "-f", "main", "--", "."]);
    repository.git(&["reset", "-q", "--hard", "main"]);
    repository.git(&["clean", "-q", "-f", "-d"]);
}

fn fleet() -> Repository {
    let fleet: Fleet = read("repository.yaml");
    let repository = fleet.lay_out();
    repository.git(&["checkout", "-q", "-b", "change"]);
    repository
}

fn runner() -> TestRunner {
    TestRunner::new(ProptestConfig {
        failure_persistence: None,
        cases: CASES,
        max_shrink_iters: 64,
        ..ProptestConfig::default()
    })
}

fn plan(repository: &Repository, arguments: &[String]) -> (Json, Run) {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let always = ["plan", "--format", "json", "--base", "main"];
    let run = repository.run(&[&always[..], &arguments].concat());
    assert!(run.code == 0 || run.code == 1, "{}", run.err);
    (serde_json::from_str(&run.out).unwrap(), run)
}

fn rows(plan: &Json) -> &[Json] {
    plan["virtualMachines"].as_array().unwrap()
}

/// Every action of a row.
fn actions(row: &Json) -> Vec<&str> {
    let also = row["also"].as_array().into_iter().flatten();
    std::iter::once(&row["action"])
        .chain(also)
        .map(|action| action.as_str().unwrap())
        .collect()
}

/// The name by which a row is accepted.
fn name(row: &Json) -> String {
    ["target", "namespace", "name"]
        .map(|key| row[key].as_str().unwrap())
        .join("/")
}

/// What is accepted: an action of a row, or a file.
#[derive(Clone, Debug)]
struct Acceptance {
    action: String,
    of: String,
}

impl Acceptance {
    fn words(&self) -> String {
        format!("{}:{} it is meant", self.action, self.of)
    }

    /// Whether it covers an action of a row: that one and those after it, never a refusal.
    fn covers(&self, row: &Json, action: &str) -> bool {
        let rank = |action: &str| ACTIONS.iter().position(|other| *other == action);
        let can_be = self.action != "rejected" && action != "rejected";
        self.of == name(row) && can_be && rank(&self.action) <= rank(action)
    }
}

/// Whether a word stops a plan, by its rows and files.
fn trips(word: &str, plan: &Json, accepted: &[Acceptance]) -> bool {
    let is_open = |row: &Json, action: &str| {
        actions(row).contains(&action) && !accepted.iter().any(|one| one.covers(row, action))
    };
    let by_row = rows(plan).iter().any(|row| match word {
        "restart" => row["conditionOnly"] != true && is_open(row, "restart"),
        "condition" => row["conditionOnly"] == true && is_open(row, "restart"),
        "start-refused" => row["startRefused"] == true,
        word => is_open(row, word),
    });
    let is_open = |file: &Json| {
        let covers = |one: &Acceptance| one.action == "unknown" && *file == one.of;
        !accepted.iter().any(covers)
    };
    let mut files = plan["unjudged"].as_array().unwrap().iter();
    by_row || word == "unknown" && files.any(|one| is_open(&one["file"]))
}

#[test]
fn a_gate_stops_what_it_names_and_nothing_else() {
    let repository = fleet();
    let words = [&ACTIONS[..], &["condition", "start-refused"]].concat();
    let gates = (
        subsequence(words.clone(), 0..=words.len()),
        proptest::option::of(0..4_u64),
        proptest::option::of(0..4_u64),
    );
    // Each acceptance is of a row or file, and of one of its actions or of another one.
    let chosen = prop::collection::vec(
        (
            any::<prop::sample::Index>(),
            select(ACTIONS[1..].to_vec()),
            any::<bool>(),
        ),
        0..4,
    );
    let cases = (
        prop::collection::vec(edits(), 1..6),
        gates,
        chosen,
        any::<bool>(),
    );
    let result = runner().run(
        &cases,
        |(edits, (words, max_down, max_restarts), chosen, by_commit)| {
            undo(&repository);
            change(&edits, &repository);
            let (before, run) = plan(&repository, &[]);
            prop_assert_eq!(run.code, 0, "no gate, and it fails: {}", run.err);
            let accepted = acceptances(&before, &chosen);
            let mut arguments = Vec::new();
            if by_commit {
                let trailers = accepted
                    .iter()
                    .map(|one| format!("Driftless-Accept: {}\n", one.words()));
                repository.write(".keep", "");
                repository.commit(&format!("a change\n\n{}", trailers.collect::<String>()));
            } else {
                arguments.extend(
                    accepted
                        .iter()
                        .map(|one| format!("--accept={}", one.words())),
                );
            }
            if !words.is_empty() {
                arguments.push(format!("--fail-on={}", words.join(",")));
            }
            arguments.extend(max_down.map(|most| format!("--max-down={most}")));
            arguments.extend(max_restarts.map(|most| format!("--max-restarts={most}")));
            let (after, run) = plan(&repository, &arguments);
            prop_assert_eq!(rows(&after).len(), rows(&before).len());
            let by_words = words.iter().any(|word| trips(word, &after, &accepted));
            let owed = rows(&after).iter().filter(|row| {
                row["conditionOnly"] != true
                    && actions(row).contains(&"restart")
                    && !accepted.iter().any(|one| one.covers(row, "restart"))
            });
            let by_restarts = max_restarts.is_some_and(|most| owed.count() as u64 > most);
            let down = after["summary"]["down"].as_u64().unwrap();
            // Guests whose every loss is accepted are not counted; where none is accepted, all are.
            let by_down = max_down.is_some_and(|most| down > most);
            let trips = by_words || by_restarts;
            if accepted.is_empty() || max_down.is_none() || !by_down {
                prop_assert_eq!(
                    run.code == 1,
                    trips || by_down,
                    "{:?} {:#}",
                    arguments,
                    after
                );
            } else if trips {
                prop_assert_eq!(run.code, 1, "{:?} {:#}", arguments, after);
            }
            Ok(())
        },
    );
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

fn without_refusal(mut actions: Vec<&str>) -> Vec<&str> {
    actions.retain(|action| *action != "rejected");
    actions
}

/// What the chosen numbers and actions accept of a plan.
fn acceptances(
    plan: &Json,
    chosen: &[(prop::sample::Index, &'static str, bool)],
) -> Vec<Acceptance> {
    let mut subjects: Vec<(String, Vec<&str>)> = rows(plan)
        .iter()
        .filter(|row| row["kind"] == "VirtualMachine" && row["action"] != "none")
        .map(|row| (name(row), actions(row)))
        // A refusal cannot be accepted, and `--accept` says so.
        .map(|(name, actions)| (name, without_refusal(actions)))
        .filter(|(_, actions)| !actions.is_empty())
        .collect();
    let files = plan["unjudged"].as_array().unwrap().iter();
    subjects.extend(files.map(|one| (one["file"].as_str().unwrap().to_owned(), vec!["unknown"])));
    let chosen = chosen.iter().filter(|_| !subjects.is_empty());
    chosen
        .map(|(at, other, is_other)| {
            let (of, actions) = &subjects[at.index(subjects.len())];
            let action = if *is_other { other } else { actions[0] };
            Acceptance {
                action: action.to_owned(),
                of: of.clone(),
            }
        })
        .collect()
}

#[test]
fn what_stops_a_guest_or_takes_a_disk_never_passes_unless_it_is_told_to() {
    let repository = fleet();
    let cases = prop::collection::vec(edits(), 1..6);
    let result = runner().run(&cases, |edits| {
        undo(&repository);
        let bears = change(&edits, &repository);
        let gated = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|one| (*one).to_owned()).collect();
            plan(&repository, &arguments)
        };
        let (told, run) = gated(&["--fail-on", DEFAULT]);
        let down = gated(&["--max-down", "0"]).1;
        if bears.contains(&Bears::Harms) || bears.contains(&Bears::Gated) {
            prop_assert_eq!(run.code, 1, "{:?} {:#}", edits, told);
        }
        if bears.contains(&Bears::Harms) {
            prop_assert_eq!(down.code, 1, "{:?} {:#}", edits, told);
        }
        let down: BTreeSet<bool> = [down.code == 1, told["summary"]["down"] != 0].into();
        prop_assert_eq!(down.len(), 1, "{:#}", told["summary"]);
        // Silence is for changes that were read and bear on nothing.
        let sentence = told["summary"]["sentence"].as_str().unwrap();
        let is_silent = sentence == "touches no virtual machine";
        let worst = bears.last().copied().unwrap_or(Bears::Never);
        match worst {
            Bears::Never => prop_assert!(is_silent, "{:?} {:#}", edits, told),
            Bears::Maybe => {}
            Bears::Always | Bears::Gated | Bears::Harms => {
                prop_assert!(!is_silent, "{:?} {:#}", edits, told);
            }
        }
        prop_assert_eq!(
            is_silent,
            rows(&told).is_empty() && told["unjudged"].as_array().unwrap().is_empty()
        );
        if is_silent {
            prop_assert_eq!(run.code, 0);
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}
