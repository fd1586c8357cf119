//! The command from outside: exit statuses, several formats at once, baselines, and files to report on.

use std::path::Path;
use std::process::{Command, Output};

const RUNNING: &str = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web}\nspec:\n  running: true\n  instancetype: {name: small, kind: VirtualMachineInstancetype}\n  template:\n    spec:\n      domain:\n        devices: {}\n";
const TYPE: &str = "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineInstancetype\nmetadata: {name: small}\nspec: {cpu: {guest: 1}, memory: {guest: 1Gi}}\n";

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(directory.path().join(name), text).unwrap();
    }
    directory
}

fn check(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_driftless"))
        .arg("check")
        .args(arguments)
        .current_dir(directory)
        .env("NO_COLOR", "1")
        .output()
        .unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_exit_status_follows_fail_on() {
    let tree = tree(&[("vm.yaml", RUNNING), ("type.yaml", TYPE)]);
    let status = |arguments: &[&str]| check(tree.path(), arguments).status.code();
    assert_eq!(status(&[]), Some(0));
    assert_eq!(status(&["--fail-on", "warning"]), Some(0));
    assert_eq!(status(&["--fail-on", "note"]), Some(1));
    assert_eq!(status(&["--fail-on", "never"]), Some(0));
    assert_eq!(status(&["missing"]), Some(2));
    assert_eq!(status(&["--baseline", "missing.json"]), Some(2));
    assert_eq!(status(&["--format", "xml"]), Some(2));
    assert_eq!(status(&["--format", "json", "--format", "text"]), Some(2));
}

#[test]
fn each_level_fails_from_its_own_severity_on() {
    let error = RUNNING.replace("running: true", "running: true\n  runStrategy: Always");
    let warning = RUNNING.replace("kubevirt.io/v1\n", "kubevirt.io/v1alpha3\n");
    let clean = RUNNING.replace("running: true", "runStrategy: Always");
    for (text, worst, statuses) in [
        (error.as_str(), "error[", [1, 1, 1, 0]),
        (&warning, "warning[", [0, 1, 1, 0]),
        (RUNNING, "note[", [0, 0, 1, 0]),
        (&clean, "nothing found", [0, 0, 0, 0]),
    ] {
        let tree = tree(&[("vm.yaml", text), ("type.yaml", TYPE)]);
        let levels = ["error", "warning", "note", "never"];
        for (level, status) in levels.into_iter().zip(statuses) {
            let output = check(tree.path(), &["--fail-on", level]);
            assert_eq!(
                output.status.code(),
                Some(status),
                "{worst} --fail-on {level}"
            );
            assert!(out(&output).starts_with(worst), "{}", out(&output));
        }
    }
}

#[test]
fn every_format_goes_to_the_place_it_is_given() {
    let tree = tree(&[("vm.yaml", RUNNING), ("type.yaml", TYPE)]);
    let refused = |arguments: &[&str], says: &str| {
        let output = check(tree.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(stderr.contains(says), "{stderr}");
        assert!(output.stdout.is_empty());
    };
    refused(
        &["--format", "json=a", "--output", "b"],
        "--output has nothing to write",
    );
    refused(
        &["--format", "json", "--format", "sarif", "--output", "b"],
        "--output takes one format",
    );
    refused(
        &["--format", "json", "--format", "sarif"],
        "standard output takes one format",
    );
    assert!(!tree.path().join("b").exists());
    let arguments = [
        "--format", "json=a", "--format", "gitlab", "--format", "junit=c", "--output", "b",
    ];
    let output = check(tree.path(), &arguments);
    assert!(output.stdout.is_empty(), "each has its file");
    for (file, start) in [("a", "{"), ("b", "["), ("c", "<?xml")] {
        let text = std::fs::read_to_string(tree.path().join(file)).unwrap();
        assert!(text.starts_with(start), "{file}: {text}");
    }
}

#[test]
fn formats_go_to_a_file_each() {
    let tree = tree(&[("vm.yaml", RUNNING), ("type.yaml", TYPE)]);
    let output = check(
        tree.path(),
        &["--format", "sarif=out.sarif", "--format", "github"],
    );
    assert!(
        out(&output).starts_with("::notice file=vm.yaml,line=5"),
        "{}",
        out(&output)
    );
    let sarif = std::fs::read_to_string(tree.path().join("out.sarif")).unwrap();
    assert!(sarif.contains("driftless/deprecated-running"));
    check(tree.path(), &["--format", "json", "--output", "out.json"]);
    assert!(tree.path().join("out.json").is_file());
}

#[test]
fn a_baseline_hides_what_was_there() {
    let tree = tree(&[("vm.yaml", RUNNING), ("type.yaml", TYPE)]);
    assert_eq!(
        check(tree.path(), &["--write-baseline", "base.json"])
            .status
            .code(),
        Some(0)
    );
    let arguments = ["--baseline", "base.json", "--fail-on", "note"];
    assert_eq!(check(tree.path(), &arguments).status.code(), Some(0));
    std::fs::write(
        tree.path().join("new.yaml"),
        RUNNING.replace("name: web", "name: new"),
    )
    .unwrap();
    let output = check(tree.path(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        out(&output).contains("VirtualMachine new") && !out(&output).contains("VirtualMachine web")
    );
}

#[test]
fn a_profile_without_effect_is_said_to_have_none() {
    let said = |profile: &str| {
        let settings = format!("profile: {profile}\n");
        let tree = tree(&[("vm.yaml", RUNNING), ("driftless.yaml", &settings)]);
        String::from_utf8(check(tree.path(), &[]).stderr).unwrap()
    };
    assert!(said("harvester").contains("`profile: harvester` changes nothing yet"));
    assert!(!said("strict").contains("changes nothing"));
}

#[test]
fn one_file_is_reported_on_and_the_others_are_looked_in() {
    let tree = tree(&[
        ("vm.yaml", RUNNING),
        ("type.yaml", TYPE),
        ("other.yaml", &RUNNING.replace("name: web", "name: other")),
    ]);
    let output = check(
        tree.path(),
        &["--only-report", "vm.yaml", "type.yaml", "--format", "json"],
    );
    let report: serde_json::Value = serde_json::from_str(&out(&output)).unwrap();
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0]["file"], "vm.yaml");
}

#[test]
fn a_rule_and_a_field_are_explained() {
    let explain = |what: &str| {
        Command::new(env!("CARGO_BIN_EXE_driftless"))
            .args(["explain", what])
            .output()
            .unwrap()
    };
    assert!(out(&explain("deprecated-running")).contains("## What it does"));
    assert!(out(&explain("spec.template.spec.domain.cpu.cores")).contains("type: a whole number"));
    let unknown = explain("deprecated-runing");
    assert_eq!(unknown.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&unknown.stderr).contains("did you mean `deprecated-running`?")
    );
}

