//! Gates and acceptances of the command: options, settings of either side, trailers of commits.

use crate::support::{Repository, command, run, vm};

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

#[test]
fn the_word_default_is_the_settings_list_or_that_of_hooks() {
    let repository = repository();
    repository.remove("a.yaml");
    let code = |list: &str| {
        repository
            .run(&["plan", "--base", "HEAD", "--fail-on", list])
            .code
    };
    assert_eq!(code("default"), 1, "a deletion is gated by default");
    assert_eq!(code("stop"), 0);
    repository.write("driftless.yaml", "plan: {failOn: [restart]}\n");
    assert_eq!(code("default"), 0, "the settings have a list");
    assert_eq!(code("default,delete"), 1, "and other words join it");
}

#[test]
fn a_hook_compares_what_is_about_to_be_committed_or_the_revisions_it_is_given() {
    let repository = repository();
    let hook = |environment: &[(&str, &str)]| {
        let arguments = ["plan", "--hook", "--fail-on", "default"];
        let mut command = command(&repository.path(), &arguments);
        command.env_remove("PRE_COMMIT_FROM_REF");
        command.env_remove("PRE_COMMIT_TO_REF");
        command.envs(environment.iter().copied());
        command.output().unwrap()
    };
    assert_eq!(hook(&[]).status.code(), Some(0));
    repository.remove("a.yaml").commit("two");
    assert_eq!(
        hook(&[]).status.code(),
        Some(0),
        "nothing is to be committed"
    );
    let refs = [
        ("PRE_COMMIT_FROM_REF", "HEAD~1"),
        ("PRE_COMMIT_TO_REF", "HEAD"),
    ];
    assert_eq!(hook(&refs).status.code(), Some(1));
    let new_branch = [
        (
            "PRE_COMMIT_FROM_REF",
            "0000000000000000000000000000000000000000",
        ),
        ("PRE_COMMIT_TO_REF", "HEAD"),
    ];
    assert_eq!(hook(&new_branch).status.code(), Some(0));
    repository.remove("b.yaml");
    assert_eq!(hook(&[]).status.code(), Some(1));
}

#[test]
fn a_hook_before_the_first_commit_has_nothing_to_compare_with() {
    let repository = Repository::new();
    repository.write("a.yaml", &vm("a", "2Gi"));
    let said = repository.run(&["plan", "--hook", "--fail-on", "default"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains("no commit yet"), "{}", said.err);
}

#[test]
fn the_numbers_of_a_plan_are_lines_that_a_workflow_takes() {
    let repository = repository();
    repository.remove("a.yaml");
    let said = repository.run(&["plan", "--base", "HEAD", "--format", "github-output"]);
    assert_eq!(
        said.out,
        "sentence=1 is deleted\ndata-loss=0\nrejected=0\ndown=1\nrestarts=0\nstart-refused=0\nunjudged=0\naccepted=0\n"
    );
}
