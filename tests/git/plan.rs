//! `plan --base`: revisions, the index, worktrees, clones without history. It is long because all of it
//! starts from one repository.

use std::path::Path;

use crate::support::{Repository, actions, command, git, run, unjudged, vm};

#[test]
fn a_working_tree_is_compared_with_a_revision() {
    let repository = Repository::new();
    repository
        .write("vms/a.yaml", &vm("a", "2Gi"))
        .write("vms/b.yaml", &vm("b", "2Gi"))
        .write("notes.yaml", "hello: world\n")
        .commit("one");
    assert!(actions(&repository.plan(&["--base", "main"])).is_empty());
    repository.write("vms/a.yaml", &vm("a", "4Gi"));
    repository
        .write("vms/new.yaml", &vm("new", "2Gi"))
        .remove("vms/b.yaml");
    let plan = repository.plan(&["--base", "main"]);
    assert_eq!(
        actions(&plan),
        ["a: modified live", "new: renamed delete"],
        "a VM that differs by its name alone is taken to be renamed"
    );
    assert_eq!(plan["virtualMachines"][0]["causes"][0], "vms/a.yaml");
    // Paths narrow both sides, and are named as seen from the working directory.
    let inside = run(
        &repository.path().join("vms"),
        &["plan", "--base", "main", "--format", "json", "a.yaml"],
    )
    .json();
    assert_eq!(actions(&inside), ["a: modified live"]);
    assert_eq!(inside["virtualMachines"][0]["causes"][0], "a.yaml");
    let outside = run(
        Path::new("/"),
        &[
            "plan",
            "--base",
            "main",
            "--format",
            "json",
            &repository.path().join("vms").to_string_lossy(),
        ],
    )
    .json();
    assert_eq!(outside["virtualMachines"].as_array().unwrap().len(), 2);
}

#[test]
fn two_revisions_are_compared_across_renames_and_merges() {
    let repository = Repository::new();
    repository
        .write("all.yaml", &(vm("a", "2Gi") + "---\n" + &vm("b", "2Gi")))
        .commit("one");
    repository.git(&["checkout", "-q", "-b", "split"]);
    repository
        .remove("all.yaml")
        .write("a.yaml", &vm("a", "2Gi"))
        .write("x/b.yaml", &vm("b", "2Gi"))
        .commit("split");
    repository.git(&["checkout", "-q", "main"]);
    repository
        .write("other.yaml", &vm("c", "2Gi"))
        .commit("other");
    repository.git(&["merge", "-q", "--no-edit", "split"]);
    let plan = repository.plan(&["--base", "HEAD~1", "--head", "HEAD"]);
    assert_eq!(actions(&plan), ["a: unchanged none", "b: unchanged none"]);
    assert_eq!(
        actions(&repository.plan(&["--base", "split", "--head", "main"])),
        ["c: added create"]
    );
    assert_eq!(
        actions(&repository.plan(&["--base", "HEAD^2", "--head", "HEAD^2"])),
        [""; 0]
    );
}

#[test]
fn a_missing_base_is_an_error_that_names_the_cure() {
    let repository = Repository::new();
    repository.write("a.yaml", &vm("a", "2Gi")).commit("one");
    repository.write("a.yaml", &vm("a", "4Gi")).commit("two");
    let missing = repository.run(&["plan", "--base", "origin/release"]);
    assert_eq!(missing.code, 2);
    assert!(missing.out.is_empty());
    assert!(missing.err.contains("git fetch"), "{}", missing.err);
    for (revision, cure) in [
        ("HEAD~9", "git log"),
        (":0", "git log"),
        ("main..HEAD", "--base main --head HEAD"),
        ("0123456789abcdef0123", "run `git fetch origin`"),
    ] {
        let missing = repository.run(&["plan", "--base", revision]);
        assert_eq!((missing.code, missing.out.as_str()), (2, ""));
        assert!(missing.err.contains(cure), "{}", missing.err);
    }
    let clones = tempfile::tempdir().unwrap();
    let url = format!("file://{}", repository.path().display());
    git(
        clones.path(),
        &["clone", "-q", "--depth", "1", &url, "shallow"],
    );
    let shallow = run(
        &clones.path().join("shallow"),
        &["plan", "--base", "HEAD~1"],
    );
    assert_eq!(shallow.code, 2);
    assert!(
        shallow.err.contains("git fetch --unshallow"),
        "{}",
        shallow.err
    );
    assert!(!shallow.out.contains("no virtual machine"));
    git(
        &clones.path().join("shallow"),
        &["fetch", "-q", "--unshallow"],
    );
    let cured = run(
        &clones.path().join("shallow"),
        &["plan", "--base", "HEAD~1", "--format", "json"],
    )
    .json();
    assert_eq!(actions(&cured), ["a: modified live"]);
}

