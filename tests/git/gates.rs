//! Gates and acceptances of the command: options, settings of either side, trailers of commits.

use crate::support::{Repository, run, vm};

fn repository() -> Repository {
    let repository = Repository::new();
    repository
        .write("a.yaml", &vm("a", "2Gi"))
        .write("b.yaml", &vm("b", "2Gi"))
        .commit("one");
    repository
}

#[test]
fn words_and_counts_decide_the_exit_status() {
    let repository = repository();
    repository.remove("a.yaml");
    let code = |arguments: &[&str]| {
        repository
            .run(&[&["plan", "--base", "main"], arguments].concat())
            .code
    };
    assert_eq!(code(&[]), 0);
    assert_eq!(code(&["--fail-on", "stop,delete"]), 1);
    assert_eq!(code(&["--fail-on", "stop,restart,data-loss"]), 0);
    assert_eq!(code(&["--max-down", "0"]), 1);
    assert_eq!(code(&["--max-down", "1"]), 0);
    assert_eq!(code(&["--max-restarts", "0"]), 0);
    assert_eq!(code(&["--fail-on", "reboot"]), 2);
    let tripped = repository.run(&["plan", "--base", "main", "--fail-on", "delete"]);
    assert!(
        tripped.err.contains("`delete` is gated: vms/a"),
        "{}",
        tripped.err
    );
}

#[test]
fn settings_gate_and_options_win() {
    let repository = repository();
    repository
        .write("driftless.yaml", "plan: {failOn: [delete], maxDown: 0}\n")
        .commit("gates");
    repository.remove("a.yaml");
    let code = |arguments: &[&str]| {
        repository
            .run(&[&["plan", "--base", "main"], arguments].concat())
            .code
    };
    assert_eq!(code(&[]), 1);
    assert_eq!(code(&["--fail-on", "stop"]), 1);
    assert_eq!(code(&["--fail-on", "never", "--max-down", "1"]), 0);
    assert_eq!(code(&["--accept", "delete:vms/a it was only a test"]), 0);
    assert_eq!(code(&["--accept", "delete:vms/a"]), 2);
}

#[test]
fn a_trailer_between_base_and_head_accepts_and_is_shown_with_its_commit() {
    let repository = repository();
    repository.git(&["checkout", "-q", "-b", "work"]);
    repository.remove("a.yaml").commit(
        "remove a\n\nIt is empty.\n\nDriftless-Accept: delete:vms/a was only a test\nDriftless-Accept: delete:vms/nobody x\nDriftless-Accept: rejected:vms/a y",
    );
    let commit = repository.git(&["rev-parse", "--short", "HEAD"]);
    let gated = ["--fail-on", "delete", "--max-down", "0"];
    let plan = |more: &[&str]| {
        repository.run(
            &[
                &[
                    "plan", "--base", "main", "--head", "work", "--format", "json",
                ][..],
                &gated,
                more,
            ]
            .concat(),
        )
    };
    let accepted = plan(&[]);
    assert_eq!(accepted.code, 0, "{}", accepted.err);
    let json = accepted.json();
    assert_eq!(
        json["virtualMachines"][0]["accepted"]["by"],
        format!("commit {commit}: was only a test")
    );
    assert_eq!(json["summary"]["accepted"], 1);
    let notes = json["notes"].to_string();
    assert!(
        notes.contains("delete:vms/nobody") && notes.contains("matches nothing"),
        "{notes}"
    );
    assert!(notes.contains("`rejected` cannot be accepted"), "{notes}");
    assert_eq!(plan(&["--no-accept-trailers"]).code, 1);
    // A trailer of a commit that the base has too does not count.
    repository.git(&["checkout", "-q", "main"]);
    repository.git(&["merge", "-q", "--ff-only", "work"]);
    repository.write("a.yaml", &vm("a", "2Gi")).commit("back");
    repository.git(&["checkout", "-q", "-b", "again"]);
    repository.remove("a.yaml").commit("remove a again");
    let again =
        repository.run(&[&["plan", "--base", "main", "--head", "again"][..], &gated].concat());
    assert_eq!(again.code, 1);
}

#[test]
fn a_shallow_clone_says_what_it_cannot_read() {
    let repository = repository();
    repository.git(&["checkout", "-q", "-b", "work"]);
    repository
        .remove("a.yaml")
        .commit("remove a\n\nDriftless-Accept: delete:vms/a was only a test");
    repository
        .write("b.yaml", &vm("b", "4Gi"))
        .commit("resize b");
    let clone = tempfile::tempdir().unwrap();
    let from = format!("file://{}", repository.path().display());
    let directory = clone.path();
    crate::support::git(
        directory,
        &[
            "clone",
            "-q",
            "--depth",
            "1",
            "--no-single-branch",
            &from,
            ".",
        ],
    );
    let shallow = run(
        directory,
        &[
            "plan",
            "--base",
            "origin/main",
            "--head",
            "origin/work",
            "--format",
            "json",
            "--fail-on",
            "delete",
        ],
    );
    assert_eq!(shallow.code, 1, "{}", shallow.err);
    let notes = shallow.json()["notes"].to_string();
    assert!(
        notes.contains("acceptances in 1 commits could not be read"),
        "{notes}"
    );
}
