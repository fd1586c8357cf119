//! Equality with the answers recorded from `KubeVirt`'s own code.
//!
//! Reads `RELEASE/FAMILY.jsonl` from `fixtures/conformance`, or from `DRIFTLESS_CONFORMANCE_DIR` where it is set. A family
//! or release that is absent is skipped by name. An argument that is no flag runs only the families containing it.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests are a shell too"
)]

mod admit;
mod expand;
mod mutate;
mod quantity;
mod revisions;
mod update;
mod yaml;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use driftless::release::Release;
use rayon::prelude::*;
use serde_json::Value as Json;

/// One recorded case.
pub struct Case {
    /// Stable name of the case.
    pub id: String,
    /// The release whose code answered.
    pub release: Release,
    /// What it was asked.
    pub input: Json,
    /// What it answered.
    pub expected: Json,
}

/// A family of recordings: its file name, the check of one case, and cases that cannot be decided, each with its reason.
pub struct Family {
    /// File name without `.jsonl`.
    pub name: &'static str,
    /// Says what differs, if anything does.
    pub check: fn(&Case) -> Result<(), String>,
    /// Ids that are not equal, with the reason; at most five in all.
    pub exceptions: &'static [(&'static str, &'static str)],
}

const FAMILIES: &[Family] = &[
    Family {
        name: "admit",
        check: admit::check,
        exceptions: &[],
    },
    Family {
        name: "admit-valid",
        check: admit::check,
        exceptions: &[],
    },
    Family {
        name: "admit-object",
        check: admit::object,
        exceptions: &[],
    },
    Family {
        name: "convert",
        check: revisions::convert,
        exceptions: &[],
    },
    Family {
        name: "create-revision",
        check: revisions::create,
        exceptions: &[],
    },
    Family {
        name: "upgrade-revision",
        check: revisions::upgrade,
        exceptions: &[],
    },
    Family {
        name: "expand",
        check: expand::check,
        exceptions: &[],
    },
    Family {
        name: "catalog",
        check: expand::check,
        exceptions: &[],
    },
    Family {
        name: "mutate",
        check: mutate::check,
        exceptions: &[],
    },
    Family {
        name: "quantity",
        check: quantity::check,
        exceptions: &[],
    },
    Family {
        name: "yaml",
        check: yaml::check,
        exceptions: &[],
    },
    Family {
        name: "yaml-cases",
        check: yaml::check,
        exceptions: &[],
    },
    Family {
        name: "yaml-mutated",
        check: yaml::check,
        exceptions: &[],
    },
    Family {
        name: "live-update",
        check: update::check_live_update,
        exceptions: &[],
    },
    Family {
        name: "volumes",
        check: update::check_volumes,
        exceptions: &[],
    },
    Family {
        name: "instancetype-edit",
        check: update::check_instancetype_edit,
        exceptions: &[],
    },
];

fn main() -> ExitCode {
    let only: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let (mut passed, mut failed) = (0, 0);
    for family in FAMILIES {
        if !only.is_empty() && !only.iter().any(|part| family.name.contains(part.as_str())) {
            continue;
        }
        for release in ["1.5", "1.6", "1.7", "1.8", "1.9"] {
            let file = directory()
                .join(release)
                .join(format!("{}.jsonl", family.name));
            if !file.exists() {
                println!("{} {release}: skipped, no recording", family.name);
                continue;
            }
            let cases = read(&file, release.parse().expect("a known release"));
            let results: Vec<_> = cases
                .par_iter()
                .map(|case| (case, run(family, case)))
                .collect();
            let mut bad = 0;
            for (case, result) in &results {
                if let Err(difference) = result {
                    bad += 1;
                    if bad <= 20 {
                        println!("FAILED {release} {}: {difference}", case.id);
                    }
                }
            }
            println!(
                "{} {release}: {} passed, {bad} failed",
                family.name,
                results.len() - bad
            );
            passed += results.len() - bad;
            failed += bad;
        }
    }
    println!("{passed} passed, {failed} failed");
    if failed == 0 && (passed > 0 || FAMILIES.is_empty() || !only.is_empty()) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn run(family: &Family, case: &Case) -> Result<(), String> {
    let outcome = std::panic::catch_unwind(|| (family.check)(case))
        .unwrap_or_else(|_| Err("driftless panicked".into()));
    match (
        outcome,
        family.exceptions.iter().find(|(id, _)| *id == case.id),
    ) {
        (Err(_), Some(_)) => Ok(()),
        (Ok(()), Some((_, reason))) => Err(format!("listed as an exception ({reason}) but equal")),
        (outcome, None) => outcome,
    }
}

fn directory() -> PathBuf {
    std::env::var_os("DRIFTLESS_CONFORMANCE_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/conformance"),
        PathBuf::from,
    )
}

fn read(file: &Path, release: Release) -> Vec<Case> {
    let text = std::fs::read_to_string(file).expect("the recording is readable");
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let mut json: Json = serde_json::from_str(line).expect("a case is one line of JSON");
            Case {
                id: json["id"].as_str().unwrap_or_default().to_owned(),
                release,
                input: json["input"].take(),
                expected: json["expected"].take(),
            }
        })
        .collect()
}