#[test]
fn worktrees_bare_repositories_and_submodules() {
    let repository = Repository::new();
    repository.write("a.yaml", &vm("a", "2Gi")).commit("one");
    let library = Repository::new();
    library.write("lib.yaml", &vm("lib", "2Gi")).commit("lib");
    repository.git(&[
        "submodule",
        "--quiet",
        "add",
        &library.path().to_string_lossy(),
        "lib",
    ]);
    repository.write("a.yaml", &vm("a", "4Gi")).commit("two");
    let places = tempfile::tempdir().unwrap();
    let nothing = repository.plan(&["--base", "HEAD"]);
    assert_eq!(actions(&nothing), [""; 0], "a submodule is no part of it");
    let tree = places.path().join("tree");
    repository.git(&["worktree", "add", "-q", &tree.to_string_lossy(), "HEAD~1"]);
    let plan = run(&tree, &["plan", "--base", "main", "--format", "json"]).json();
    assert_eq!(
        actions(&plan),
        ["a: modified restart"],
        "from 4Gi back to 2Gi"
    );
    let bare = places.path().join("bare");
    repository.git(&["clone", "-q", "--bare", ".", &bare.to_string_lossy()]);
    let plan = run(
        &bare,
        &[
            "plan", "--base", "HEAD~1", "--head", "HEAD", "--format", "json",
        ],
    )
    .json();
    assert_eq!(actions(&plan), ["a: modified live"]);
    let whole = bare.to_string_lossy().into_owned();
    let elsewhere = run(
        Path::new("/"),
        &[
            "plan", &whole, "--base", "HEAD~1", "--head", "HEAD", "--format", "json",
        ],
    );
    assert_eq!(actions(&elsewhere.json()), ["a: modified live"]);
    let refused = run(&bare, &["plan", "--base", "HEAD~1"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("--head"), "{}", refused.err);
}

#[cfg(unix)]
#[test]
fn a_commit_hook_judges_what_is_committed() {
    use std::os::unix::fs::PermissionsExt as _;
    let repository = Repository::new();
    repository
        .write("a.yaml", &vm("a", "2Gi"))
        .write("b.yaml", &vm("b", "2Gi"))
        .commit("one");
    let hook = repository.path().join(".git/hooks/pre-commit");
    let binary = env!("CARGO_BIN_EXE_driftless");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(
        &hook,
        format!("#!/bin/sh\n\"{binary}\" plan --base HEAD --format json > plan.out\n"),
    )
    .unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    repository
        .write("a.yaml", &vm("a", "4Gi"))
        .write("b.yaml", &vm("b", "4Gi"));
    repository.git(&["commit", "-q", "-m", "only a", "a.yaml"]);
    let text = std::fs::read_to_string(repository.path().join("plan.out")).unwrap();
    let plan = serde_json::from_str(&text).unwrap();
    assert_eq!(actions(&plan), ["a: modified live"]);
}

#[test]
fn a_deleted_instance_type_reaches_the_machines_that_name_it() {
    let repository = Repository::new();
    let typed = vm("a", "2Gi")
        .replace(
            "spec:\n  runStrategy",
            "spec:\n  instancetype: {name: it}\n  runStrategy",
        )
        .replace("        memory: {guest: 2Gi}\n", "")
        .replace("        cpu: {sockets: 1, cores: 1, threads: 1}\n", "");
    let instancetype = "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {name: it}\nspec: {cpu: {guest: 1}, memory: {guest: 2Gi}}\n";
    repository
        .write("a.yaml", &typed)
        .write("types/it.yaml", instancetype)
        .commit("one");
    repository.remove("types/it.yaml");
    let plan = repository.plan(&["--base", "main"]);
    assert_eq!(actions(&plan), ["a: unchanged unknown"]);
    assert!(
        plan["virtualMachines"][0]["reasons"][0]["message"]
            .as_str()
            .unwrap()
            .contains("created anew")
    );
    repository.write(
        "types/it.yaml",
        &instancetype.replace("guest: 1}", "guest: 1, model: host-model}"),
    );
    let plan = repository.plan(&["--base", "main"]);
    assert_eq!(actions(&plan), ["a: unchanged restart"]);
    assert_eq!(plan["virtualMachines"][0]["causes"][0], "types/it.yaml");
}

#[test]
fn gates_decide_the_exit_status() {
    let repository = Repository::new();
    repository.write("a.yaml", &vm("a", "2Gi")).commit("one");
    repository.write(
        "a.yaml",
        &vm("a", "2Gi").replace("bus: virtio", "bus: sata"),
    );
    let code = |arguments: &[&str]| {
        repository
            .run(&[&["plan", "--base", "main"], arguments].concat())
            .code
    };
    assert_eq!(code(&[]), 0);
    assert_eq!(code(&["--fail-on", "restart"]), 1);
    assert_eq!(code(&["--fail-on", "rejected"]), 0);
    assert_eq!(code(&["--max-restarts", "0"]), 1);
    assert_eq!(code(&["--max-restarts", "1"]), 0);
    for format in ["text", "json", "markdown", "html"] {
        let run = repository.run(&["plan", "--base", "main", "--format", format]);
        assert_eq!(run.code, 0);
        assert!(run.out.contains("restart"), "{format}");
    }
}

#[test]
fn fail_on_trips_at_its_action_alone() {
    let types = |name: &str| {
        format!(
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: a, namespace: vms}}\nspec:\n  runStrategy: Always\n  instancetype: {{kind: VirtualMachineInstancetype, name: {name}}}\n  template:\n    spec:\n      domain:\n        devices: {{}}\n"
        )
    };
    let own = vm("a", "2Gi");
    let edits = [
        ("live", own.clone(), vm("a", "3Gi")),
        ("unknown", types("small"), types("large")),
        (
            "restart",
            own.clone(),
            own.replace("bus: virtio", "bus: sata"),
        ),
        ("rejected", own.clone(), own.replace("Always", "Sometimes")),
    ];
    let gates = ["unknown", "restart", "rejected"];
    for (action, base, head) in &edits {
        let repository = Repository::new();
        repository.write("a.yaml", base).commit("base");
        repository.write("a.yaml", head);
        let plan = repository.plan(&["--base", "main"]);
        assert_eq!(actions(&plan), [format!("a: modified {action}")]);
        for gate in gates {
            let run = repository.run(&["plan", "--base", "main", "--fail-on", gate]);
            let trips = gate == *action;
            assert_eq!(run.code, i32::from(trips), "{action}, --fail-on {gate}");
            assert_eq!(run.err.contains(gate), trips, "{}", run.err);
        }
    }
}

