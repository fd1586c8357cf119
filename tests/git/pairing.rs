//! Which object of one side is which of the other: paths, roots, targets, namespaces, copies.

use crate::support::{Repository, actions, run, unjudged, vm};

const TARGETS: &str = "targets:\n- {name: west, paths: [west]}\n- {name: east, paths: [east]}\n";

/// `name target: change action` of every row.
fn rows(plan: &serde_json::Value) -> Vec<String> {
    plan["virtualMachines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|vm| {
            let text = |key: &str| vm[key].as_str().unwrap_or_default().to_owned();
            format!(
                "{} {}: {} {}",
                text("name"),
                text("target"),
                text("change"),
                text("action")
            )
        })
        .collect()
}

fn disk(vm: &str, name: &str) -> String {
    vm.replace(
        "spec:\n  runStrategy",
        &format!("spec:\n  dataVolumeTemplates: [{{metadata: {{name: {name}}}, spec: {{storage: {{resources: {{requests: {{storage: 1Gi}}}}}}, source: {{blank: {{}}}}}}}}]\n  runStrategy"),
    )
    .replace("containerDisk: {image: \"quay.io/x/y:1\"}", &format!("dataVolume: {{name: {name}}}"))
}

#[test]
fn pl04_a_vm_in_another_target_is_deleted_there_and_created_here() {
    let repository = Repository::new();
    repository
        .write("driftless.yaml", TARGETS)
        .write("west/a.yaml", &disk(&vm("a", "2Gi"), "a-root"))
        .write("west/b.yaml", &vm("b", "2Gi"))
        .write("east/other.yaml", &vm("other", "1Gi"))
        .commit("one");
    repository
        .remove("west/a.yaml")
        .write("east/a.yaml", &disk(&vm("a", "2Gi"), "a-root"));
    let plan = repository.plan(&["--base", "main"]);
    assert_eq!(
        rows(&plan),
        ["a east: moved create", "a west: moved data-loss"]
            .map(|row| row.replace("data-loss", actions_of_a_deleted_disk(&plan)))
    );
    // An equal VM that another cluster has all along is no part of the change.
    repository.write("east/b.yaml", &vm("b", "2Gi"));
    let plan = repository.plan(&["--base", "main"]);
    assert!(
        rows(&plan).contains(&"b east: added create".to_owned()),
        "{:?}",
        rows(&plan)
    );
}

/// What the loss of a disk is called: it comes first where the plan knows the action.
fn actions_of_a_deleted_disk(plan: &serde_json::Value) -> &str {
    let rows = plan["virtualMachines"].as_array().unwrap();
    let gone = rows.iter().find(|row| row["target"] == "west").unwrap();
    assert_eq!(gone["loses"][0]["what"], "disk");
    gone["action"].as_str().unwrap()
}

#[test]
fn pl04_a_vm_between_two_roots_of_one_target_is_unknown() {
    let repository = Repository::new();
    for root in ["west", "east"] {
        repository.write(
            &format!("{root}/kustomization.yaml"),
            "resources: [x.yaml]\n",
        );
        repository.write(&format!("{root}/x.yaml"), &vm(&format!("{root}-x"), "1Gi"));
    }
    repository
        .write("west/a.yaml", &vm("a", "2Gi"))
        .commit("one");
    repository
        .remove("west/a.yaml")
        .write("east/a.yaml", &vm("a", "2Gi"));
    let plan = repository.plan(&["--base", "main"]);
    assert_eq!(actions(&plan), ["a: moved unknown"]);
    let reason = plan["virtualMachines"][0]["reasons"][0].to_string();
    assert!(
        reason.contains("west") && reason.contains("east") && reason.contains("prunes"),
        "{reason}"
    );
    // In a root that both build on it stays where it is.
    repository
        .remove("east/a.yaml")
        .write("base/kustomization.yaml", "resources: [a.yaml]\n")
        .write("base/a.yaml", &vm("a", "2Gi"))
        .write("west/kustomization.yaml", "resources: [x.yaml, ../base]\n");
    assert_eq!(
        actions(&repository.plan(&["--base", "main"])),
        ["a: unchanged none"]
    );
}

#[test]
fn pl04_a_root_that_appears_around_a_file_moves_nothing() {
    let repository = Repository::new();
    repository
        .write("vms/a.yaml", &vm("a", "2Gi"))
        .commit("one");
    repository
        .write("vms/a.yaml", &vm("a", "4Gi"))
        .write("vms/kustomization.yaml", "resources: [a.yaml]\n");
    assert_eq!(
        actions(&repository.plan(&["--base", "main"])),
        ["a: modified live"]
    );
}

#[test]
fn pl05_the_same_path_comes_first() {
    let repository = Repository::new();
    repository.write("m/vm.yaml", &vm("x", "2Gi")).commit("one");
    repository.write("a/vm.yaml", &vm("x", "4Gi"));
    let plan = repository.plan(&["--base", "main"]);
    assert_eq!(actions(&plan), ["x: added create"]);
    assert_eq!(plan["virtualMachines"][0]["causes"][0], "a/vm.yaml");
    repository.commit("two").remove("a/vm.yaml");
    let plan = repository.plan(&["--base", "main"]);
    assert_eq!(actions(&plan), ["x: removed delete"]);
    assert_eq!(plan["virtualMachines"][0]["causes"][0], "a/vm.yaml");
}

