//! Roots: which files are judged together, what is no resource, what a VM sees.

use crate::support::{VM, Workspace};

fn own(kind: &str, name: &str, guest: &str) -> String {
    format!(
        "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: {kind}\nmetadata:\n  name: {name}\nspec:\n  cpu:\n    guest: 1\n  memory:\n    guest: {guest}\n"
    )
}

fn on(name: &str) -> String {
    VM.replace(
        "name: u1.small",
        &format!("kind: VirtualMachineInstancetype\n    name: {name}"),
    )
}

#[test]
fn an_overlay_sees_its_base_and_its_patches_are_no_resources() {
    let workspace = Workspace::with(&[
        (
            "base/kustomization.yaml",
            "resources: [type.yaml, vm.yaml]\n",
        ),
        (
            "base/type.yaml",
            &own("VirtualMachineInstancetype", "own", "5Gi"),
        ),
        ("base/vm.yaml", &on("own")),
        (
            "overlays/west/kustomization.yaml",
            "namePrefix: west-\nresources: [../../base, db.yaml]\npatches:\n- path: patch.yaml\n",
        ),
        (
            "overlays/west/db.yaml",
            &on("own").replace("name: web", "name: db"),
        ),
        ("overlays/west/patch.yaml", &VM.replace("Always", "Halted")),
    ]);
    let run = workspace
        .run(&["expand"])
        .exits(0)
        .says(&["skipped 1 patch;"]);
    assert_eq!(run.stdout.matches("guest: 5Gi").count(), 2);
    let run = workspace.run(&["render"]).exits(0);
    assert!(!run.stdout.contains("Halted") && !run.stderr.contains("differs"));
}

#[test]
fn a_patch_named_alone_is_still_a_patch() {
    let workspace = Workspace::with(&[
        (".git/HEAD", ""),
        (
            "overlay/kustomization.yaml",
            "patches: [{path: patch.yaml}]\n",
        ),
        ("overlay/patch.yaml", VM),
    ]);
    workspace
        .run(&["expand", "overlay/patch.yaml"])
        .exits(0)
        .prints_nothing()
        .says(&["skipped 1 patch;"]);
}

#[test]
fn a_root_does_not_see_its_neighbours() {
    let workspace = Workspace::with(&[
        ("vms/kustomization.yaml", "resources: [vm.yaml]\n"),
        ("vms/vm.yaml", &on("own")),
        ("types/kustomization.yaml", "resources: [type.yaml]\n"),
        (
            "types/type.yaml",
            &own("VirtualMachineInstancetype", "own", "5Gi"),
        ),
    ]);
    workspace.run(&["expand"]).exits(1).says(&[
        "\"own\" not found",
        "types/type.yaml",
        "--context types",
    ]);
    workspace
        .run(&["expand", "--context", "types"])
        .exits(0)
        .prints(&["guest: 5Gi"]);
    workspace
        .run(&["expand", "vms", "--context", "types"])
        .exits(0)
        .prints(&["guest: 5Gi"]);
}

#[test]
fn paths_given_together_see_one_another() {
    let workspace = Workspace::with(&[
        ("a/vm.yaml", &on("own")),
        (
            "b/type.yaml",
            &own("VirtualMachineInstancetype", "own", "5Gi"),
        ),
    ]);
    for arguments in [
        &["expand", "a", "b"][..],
        &["expand", "a/vm.yaml", "b/type.yaml"],
        &["expand"],
    ] {
        workspace.run(arguments).exits(0).prints(&["guest: 5Gi"]);
    }
    workspace.run(&["expand", "a"]).exits(1);
}

#[test]
fn context_is_not_reported_on() {
    let workspace = Workspace::with(&[
        ("vms/vm.yaml", &on("own")),
        (
            "shared/type.yaml",
            &own("VirtualMachineInstancetype", "own", "5Gi"),
        ),
        ("shared/vm.yaml", &VM.replace("name: web", "name: other")),
    ]);
    let run = workspace
        .run(&["expand", "vms", "--context", "shared"])
        .exits(0)
        .prints(&["guest: 5Gi"]);
    assert!(!run.stdout.contains("other"));
    let run = workspace
        .run(&["render", "vms", "--context", "shared"])
        .exits(0);
    assert_eq!(run.stdout.matches("kind:").count(), 2, "{}", run.stdout);
}

#[test]
fn the_tree_wins_over_the_bundle() {
    let workspace = Workspace::with(&[
        ("vm.yaml", VM),
        (
            "type.yaml",
            &own("VirtualMachineClusterInstancetype", "u1.small", "9Gi"),
        ),
    ]);
    workspace.run(&["expand"]).exits(0).prints(&["guest: 9Gi"]);
}

#[test]
fn different_resources_of_one_identity_are_told_by_nearness() {
    let other = VM.replace("Always", "Halted");
    Workspace::with(&[("a.yaml", VM), ("b.yaml", &other)])
        .run(&["expand"])
        .exits(0)
        .says(&["warning: b.yaml:1:1: VirtualMachine web differs from the one at a.yaml:1:1"]);
    let listed = Workspace::with(&[
        ("kustomization.yaml", "resources: [a.yaml, b.yaml]\n"),
        ("a.yaml", VM),
        ("b.yaml", &other),
    ]);
    listed
        .run(&["expand"])
        .exits(1)
        .says(&["error: b.yaml:1:1", "kustomize refuses"]);
    listed.run(&["render"]).exits(2).prints_nothing();
}

#[test]
fn ignored_hidden_and_excluded_files_are_not_read() {
    let workspace = Workspace::with(&[
        (".gitignore", "ignored/\n"),
        ("ignored/vm.yaml", &VM.replace("name: web", "name: ignored")),
        (".hidden/vm.yaml", &VM.replace("name: web", "name: hidden")),
        (
            "vendor/deep/vm.yaml",
            &VM.replace("name: web", "name: vendored"),
        ),
        ("vm.yaml", VM),
        ("vm.txt", &VM.replace("name: web", "name: text")),
        ("vm.yml", &VM.replace("name: web", "name: short")),
    ]);
    let run = workspace
        .run(&["expand", "--exclude", "vendor/"])
        .exits(0)
        .prints(&["name: web", "name: short"]);
    for name in ["ignored", "hidden", "vendored", "text"] {
        assert!(!run.stdout.contains(name), "{name}");
    }
    workspace
        .run(&["expand", "vm.txt"])
        .exits(0)
        .prints(&["name: text"]);
    workspace
        .run(&["expand", "ignored/vm.yaml"])
        .exits(0)
        .prints(&["name: ignored"]);
}