#[test]
fn a_path_that_is_not_there_is_an_error() {
    let repository = Repository::new();
    repository.write("a.yaml", &vm("a", "2Gi")).commit("one");
    for head in [&[][..], &["--head", "main"]] {
        let arguments = [&["plan", "nowhere", "--base", "main"], head].concat();
        let run = repository.run(&arguments);
        assert_eq!(run.code, 2);
        assert!(run.err.contains("nowhere"), "{}", run.err);
    }
    let elsewhere = tempfile::tempdir().unwrap();
    let outside = elsewhere.path().to_string_lossy().into_owned();
    let run = repository.run(&["plan", ".", &outside, "--base", "main"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.contains("outside of the repository"), "{}", run.err);
    repository.remove("a.yaml");
    let removed = repository.plan(&["a.yaml", "--base", "main"]);
    assert_eq!(actions(&removed), ["a: removed delete"]);
    let run = repository.run(&["plan"]);
    assert_eq!(run.code, 2);
    for way in ["--base REV", "--base-dir", "--kubevirt-from"] {
        assert!(run.err.contains(way), "{}", run.err);
    }
}

#[test]
fn no_git_is_an_error_that_says_so() {
    let repository = Repository::new();
    repository.write("a.yaml", &vm("a", "2Gi")).commit("one");
    let output = command(&repository.path(), &["plan", "--base", "main"])
        .env("PATH", "/nowhere")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(err.contains("no `git` program on PATH"), "{err}");
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("a.yaml"), vm("a", "2Gi")).unwrap();
    let none = run(outside.path(), &["plan", "--base", "main"]);
    assert_eq!(none.code, 2);
    assert!(none.err.contains("--base-dir"), "{}", none.err);
}