#[test]
fn pl05_equal_copies_never_swallow_a_path() {
    let repository = Repository::new();
    repository
        .write("a/vm.yaml", &vm("x", "2Gi"))
        .write("m/vm.yaml", &vm("x", "2Gi"))
        .commit("one");
    assert_eq!(actions(&repository.plan(&["--base", "main"])), [""; 0]);
    repository.write("a/vm.yaml", &vm("x", "4Gi"));
    let plan = repository.plan(&["--base", "main"]);
    assert_eq!(
        actions(&plan),
        ["x: modified live"],
        "m/vm.yaml stays as it is"
    );
    // A copy more or less changes nothing in the cluster.
    repository
        .write("a/vm.yaml", &vm("x", "2Gi"))
        .write("n/vm.yaml", &vm("x", "2Gi"));
    assert_eq!(actions(&repository.plan(&["--base", "main"])), [""; 0]);
    repository.remove("n/vm.yaml").remove("a/vm.yaml");
    assert_eq!(actions(&repository.plan(&["--base", "main"])), [""; 0]);
}

#[test]
fn a_rename_is_looked_for_in_one_target_only() {
    let repository = Repository::new();
    repository
        .write("driftless.yaml", TARGETS)
        .write("west/a.yaml", &disk(&vm("a", "2Gi"), "root"))
        .commit("one");
    repository
        .remove("west/a.yaml")
        .write("east/b.yaml", &disk(&vm("b", "2Gi"), "root"));
    let plan = repository.plan(&["--base", "main"]);
    let changes: Vec<&str> = plan["virtualMachines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["change"].as_str().unwrap())
        .collect();
    assert_eq!(changes, ["removed", "added"]);
}

#[test]
fn a_vm_in_another_namespace_leaves_its_claims_behind() {
    let with = |namespace: &str| {
        vm("a", "2Gi")
            .replace("namespace: vms", &format!("namespace: {namespace}"))
            .replace(
                "containerDisk: {image: \"quay.io/x/y:1\"}",
                "persistentVolumeClaim: {claimName: data}",
            )
            .replace(
                "volumes: [",
                "volumes: [{name: init, cloudInitNoCloud: {secretRef: {name: seed}}}, ",
            )
    };
    let claim = |namespace: &str| {
        format!(
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: data, namespace: {namespace}}}\nspec: {{accessModes: [ReadWriteMany]}}\n"
        )
    };
    let repository = Repository::new();
    repository
        .write("a.yaml", &with("vms"))
        .write("claim.yaml", &claim("vms"))
        .commit("one");
    repository.write("a.yaml", &with("prod"));
    let plan = repository.plan(&["--base", "main"]);
    assert_eq!(plan["virtualMachines"][0]["change"], "renamed");
    let reasons = plan["virtualMachines"][0]["reasons"].to_string();
    assert!(
        reasons.contains("claim `data` stays in namespace `vms`"),
        "{reasons}"
    );
    assert!(reasons.contains("Secret `seed` stays"), "{reasons}");
    repository.write("claim.yaml", &claim("prod"));
    let plan = repository.plan(&["--base", "main"]);
    // The claim that moves along is a new one: what the old one holds goes.
    assert_eq!(plan["virtualMachines"][0]["action"], "data-loss");
    let reasons = plan["virtualMachines"][0]["reasons"].to_string();
    assert!(!reasons.contains("claim `data` stays"), "{reasons}");
    assert!(reasons.contains("claim `data` goes"), "{reasons}");
}

#[test]
fn a_vm_that_the_heads_settings_no_longer_cover_is_not_deleted() {
    let repository = Repository::new();
    repository
        .write("west/a.yaml", &vm("a", "2Gi"))
        .write("east/b.yaml", &vm("b", "2Gi"))
        .write("driftless.yaml", TARGETS)
        .commit("one");
    repository.write("driftless.yaml", &format!("{TARGETS}exclude: [west]\n"));
    let plan = repository.plan(&["--base", "main"]);
    assert_eq!(actions(&plan), [""; 0]);
    assert_eq!(unjudged(&plan), ["west/a.yaml VirtualMachine"]);
    repository.write(
        "driftless.yaml",
        "targets:\n- {name: east, paths: [east]}\n",
    );
    let plan = repository.plan(&["--base", "main"]);
    assert_eq!(actions(&plan), [""; 0]);
    assert_eq!(unjudged(&plan), ["west/a.yaml VirtualMachine"]);
    // Nor is one created that the base's settings left out.
    repository
        .write("driftless.yaml", "exclude: [west]\n")
        .commit("two")
        .write("driftless.yaml", "{}\n");
    let plan = repository.plan(&["--base", "main"]);
    assert_eq!(actions(&plan), [""; 0]);
    assert_eq!(unjudged(&plan), ["west/a.yaml VirtualMachine"]);
    // Settings that first name targets cover what was covered.
    repository.commit("three").write("driftless.yaml", TARGETS);
    let plan = repository.plan(&["--base", "main"]);
    assert_eq!((actions(&plan), unjudged(&plan)), (vec![], vec![]));
}

#[test]
fn a_namespace_that_the_settings_assume_moves_nothing() {
    let bare = vm("a", "2Gi").replace(", namespace: vms", "");
    let repository = Repository::new();
    repository.write("a.yaml", &bare).commit("one");
    repository.write("driftless.yaml", "namespace: prod\n");
    assert_eq!(actions(&repository.plan(&["--base", "main"])), [""; 0]);
    let inside = run(
        &repository.path(),
        &["plan", "--base", "main", "-n", "x", "--format", "json"],
    );
    assert_eq!(actions(&inside.json()), [""; 0]);
}