#[test]
fn each_level_fails_a_run_from_itself_up() {
    let note = RUNNING.to_owned();
    let warning = note.clone()
        + "      volumes:\n        - name: seed\n          cloudInitNoCloud: {userData: \"#cloud-config\\npassword: Xk3vQ9tLm2\"}\n";
    let error = note.replace("running: true", "running: true\n  runing: true");
    // By rising weight: a run fails where the worst finding is at or above what `--fail-on` names.
    let levels = ["note", "warning", "error"];
    for (worst, text) in [note, warning, error].iter().enumerate() {
        let tree = tree(&[("vm.yaml", text.as_str()), ("type.yaml", TYPE)]);
        for (from, level) in levels.iter().enumerate() {
            let status = check(tree.path(), &["--fail-on", level]).status.code();
            let expected = Some(i32::from(worst >= from));
            assert_eq!(
                status, expected,
                "a {} and --fail-on {level}",
                levels[worst]
            );
        }
        let never = check(tree.path(), &["--fail-on", "never"]).status.code();
        assert_eq!(never, Some(0), "a {} and --fail-on never", levels[worst]);
    }
}

#[test]
fn field_validation_weighs_an_unknown_field() {
    let unknown = RUNNING.replace("running: true", "runStrategy: Always\n  runing: true");
    let found = |settings: &str| {
        let tree = tree(&[
            ("vm.yaml", unknown.as_str()),
            ("type.yaml", TYPE),
            ("driftless.yaml", settings),
        ]);
        let output = check(tree.path(), &["--format", "json"]);
        let report: serde_json::Value = serde_json::from_str(&out(&output)).unwrap();
        let findings: Vec<String> = report["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| format!("{} {}", finding["severity"], finding["rule"]).replace('"', ""))
            .collect();
        (findings, output.status.code())
    };
    let error = (vec!["error unknown-field".to_owned()], Some(1));
    assert_eq!(found("kubevirt: 1.9\n"), error);
    assert_eq!(found("fieldValidation: strict\n"), error);
    let warning = (vec!["warning unknown-field".to_owned()], Some(0));
    assert_eq!(found("fieldValidation: warn\n"), warning);
    assert_eq!(found("fieldValidation: ignore\n"), (Vec::new(), Some(0)));
    let level = "fieldValidation: ignore\nlevels: {unknown-field: note}\n";
    assert_eq!(
        found(level),
        (vec!["note unknown-field".to_owned()], Some(0))
    );
}
