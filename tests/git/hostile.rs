//! Repositories that mean harm, and repositories in odd states.

use std::path::Path;

use crate::support::{Repository, actions, command, git, reason_for, run, unjudged, vm};

/// Settings of a repository that name a program, and what is set with them.
const PROGRAMS: &[&str] = &[
    "core.fsmonitor",
    "core.pager",
    "core.sshCommand",
    "core.gitProxy",
    "core.askPass",
    "core.editor",
    "core.alternateRefsCommand",
    "credential.helper",
    "diff.external",
    "diff.mark.command",
    "diff.mark.textconv",
    "filter.mark.clean",
    "filter.mark.smudge",
    "filter.mark.process",
    "gpg.program",
    "gpg.ssh.program",
    "gpg.x509.program",
    "pager.diff",
    "pager.log",
    "sequence.editor",
    "uploadpack.packObjectsHook",
    "remote.origin.uploadpack",
    "remote.origin.vcs",
    "alias.ls-tree",
    "alias.rev-parse",
    "alias.cat-file",
    "merge.mark.driver",
    "interactive.diffFilter",
    "mergetool.mark.cmd",
    "difftool.mark.cmd",
    "trailer.mark.command",
    "browser.mark.cmd",
    "man.mark.cmd",
    "sendemail.smtpserver",
    "gui.gcwarning",
    "submodule.sub.update",
];

#[cfg(unix)]
#[test]
fn pl22_no_setting_of_a_repository_runs_a_program() {
    use std::os::unix::fs::PermissionsExt as _;
    let repository = Repository::new();
    let marks = tempfile::tempdir().unwrap();
    let program = marks.path().join("program");
    std::fs::write(
        &program,
        format!(
            "#!/bin/sh\ntouch \"{}/ran-$(basename \"$0\")\"\ncat\n",
            marks.path().display()
        ),
    )
    .unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    repository
        .write("a.yaml", &vm("a", "2Gi"))
        .write("b.yaml", &vm("b", "2Gi"))
        .commit("one");
    repository.write("a.yaml", &vm("a", "3Gi")).commit("two");
    // From here on the repository is hostile; git is not called by the test any more.
    let program = program.to_string_lossy().into_owned();
    let hooks = marks.path().join("hooks");
    std::fs::create_dir(&hooks).unwrap();
    for hook in [
        "fsmonitor-watchman",
        "post-index-change",
        "post-checkout",
        "reference-transaction",
        "pre-auto-gc",
        "query-watchman",
    ] {
        std::fs::copy(marks.path().join("program"), hooks.join(hook)).unwrap();
        std::fs::copy(
            marks.path().join("program"),
            repository.path().join(".git/hooks").join(hook),
        )
        .or_else(|_| {
            std::fs::create_dir_all(repository.path().join(".git/hooks"))?;
            std::fs::copy(
                marks.path().join("program"),
                repository.path().join(".git/hooks").join(hook),
            )
        })
        .unwrap();
    }
    for setting in PROGRAMS {
        repository.git(&["config", setting, &program]);
    }
    repository.git(&["config", "core.hooksPath", &hooks.to_string_lossy()]);
    repository.git(&["config", "filter.mark.required", "true"]);
    repository.git(&["config", "protocol.ext.allow", "always"]);
    repository.git(&["config", "log.showSignature", "true"]);
    repository.git(&["config", "extensions.partialClone", "origin"]);
    repository.git(&["config", "remote.origin.promisor", "true"]);
    repository.git(&["config", "remote.origin.url", &format!("ext::{program} %S")]);
    std::fs::write(
        repository.path().join(".gitattributes"),
        "* filter=mark diff=mark merge=mark\n",
    )
    .unwrap();
    let info = repository.path().join(".git/info");
    std::fs::create_dir_all(&info).unwrap();
    std::fs::write(info.join("attributes"), "* filter=mark diff=mark\n").unwrap();
    for entry in std::fs::read_dir(marks.path()).unwrap() {
        let path = entry.unwrap().path();
        if path
            .file_name()
            .unwrap()
            .to_string_lossy()
            .starts_with("ran-")
        {
            std::fs::remove_file(path).unwrap();
        }
    }
    // Stale in the index, so that git has to look at the files themselves.
    repository.write("a.yaml", &vm("a", "4Gi"));
    repository.write("b.yaml", &vm("b", "2Gi"));
    let missing = "0123456789abcdef0123456789abcdef01234567";
    for arguments in [
        &["plan", "--base", "HEAD~1", "--format", "json"][..],
        &[
            "plan", "--base", "HEAD~1", "--head", "HEAD", "--format", "json",
        ],
        &["plan", "--base", "HEAD~1", "--base", "HEAD"],
        &["plan", "--base", missing],
        &["plan", "--base", "origin/nowhere"],
        &["diff", "HEAD~1", "."],
        &["diff", "HEAD~1", "HEAD"],
    ] {
        let _ = repository.run(arguments);
        let ran: Vec<String> = std::fs::read_dir(marks.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| name.starts_with("ran-"))
            .collect();
        assert!(ran.is_empty(), "{arguments:?}: {ran:?}");
    }
    let plan = repository.plan(&["--base", "HEAD"]);
    assert_eq!(actions(&plan), ["a: modified live"]);
}

