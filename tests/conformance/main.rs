//! Equality with the answers recorded from `KubeVirt`'s own code, one named test a recording: `1.9/admit`.
//!
//! Reads `RELEASE/FAMILY.jsonl` from `fixtures/conformance`, where every recording must be there in its full length and
//! no other may lie; or from `DRIFTLESS_CONFORMANCE_DIR` where that is set, whatever it holds: there, what is absent and
//! what nothing can read (an unknown family, a release without verdicts of its own) is ignored by name.
//!
//! `--list` names the recordings, and an argument runs those whose name contains it:
//! `cargo test --test conformance -- mutate`.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests are a shell too"
)]

mod admit;
mod expand;
mod hco;
mod mutate;
mod quantity;
mod revisions;
mod start;
mod update;
mod wide;
mod yaml;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use driftless::catalog::Catalog;
use driftless::config::Target;
use driftless::field_path::FieldPath;
use driftless::release::Release;
use driftless::resource::Resource;
use driftless::resource::cluster::ClusterConfig;
use driftless::yaml::Node;
use libtest_mimic::{Arguments, Failed, Trial};
use rayon::prelude::*;
use serde_json::Value as Json;

/// One recorded case.
pub struct Case {
    /// Stable name of the case.
    pub id: String,
    /// The release whose code answered, or the next one, which answers as the newest does.
    pub release: Release,
    /// What it was asked.
    pub input: Json,
    /// What it answered.
    pub expected: Json,
}

impl Case {
    /// The cluster that answered: its configuration is known, and there is nothing beside the objects given.
    fn target(&self) -> Target {
        Target {
            release: self.release,
            release_known: true,
            configuration: ClusterConfig::known(match &self.input["config"] {
                Json::Null => Node::map(),
                config => Node::from_json(config),
            }),
            complete: true,
            ..Target::default()
        }
    }

    /// The VM, which is the first object, and the others.
    fn vm_and_objects(&self) -> (Resource, Catalog) {
        let mut objects: Vec<Resource> = self.input["objects"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|object| {
                Resource::from_node(Node::from_json(object), None, 0, FieldPath::root())
                    .expect("every recorded object is a resource")
            })
            .collect();
        let vm = objects.remove(0);
        (vm, Catalog::new(objects))
    }
}

/// A family of recordings.
pub struct Family {
    /// File name without `.jsonl`.
    pub name: &'static str,
    /// Says what differs between a recorded answer and ours, if anything does.
    pub check: fn(&Case) -> Result<(), String>,
    /// The releases it was recorded for, and how many cases each recording in `fixtures/conformance` holds.
    pub cases: &'static [(&'static str, usize)],
}