#[test]
fn directories_and_streams_are_compared_without_git() {
    let place = tempfile::tempdir().unwrap();
    for (side, guest) in [("old", "2Gi"), ("new", "4Gi")] {
        std::fs::create_dir_all(place.path().join(side).join("x")).unwrap();
        std::fs::write(place.path().join(side).join("x/a.yaml"), vm("a", guest)).unwrap();
        std::fs::write(
            place.path().join(side).join("x/same.yaml"),
            vm("same", "1Gi"),
        )
        .unwrap();
        std::fs::write(place.path().join(format!("{side}.yaml")), vm("a", guest)).unwrap();
    }
    for (base, head) in [("old", "new"), ("old.yaml", "new.yaml")] {
        let plan = run(
            place.path(),
            &["plan", head, "--base-dir", base, "--format", "json"],
        )
        .json();
        assert_eq!(actions(&plan), ["a: modified live"], "{base}");
    }
}

#[test]
fn no_change_is_an_empty_plan_for_every_fixture_repository() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/repos");
    let mut seen = 0;
    for entry in std::fs::read_dir(&fixtures).unwrap() {
        let source = entry.unwrap().path();
        if !source.is_dir() {
            continue;
        }
        let name = source.file_name().unwrap().to_string_lossy().into_owned();
        let plan = run(
            &fixtures,
            &["plan", &name, "--base-dir", &name, "--format", "json"],
        );
        assert!(actions(&plan.json()).is_empty(), "{name}: {}", plan.out);
        seen += 1;
    }
    assert!(seen >= 5, "{seen}");
}

#[test]
fn an_upgrade_of_the_cluster_is_previewed() {
    let repository = Repository::new();
    let typed = vm("a", "2Gi")
        .replace(
            "spec:\n  runStrategy",
            "spec:\n  instancetype: {name: n1.medium}\n  runStrategy",
        )
        .replace("        memory: {guest: 2Gi}\n", "")
        .replace("        cpu: {sockets: 1, cores: 1, threads: 1}\n", "");
    repository
        .write("a.yaml", &typed)
        .write("b.yaml", &vm("b", "2Gi"))
        .commit("one");
    let plan = repository
        .run(&[
            "plan",
            "--kubevirt-from",
            "1.5",
            "--kubevirt-to",
            "1.9",
            "--format",
            "json",
        ])
        .json();
    assert_eq!(plan["base"], "KubeVirt 1.5");
    assert_eq!(plan["head"], "KubeVirt 1.9");
    let notes = plan["notes"].to_string();
    assert!(notes.contains("LiveUpdate unless configured"), "{notes}");
    assert!(notes.contains("can no longer be decoded"), "{notes}");
    let same = repository
        .run(&[
            "plan",
            "--kubevirt-from",
            "1.9",
            "--kubevirt-to",
            "1.9",
            "--format",
            "json",
        ])
        .json();
    assert!(actions(&same).is_empty(), "{same:#}");
}