#[test]
fn pl22_a_revision_is_never_an_option_or_a_negation() {
    let repository = Repository::new();
    repository.write("a.yaml", &vm("a", "2Gi")).commit("one");
    for revision in [
        "^HEAD",
        "--output=x",
        "-x",
        "HEAD\nrm -rf ~",
        "no\nsuch",
        "HEAD^{tree}",
        "",
        "a b`touch x`",
        ":/one\n",
    ] {
        let base = format!("--base={revision}");
        let refused = repository.run(&["plan", &base]);
        assert_eq!(
            (refused.code, refused.out.as_str()),
            (2, ""),
            "{revision:?}"
        );
        for suggested in refused.err.split('`').skip(1).step_by(2) {
            assert!(
                !suggested.starts_with("git fetch")
                    || !suggested.contains(['\n', '`', ' '])
                    || suggested.lines().count() == 1,
                "{}",
                refused.err
            );
        }
        assert!(!refused.err.contains("rm -rf ~\n"), "{}", refused.err);
        assert_eq!(
            refused
                .err
                .lines()
                .filter(|line| line.starts_with("error:"))
                .count(),
            1,
            "{}",
            refused.err
        );
    }
    assert!(!repository.path().join("x").exists());
}

#[test]
fn pl22_a_working_tree_elsewhere_is_no_bare_repository() {
    let repository = Repository::new();
    repository.write("a.yaml", &vm("a", "2Gi")).commit("one");
    repository.write("a.yaml", &vm("a", "4Gi")).commit("two");
    let elsewhere = tempfile::tempdir().unwrap();
    repository.git(&[
        "config",
        "core.worktree",
        &elsewhere.path().to_string_lossy(),
    ]);
    let refused = repository.run(&["plan", "--base", "HEAD~1"]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("core.worktree") && !refused.err.contains("bare"),
        "{}",
        refused.err
    );
    let plan = repository.plan(&["--base", "HEAD~1", "--head", "HEAD"]);
    assert_eq!(actions(&plan), ["a: modified live"]);
}

fn object_of(repository: &Repository, name: &str) -> std::path::PathBuf {
    let object = repository.git(&["rev-parse", name]);
    repository
        .path()
        .join(".git/objects")
        .join(&object[..2])
        .join(&object[2..])
}

#[test]
fn pl22_a_damaged_object_is_no_partial_clone() {
    let repository = Repository::new();
    repository.write("a.yaml", &vm("a", "2Gi")).commit("one");
    repository.write("a.yaml", &vm("a", "4Gi")).commit("two");
    let object = object_of(&repository, "HEAD~1:a.yaml");
    let mut permissions = std::fs::metadata(&object).unwrap().permissions();
    #[allow(
        clippy::permissions_set_readonly_false,
        reason = "it is deleted at once"
    )]
    permissions.set_readonly(false);
    std::fs::set_permissions(&object, permissions).unwrap();
    std::fs::write(&object, "garbage").unwrap();
    let damaged = repository.run(&["plan", "--base", "HEAD~1"]);
    assert_eq!(damaged.code, 2);
    assert!(
        damaged.err.contains("git fsck") && !damaged.err.contains("partial"),
        "{}",
        damaged.err
    );
    std::fs::remove_file(&object).unwrap();
    let missing = repository.run(&["plan", "--base", "HEAD~1"]);
    assert_eq!(missing.code, 2);
    assert!(missing.err.contains("git fsck"), "{}", missing.err);
}

#[test]
fn pl22_a_partial_clone_says_what_to_fetch() {
    let repository = Repository::new();
    repository.write("a.yaml", &vm("a", "2Gi")).commit("one");
    repository.write("a.yaml", &vm("a", "4Gi")).commit("two");
    repository.git(&["config", "uploadpack.allowFilter", "true"]);
    repository.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let clones = tempfile::tempdir().unwrap();
    let url = format!("file://{}", repository.path().display());
    git(
        clones.path(),
        &["clone", "-q", "--filter=blob:none", &url, "partial"],
    );
    let partial = clones.path().join("partial");
    let lacking = run(&partial, &["plan", "--base", "HEAD~1"]);
    assert_eq!(lacking.code, 2);
    assert!(lacking.err.contains("partial clone"), "{}", lacking.err);
    let advice = lacking
        .err
        .split('`')
        .find(|part| part.starts_with("git fetch"));
    let words: Vec<&str> = advice.unwrap().split(' ').skip(1).collect();
    git(&partial, &words);
    let cured = run(&partial, &["plan", "--base", "HEAD~1", "--format", "json"]);
    assert_eq!(actions(&cured.json()), ["a: modified live"]);
}