/// Every family. A new family, release or case joins here.
const FAMILIES: &[Family] = &[
    Family {
        name: "admit",
        check: admit::check,
        cases: &[
            ("1.4", 112),
            ("1.5", 112),
            ("1.6", 112),
            ("1.7", 112),
            ("1.8", 112),
            ("1.9", 315),
        ],
    },
    Family {
        name: "admit-valid",
        check: admit::check,
        cases: &[
            ("1.4", 107),
            ("1.5", 107),
            ("1.6", 107),
            ("1.7", 107),
            ("1.8", 107),
            ("1.9", 301),
        ],
    },
    Family {
        name: "admit-object",
        check: admit::object,
        cases: &[("1.9", 84)],
    },
    Family {
        name: "convert",
        check: revisions::convert,
        cases: &[("1.9", 105)],
    },
    Family {
        name: "create-revision",
        check: revisions::create,
        cases: &[("1.9", 42)],
    },
    Family {
        name: "upgrade-revision",
        check: revisions::upgrade,
        cases: &[("1.9", 175)],
    },
    Family {
        name: "expand",
        check: expand::check,
        cases: &[
            ("1.4", 150),
            ("1.5", 150),
            ("1.6", 150),
            ("1.7", 150),
            ("1.8", 150),
            ("1.9", 420),
        ],
    },
    Family {
        name: "catalog",
        check: expand::check,
        cases: &[
            ("1.4", 50),
            ("1.5", 50),
            ("1.6", 50),
            ("1.7", 50),
            ("1.8", 50),
            ("1.9", 140),
        ],
    },
    Family {
        name: "mutate",
        check: mutate::check,
        cases: &[
            ("1.4", 100),
            ("1.5", 100),
            ("1.6", 100),
            ("1.7", 100),
            ("1.8", 100),
            ("1.9", 280),
        ],
    },
    Family {
        name: "start",
        check: start::check,
        cases: &[
            ("1.5", 150),
            ("1.6", 150),
            ("1.7", 150),
            ("1.8", 150),
            ("1.9", 400),
        ],
    },
    Family {
        name: "quantity",
        check: quantity::check,
        cases: &[("1.9", 210)],
    },
    Family {
        name: "yaml",
        check: yaml::check,
        cases: &[("1.9", 140)],
    },
    Family {
        name: "yaml-cases",
        check: yaml::check,
        cases: &[("1.9", 138)],
    },
    Family {
        name: "yaml-mutated",
        check: yaml::check,
        cases: &[("1.9", 630)],
    },
    Family {
        name: "live-update",
        check: update::check_live_update,
        cases: &[
            ("1.4", 108),
            ("1.5", 108),
            ("1.6", 108),
            ("1.7", 112),
            ("1.8", 112),
            ("1.9", 312),
        ],
    },
    Family {
        name: "volumes",
        check: update::check_volumes,
        cases: &[
            ("1.4", 96),
            ("1.5", 68),
            ("1.6", 100),
            ("1.7", 100),
            ("1.8", 100),
            ("1.9", 280),
        ],
    },
    Family {
        name: "instancetype-edit",
        check: update::check_instancetype_edit,
        cases: &[("1.9", 105)],
    },
    Family {
        name: "admit-wide",
        check: wide::admit,
        cases: &[("1.7", 300), ("1.9", 1200)],
    },
    Family {
        name: "object-wide",
        check: wide::object,
        cases: &[("1.9", 200)],
    },
    Family {
        name: "expand-wide",
        check: expand::check,
        cases: &[("1.7", 100), ("1.9", 300)],
    },
    Family {
        name: "update-wide",
        check: update::check_update_wide,
        cases: &[("1.7", 150), ("1.9", 500)],
    },
];

/// How many differences of a recording of the repository are shown; of another one, all are.
const SHOWN: usize = 20;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let compared = Arc::new(AtomicUsize::new(0));
    let trials = match std::env::var_os("DRIFTLESS_CONFORMANCE_DIR") {
        Some(directory) => foreign(Path::new(&directory), &compared),
        None => own(&compared),
    };
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !arguments.list {
        println!("{} cases compared", compared.load(Ordering::Relaxed));
    }
    conclusion.exit_code()
}

/// The recordings in this repository: all that [`FAMILIES`] counts, and nothing else.
fn own(compared: &Arc<AtomicUsize>) -> Vec<Trial> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/conformance");
    let mut trials = Vec::new();
    for family in FAMILIES {
        for (release, cases) in family.cases {
            let answered = known(release);
            trials.push(trial(
                &directory,
                answered,
                answered,
                family,
                Some(*cases),
                compared,
            ));
            if answered == Release::NEWEST {
                let next = Release::Next;
                trials.push(trial(
                    &directory,
                    answered,
                    next,
                    family,
                    Some(*cases),
                    compared,
                ));
            }
        }
    }
    trials.extend(hco::trials(&directory, true, compared));
    trials.push(Trial::test(
        "every_family_is_recorded_for_the_newest_release",
        every_family_is_recorded,
    ));
    for (release, name) in recordings(&directory) {
        let counted = FAMILIES.iter().any(|family| {
            family.name == name && family.cases.iter().any(|(counted, _)| *counted == release)
        });
        if !counted {
            trials.push(Trial::test(format!("{release}/{name}"), || {
                Err("a recording that FAMILIES in tests/conformance/main.rs does not count".into())
            }));
        }
    }
    trials
}

fn every_family_is_recorded() -> Result<(), Failed> {
    let newest = Release::NEWEST.as_str();
    let lacks: Vec<&str> = FAMILIES
        .iter()
        .filter(|family| !family.cases.iter().any(|(release, _)| *release == newest))
        .map(|family| family.name)
        .collect();
    if lacks.is_empty() {
        return Ok(());
    }
    Err(format!(
        "KubeVirt {newest} has no recording of {}: docs/adding-a-release.md",
        lacks.join(", ")
    )
    .into())
}

fn known(release: &str) -> Release {
    release.parse().expect("a known release")
}