#[test]
fn a_changed_patch_is_not_judged() {
    let kustomization = "resources: [a.yaml]\npatches: [{path: patch.yaml}]\n";
    let patch = |strategy: &str| {
        format!(
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: a}}\nspec: {{runStrategy: {strategy}}}\n"
        )
    };
    let repository = Repository::new();
    repository
        .write("a.yaml", &vm("a", "2Gi"))
        .write("kustomization.yaml", kustomization)
        .write("patch.yaml", &patch("Halted"))
        .commit("one");
    let files = || unjudged(&repository.plan(&["--base", "main"]));
    assert_eq!(files(), [""; 0]);
    repository.write("patch.yaml", &patch("Always"));
    assert_eq!(files(), ["patch.yaml VirtualMachine"]);
    repository.remove("patch.yaml");
    assert_eq!(files(), ["patch.yaml VirtualMachine"]);
    repository.write("patch.yaml", &patch("Halted"));
    repository.write("b.yaml", &vm("b", "2Gi")).write(
        "kustomization.yaml",
        &kustomization.replace("a.yaml", "a.yaml, b.yaml"),
    );
    assert_eq!(files(), [""; 0]);
    repository.write(
        "kustomization.yaml",
        &format!("{kustomization}namePrefix: x-\n"),
    );
    assert_eq!(files(), ["kustomization.yaml"]);
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "-m", "two"]);
    let plan = repository.plan(&["--base", "HEAD~1", "--head", "HEAD"]);
    assert_eq!(unjudged(&plan), ["kustomization.yaml"]);
}

#[cfg(unix)]
#[test]
fn a_link_in_the_base_is_no_manifest() {
    // git keeps where a link leads as its text; here that text reads like a machine.
    let repository = Repository::new();
    repository.write("vm.yaml", &vm("web", "1Gi"));
    let ghost = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: ghost}\nspec: {runStrategy: Always, template: {spec: {domain: {devices: {}}}}}\n";
    std::os::unix::fs::symlink(ghost, repository.path().join("link.yaml")).unwrap();
    repository.commit("base");
    assert!(
        repository
            .git(&["ls-tree", "HEAD", "link.yaml"])
            .starts_with("120000")
    );
    repository
        .write("vm.yaml", &vm("web", "2Gi"))
        .remove("link.yaml");
    let tree = repository.plan(&["--base", "HEAD"]);
    assert_eq!(actions(&tree), ["web: modified live"]);
    repository.commit("head");
    let revisions = repository.plan(&["--base", "HEAD~1", "--head", "HEAD"]);
    assert_eq!(actions(&revisions), ["web: modified live"]);
}

#[test]
fn pages_and_comments_link_to_lines_and_carry_their_key() {
    let repository = Repository::new();
    repository.write("a.yaml", &vm("a", "2Gi")).commit("one");
    repository.write("a.yaml", &vm("a", "4Gi"));
    let plan = |format: &str, args: &[&str]| {
        let mut all = vec!["plan", "--base", "main", "--format", format];
        all.extend(args);
        run(&repository.path(), &all)
    };
    let links = ["--link-template", "https://git.test/{path}?plain=1#L{line}"];
    let html = plan("html", &links).out;
    assert!(
        html.contains("href=\"https://git.test/a.yaml?plain=1#L1\""),
        "{html}"
    );
    let options = ["--comment-key", "prod", "--artifact", "page"];
    let markdown = plan("markdown", &[&links[..], &options[..]].concat()).out;
    assert!(
        markdown.starts_with("<!-- driftless:plan prod -->\n"),
        "{markdown}"
    );
    assert!(
        markdown.contains("[`a.yaml:1`](<https://git.test/a.yaml?plain=1#L1>)"),
        "{markdown}"
    );
    assert!(markdown.contains("artifact `page`"), "{markdown}");
    for wrong in [
        ["--link-template", "javascript:alert(1)//{path}"],
        ["--link-template", "https://git.test/{path}>"],
        ["--link-template", "https://git.test/"],
        ["--comment-key", "--><b>"],
        ["--comment-key", ""],
    ] {
        assert_eq!(plan("markdown", &wrong).code, 2, "{wrong:?}");
    }
}