#[test]
fn pl22_a_pointer_of_git_lfs_is_not_its_file() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
    let repository = Repository::new();
    repository
        .write("a.yaml", pointer)
        .write("b.yaml", &vm("b", "2Gi"))
        .commit("one");
    repository.write("a.yaml", &vm("a", "4Gi"));
    let plan = repository.plan(&["--base", "main"]);
    assert_eq!(actions(&plan), [""; 0], "whether it is new cannot be known");
    assert_eq!(unjudged(&plan), ["a.yaml"]);
    assert!(reason_for(&plan, "a.yaml").contains("Git LFS"));
}

#[test]
fn pl21_what_a_sparse_checkout_leaves_out_is_not_deleted() {
    let repository = Repository::new();
    repository
        .write("in/a.yaml", &vm("a", "2Gi"))
        .write("out/b.yaml", &vm("b", "2Gi"))
        .write("out/driftless.yaml", "{}\n")
        .commit("one");
    repository.git(&["sparse-checkout", "set", "--no-cone", "/in/"]);
    assert!(!repository.path().join("out").exists());
    repository.write("in/a.yaml", &vm("a", "4Gi"));
    assert_eq!(
        actions(&repository.plan(&["--base", "main"])),
        ["a: modified live"]
    );
    assert_eq!(
        actions(&repository.plan(&["--base", "main", "out"])),
        [""; 0]
    );
    // What the index has is the head, also where it differs from the base.
    repository.git(&["sparse-checkout", "disable"]);
    repository
        .write("out/b.yaml", &vm("b", "4Gi"))
        .commit("two");
    repository.git(&["sparse-checkout", "set", "--no-cone", "/in/"]);
    assert_eq!(
        actions(&repository.plan(&["--base", "HEAD~1"])),
        ["a: modified live", "b: modified live"]
    );
}

#[test]
fn pl21_a_file_that_git_does_not_look_at_is_compared_by_its_bytes() {
    for flag in ["--skip-worktree", "--assume-unchanged"] {
        let repository = Repository::new();
        repository
            .write("a.yaml", &vm("a", "2Gi"))
            .write("b.yaml", &vm("b", "2Gi"))
            .commit("one");
        repository.git(&["update-index", flag, "a.yaml", "b.yaml"]);
        assert_eq!(actions(&repository.plan(&["--base", "main"])), [""; 0]);
        repository.write("a.yaml", &vm("a", "4Gi"));
        assert_eq!(
            actions(&repository.plan(&["--base", "main"])),
            ["a: modified live"],
            "{flag}"
        );
    }
}

#[test]
fn git_settings_of_the_environment_are_honoured() {
    let repository = Repository::new();
    repository.write("a.yaml", &vm("a", "2Gi")).commit("one");
    repository.write("a.yaml", &vm("a", "4Gi"));
    let index = repository.path().join("other-index");
    let other = index.to_string_lossy().into_owned();
    std::process::Command::new("git")
        .current_dir(repository.path())
        .env("GIT_INDEX_FILE", &other)
        .args(["read-tree", "HEAD"])
        .status()
        .unwrap();
    let plan = |directory: &Path| {
        let output = command(directory, &["plan", "--base", "HEAD", "--format", "json"])
            .env("GIT_INDEX_FILE", &other)
            .output()
            .unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    assert_eq!(
        actions(&plan(&repository.path())),
        [""; 0],
        "the index holds no change"
    );
}

#[test]
#[cfg(unix)]
fn a_link_that_leads_nowhere_stops_only_the_change_that_makes_it() {
    let repository = Repository::new();
    repository.write("a.yaml", &vm("a", "2Gi"));
    let link = repository.path().join("link.yaml");
    std::os::unix::fs::symlink("nowhere.yaml", &link).unwrap();
    repository.commit("one");
    repository.write("a.yaml", &vm("a", "4Gi"));
    let run = repository.run(&["plan", "--format", "json", "--base", "main"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("lead nowhere"), "{}", run.err);
    assert_eq!(actions(&run.json()), ["a: modified live"]);
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("elsewhere.yaml", &link).unwrap();
    assert_eq!(repository.run(&["plan", "--base", "main"]).code, 2);
}