/// The recordings in another directory, however many they are; one without any fails.
fn foreign(directory: &Path, compared: &Arc<AtomicUsize>) -> Vec<Trial> {
    let found = recordings(directory);
    let mut trials = Vec::new();
    let ignored = |release: &str, name: &str| {
        Trial::test(format!("{release}/{name}"), || Ok(())).with_ignored_flag(true)
    };
    for (release, name) in &found {
        match FAMILIES.iter().find(|family| family.name == name) {
            Some(family) if judged(release) => {
                let answered = known(release);
                trials.push(trial(directory, answered, answered, family, None, compared));
            }
            _ => trials.push(ignored(release, name)),
        }
    }
    trials.extend(hco::trials(directory, false, compared));
    if trials.iter().all(Trial::has_ignored_flag) {
        let nothing = format!("{} holds no recording", directory.display());
        trials.push(Trial::test("recordings", || Err(nothing.into())));
    }
    for family in FAMILIES {
        for (release, _) in family.cases {
            let name = (String::from(*release), String::from(family.name));
            if !found.contains(&name) {
                trials.push(ignored(release, family.name));
            }
        }
    }
    trials
}

/// Whether verdicts are given for a release itself, and not by those of a later one.
fn judged(release: &str) -> bool {
    let release = release.parse::<Release>();
    release.is_ok_and(|release| release.proved() == release)
}

/// Release and family of every `RELEASE/FAMILY.jsonl` in a directory, sorted.
fn recordings(directory: &Path) -> Vec<(String, String)> {
    let entries = |directory: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(directory).into_iter().flatten();
        entries
            .map(|entry| entry.expect("a readable entry").path())
            .collect()
    };
    let stem = |path: &Path| {
        path.file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let mut found = Vec::new();
    for release in entries(directory) {
        let name = release
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name == hco::FOLDER {
            continue;
        }
        for file in entries(&release) {
            if file
                .extension()
                .is_some_and(|extension| extension == "jsonl")
            {
                found.push((name.clone(), stem(&file)));
            }
        }
    }
    found.sort();
    found
}

/// The test of one recording, which has so many cases where that is known: whether driftless answers for the release
/// `of` as the release `answered` did.
fn trial(
    directory: &Path,
    answered: Release,
    of: Release,
    family: &'static Family,
    cases: Option<usize>,
    compared: &Arc<AtomicUsize>,
) -> Trial {
    let file = directory
        .join(answered.as_str())
        .join(format!("{}.jsonl", family.name));
    let name = format!("{of}/{}", family.name);
    let compared = Arc::clone(compared);
    Trial::test(name, move || judge(family, &file, of, cases, &compared))
}

/// Reads a recording, which has so many cases where that is known, and compares it.
fn judge(
    family: &Family,
    file: &Path,
    of: Release,
    cases: Option<usize>,
    compared: &AtomicUsize,
) -> Result<(), Failed> {
    let read = read(file, of)?;
    compared.fetch_add(read.len(), Ordering::Relaxed);
    let counted = cases.unwrap_or(read.len());
    if read.is_empty() || read.len() != counted {
        let (file, held) = (file.display(), read.len());
        return Err(format!("{file} holds {held} cases, {counted} are counted").into());
    }
    compare(
        family,
        &read,
        if cases.is_some() { SHOWN } else { usize::MAX },
    )
}

/// Compares every case; a failure shows so many differences.
fn compare(family: &Family, cases: &[Case], most: usize) -> Result<(), Failed> {
    let different: Vec<String> = cases
        .par_iter()
        .filter_map(|case| {
            let outcome = std::panic::catch_unwind(|| (family.check)(case))
                .unwrap_or_else(|_| Err("driftless panicked".into()));
            Some(format!("{}: {}", case.id, outcome.err()?))
        })
        .collect();
    if different.is_empty() {
        return Ok(());
    }
    let shown = different
        .iter()
        .take(most)
        .fold(String::new(), |shown, one| shown + "\n" + one);
    Err(format!("{} of {} cases differ{shown}", different.len(), cases.len()).into())
}

fn read(file: &Path, release: Release) -> Result<Vec<Case>, Failed> {
    let text =
        std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let mut json: Json = serde_json::from_str(line)?;
            Ok(Case {
                id: json["id"].as_str().unwrap_or_default().to_owned(),
                release,
                input: json["input"].take(),
                expected: json["expected"].take(),
            })
        })
        .collect()
}