#[test]
fn an_upgrade_names_a_revision_that_can_no_longer_be_decoded() {
    let repository = Repository::new();
    let typed = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: a, namespace: vms}\nspec:\n  runStrategy: Always\n  instancetype: {kind: VirtualMachineInstancetype, name: small, revisionName: old}\n  template:\n    spec:\n      domain:\n        devices: {}\n";
    let revision = "apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {name: old, namespace: vms}\ndata:\n  apiVersion: instancetype.kubevirt.io/v1alpha2\n  kind: VirtualMachineInstancetype\n  metadata: {name: small, namespace: vms}\n  spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}\nrevision: 0\n";
    repository
        .write("a.yaml", typed)
        .write("old.yaml", revision)
        .commit("one");
    let upgrade = |from: &str, to: &str| {
        repository.run(&[
            "plan",
            "--kubevirt-from",
            from,
            "--kubevirt-to",
            to,
            "--format",
            "json",
        ])
    };
    let lost = upgrade("1.6", "1.7");
    assert_eq!(actions(&lost.json()), ["a: unchanged rejected"]);
    assert!(
        lost.out.contains("can no longer be decoded"),
        "{}",
        lost.out
    );
    let kept = upgrade("1.5", "1.6");
    assert!(
        !kept.out.contains("can no longer be decoded"),
        "{}",
        kept.out
    );
}

#[test]
fn the_worst_of_several_machines_trips_a_gate() {
    let repository = Repository::new();
    repository
        .write("a.yaml", &vm("a", "2Gi"))
        .write("b.yaml", &vm("b", "2Gi"))
        .commit("base");
    repository.write("a.yaml", &vm("a", "3Gi")).write(
        "b.yaml",
        &vm("b", "2Gi").replace("bus: virtio", "bus: sata"),
    );
    let run = repository.run(&["plan", "--base", "main", "--fail-on", "restart"]);
    assert_eq!(run.code, 1, "{}", run.err);
}

#[test]
fn every_format_of_a_plan_goes_to_the_place_it_is_given() {
    let repository = Repository::new();
    repository.write("a.yaml", &vm("a", "1Gi")).commit("one");
    repository.write("a.yaml", &vm("a", "2Gi"));
    let refused = |arguments: &[&str], says: &str| {
        let run = repository.run(&[&["plan", "--base", "main"], arguments].concat());
        assert_eq!(run.code, 2, "{arguments:?}");
        assert!(run.err.contains(says), "{}", run.err);
        assert!(run.out.is_empty());
    };
    refused(
        &["--format", "json=x", "--output", "y"],
        "--output has nothing to write",
    );
    refused(
        &["--format", "json", "--format", "html"],
        "standard output takes one format",
    );
    refused(
        &["--format", "yaml"],
        "`yaml` is not one of the formats: text, json, markdown, html",
    );
    let run = repository.run(&[
        "plan",
        "--base",
        "main",
        "--format",
        "markdown=x.md",
        "--format",
        "html=x.html",
        "--format",
        "json",
        "--format",
        "text=x.txt",
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.json()["summary"]["action"]["live"], 1);
    for (file, start) in [
        ("x.md", "<!-- driftless:plan -->"),
        ("x.html", "<!doctype html>"),
        ("x.txt", "Plan: 1 changes live\n"),
    ] {
        let text = std::fs::read_to_string(repository.path().join(file)).unwrap();
        assert!(text.starts_with(start), "{file}: {text}");
    }
}
