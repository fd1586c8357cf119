//! `catalog`: the built-in instance types and preferences.

use crate::support::Workspace;

#[test]
fn the_bundle_of_a_release_is_listed() {
    let workspace = Workspace::new();
    let newest = workspace.run(&["catalog"]).exits(0).prints(&[
        "KubeVirt v1.9",
        "u1.small",
        "1 vCPU, 2Gi",
        "preference",
    ]);
    assert_eq!(workspace.run(&["catalog", "list"]).stdout, newest.stdout);
    workspace
        .run(&["catalog", "list", "--kubevirt", "1.1"])
        .exits(0)
        .prints(&["KubeVirt v1.1"]);
}

#[test]
fn one_object_is_shown_as_yaml() {
    let workspace = Workspace::new();
    let run = workspace
        .run(&["catalog", "show", "u1.small"])
        .exits(0)
        .prints(&[
            "kind: VirtualMachineClusterInstancetype",
            "name: u1.small",
            "guest: 2Gi",
        ]);
    let vm = crate::support::VM.replace("u1.small", "mine");
    let own = run
        .stdout
        .replace("name: u1.small", "name: mine")
        .replace("guest: 2Gi", "guest: 11Gi");
    Workspace::with(&[("vm.yaml", &vm), ("own.yaml", &own)])
        .run(&["expand"])
        .exits(0)
        .prints(&["guest: 11Gi"]);
    workspace
        .run(&["catalog", "show", "absent"])
        .exits(2)
        .says(&["absent"]);
    workspace
        .run(&["catalog", "show", "highperformance.small"])
        .exits(2)
        .says(&["highperformance.small", "--kubevirt"]);
}

#[test]
fn releases_are_compared() {
    let workspace = Workspace::new();
    workspace
        .run(&["catalog", "diff", "1.1", "1.9"])
        .exits(1)
        .prints(&["- ", "+ ", "~ ", " -> "]);
    workspace
        .run(&["catalog", "diff", "1.9", "1.9"])
        .exits(0)
        .prints_nothing();
}
