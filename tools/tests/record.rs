//! `record` against programs that answer, die, write garbage, answer another case and are slow.
#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests too")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

const TABLE: &str = r#"{"releases":[
{"kubevirt":"1.2","tag":"v1.2.0"}
],"types":{
"v1.VirtualMachineSpec":{"cores":{"type":"uint32"},"name":{"type":"string"}},
"v1beta1.VirtualMachineInstancetypeSpec":{"memory":{"type":"quantity"}},
"v1beta1.VirtualMachinePreferenceSpec":{"bus":{"type":"string"}}
}}
"#;

/// A repository with a field table, and a program that runs the Python `body` for each line.
struct Place {
    folder: TempDir,
    program: PathBuf,
}

impl Place {
    fn new(body: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("schemas")).unwrap();
        std::fs::write(folder.path().join("schemas/fields.json"), TABLE).unwrap();
        let program = folder.path().join("answer.py");
        let text = format!(
            "import json, os, sys, time\n\
             def answer(id, expected):\n    print(json.dumps({{'id': id, 'expected': expected}}), flush=True)\n\
             for line in sys.stdin:\n    question = json.loads(line)\n    id = question['id']\n    number = int(id[-4:])\n{body}"
        );
        std::fs::write(&program, text).unwrap();
        Self { folder, program }
    }

    fn record(&self, arguments: &[&str]) -> Output {
        self.record_seed("7", arguments)
    }

    fn record_seed(&self, seed: &str, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_driftless-tools"))
            .args([
                "record",
                "--family",
                "admit",
                "--kubevirt",
                "1.2",
                "--seed",
                seed,
            ])
            .args(["--program", "python3", "--argument"])
            .arg(&self.program)
            .arg("--repository")
            .arg(self.folder.path())
            .args(arguments)
            .output()
            .unwrap()
    }

    fn file(&self) -> PathBuf {
        self.folder
            .path()
            .join("fixtures/conformance/1.2/admit.jsonl")
    }
}

fn ids(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines()
        .map(|line| {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(case["input"]["objects"][0]["spec"].is_object(), "{line}");
            assert!(case.get("expected").is_some(), "{line}");
            case["id"].as_str().unwrap().to_owned()
        })
        .collect()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

const GOOD: &str = "    assert question['family'] == 'admit' and question['kubevirt'] == '1.2'\n    \
     answer(id, {'allowed': number % 2 == 0})\n";

#[test]
fn answers_are_recorded_and_the_same_seed_asks_the_same() {
    let place = Place::new(GOOD);
    let output = place.record(&["--count", "3"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(
        ids(&place.file()),
        ["admit-7-0000", "admit-7-0001", "admit-7-0002"]
    );
    let first = std::fs::read_to_string(place.file()).unwrap();
    std::fs::remove_file(place.file()).unwrap();
    place.record(&["--count", "3"]);
    assert_eq!(std::fs::read_to_string(place.file()).unwrap(), first);
}

#[test]
fn a_recording_is_never_overwritten_but_added_to() {
    let place = Place::new(GOOD);
    place.record(&["--count", "2"]);
    let again = place.record(&["--count", "2"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("--append"), "{}", stderr(&again));
    let same_ids = place.record(&["--count", "2", "--append"]);
    assert_eq!(same_ids.status.code(), Some(2));
    let more = place.record_seed("8", &["--count", "1", "--append"]);
    assert_eq!(more.status.code(), Some(0), "{}", stderr(&more));
    assert_eq!(
        ids(&place.file()),
        ["admit-7-0000", "admit-7-0001", "admit-8-0000"]
    );
}

#[test]
fn a_check_asks_again_and_names_what_differs() {
    let place = Place::new(GOOD);
    place.record(&["--count", "4"]);
    assert_eq!(place.record(&["--check"]).status.code(), Some(0));
    let text = std::fs::read_to_string(place.file()).unwrap();
    let changed = text.replacen("\"allowed\":false", "\"allowed\":true", 1);
    std::fs::write(place.file(), &changed).unwrap();
    let output = place.record(&["--check"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.starts_with("admit-7-0001: recorded {\"allowed\":true}, answered {\"allowed\":false}"),
        "{said}"
    );
    assert_eq!(std::fs::read_to_string(place.file()).unwrap(), changed);
}

#[test]
fn a_program_that_dies_loses_that_case_alone() {
    let place = Place::new("    if number == 1:\n        os._exit(3)\n    answer(id, {})\n");
    let output = place.record(&["--count", "4"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        ids(&place.file()),
        ["admit-7-0000", "admit-7-0002", "admit-7-0003"]
    );
    assert!(
        stderr(&output).contains("admit-7-0001: the program ended (exit status: 3)"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn garbage_and_answers_to_other_cases_are_no_answers() {
    let place = Place::new(
        "    if number == 0:\n        print('panic: nil', flush=True)\n    \
         elif number == 1:\n        answer('admit-7-0009', {})\n    \
         elif number == 2:\n        print(json.dumps({'id': id}), flush=True)\n    else:\n        answer(id, {})\n",
    );
    let output = place.record(&["--count", "4"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(ids(&place.file()), ["admit-7-0003"]);
    let said = stderr(&output);
    assert!(
        said.contains("admit-7-0000: the program's line is no answer"),
        "{said}"
    );
    assert!(
        said.contains("admit-7-0001: the program answered admit-7-0009"),
        "{said}"
    );
    assert!(
        said.contains("admit-7-0002: the program's line is no answer: it has neither or both"),
        "{said}"
    );
}

#[test]
fn a_slow_program_is_ended_and_started_anew() {
    let place = Place::new("    if number == 1:\n        time.sleep(30)\n    answer(id, {})\n");
    let output = place.record(&["--count", "3", "--timeout", "2"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(ids(&place.file()), ["admit-7-0000", "admit-7-0002"]);
    assert!(
        stderr(&output).contains("admit-7-0001: the program took longer than 2 s"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn the_first_answer_after_a_start_has_a_limit_of_its_own() {
    let body = "    if number == 0:\n        time.sleep(3)\n    answer(id, {})\n";
    let place = Place::new(body);
    // Asked twice: the second answer to the same case is as slow, and no longer the first.
    let output = place.record(&["--count", "2", "--timeout", "1"]);
    let said = stderr(&output);
    assert!(
        said.contains("admit-7-0000: the program took longer than 1 s"),
        "{said}"
    );
    let place = Place::new(
        "    if not getattr(sys, 'warm', 0):\n        time.sleep(3)\n    sys.warm = 1\n    answer(id, {})\n",
    );
    let output = place.record(&["--count", "2", "--timeout", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let output = place.record_seed(
        "8",
        &[
            "--count",
            "1",
            "--append",
            "--timeout",
            "1",
            "--start-timeout",
            "2",
        ],
    );
    let said = stderr(&output);
    assert!(
        said.contains("admit-8-0000: the program took longer than 2 s"),
        "{said}"
    );
}

#[test]
fn what_is_no_case_and_what_is_answered_otherwise_the_second_time_is_left_out() {
    let place = Place::new(
        "    if number == 0:\n        print(json.dumps({'id': id, 'unusable': 'refused'}), flush=True)\n    \
         elif number == 1:\n        sys.count = getattr(sys, 'count', 0) + 1\n        answer(id, {'order': sys.count})\n    \
         else:\n        answer(id, {})\n",
    );
    let output = place.record(&["--count", "4"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(ids(&place.file()), ["admit-7-0002", "admit-7-0003"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.contains("2 cases written; 0 left out, 1 unusable, 1 unsteady"),
        "{said}"
    );
    let text = std::fs::read_to_string(place.file()).unwrap();
    std::fs::write(place.file(), text.replace("admit-7-0002", "admit-7-0000")).unwrap();
    let check = place.record(&["--check"]);
    assert_eq!(check.status.code(), Some(1));
    let said = String::from_utf8(check.stdout).unwrap();
    assert!(
        said.starts_with("admit-7-0000: recorded {}, now unusable: refused"),
        "{said}"
    );
}

#[test]
fn a_program_that_never_answers_or_never_starts_is_an_error() {
    let place = Place::new("    os._exit(1)\n");
    let output = place.record(&["--count", "100"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("20 cases in a row"),
        "{}",
        stderr(&output)
    );
    let absent = Command::new(env!("CARGO_BIN_EXE_driftless-tools"))
        .args(["record", "--family", "expand", "--kubevirt", "1.2"])
        .args(["--program", "./no-such-program", "--repository"])
        .arg(place.folder.path())
        .output()
        .unwrap();
    assert_eq!(absent.status.code(), Some(2));
    assert!(stderr(&absent).contains("cannot start ./no-such-program"));
}
