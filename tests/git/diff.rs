//! `diff`: trees, revisions and files; as kubectl calls it.

use crate::support::{Repository, run, vm};

#[test]
fn trees_are_compared_by_identity_and_value() {
    let place = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let file = place.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    write("old/a.yaml", &vm("a", "2Gi"));
    write(
        "new/b/c.yaml",
        &vm("a", "2048Mi").replace("runStrategy: Always", "running: true"),
    );
    let same = run(place.path(), &["diff", "old", "new"]);
    assert_eq!((same.code, same.out.as_str()), (0, ""), "{}", same.err);
    write(
        "new/b/c.yaml",
        &(vm("a", "4Gi") + "---\n" + &vm("x", "1Gi").replace("virtio", "sata")),
    );
    write(
        "new/secret.yaml",
        "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: hunter2}\n",
    );
    let text = run(place.path(), &["diff", "old", "new"]);
    assert_eq!(text.code, 1);
    assert!(text.out.contains("~ VirtualMachine vms/a"), "{}", text.out);
    assert!(
        text.out
            .contains("spec.template.spec.domain.memory.guest: 2Gi → 4Gi"),
        "{}",
        text.out
    );
    assert!(text.out.contains("+ VirtualMachine vms/x"));
    let json = run(place.path(), &["diff", "old", "new", "--format", "json"]).json();
    assert_eq!(json["version"], 1);
    let unified = run(place.path(), &["diff", "old", "new", "--format", "unified"]);
    assert!(
        unified.out.contains("-          guest: 2Gi")
            && unified.out.contains("+          guest: 4Gi"),
        "{}",
        unified.out
    );
    for format in ["text", "json", "unified"] {
        assert!(
            !run(place.path(), &["diff", "old", "new", "--format", format])
                .out
                .contains("hunter2")
        );
    }
}

#[test]
fn kubectl_hands_over_directories_of_files_without_extension() {
    let place = tempfile::tempdir().unwrap();
    for (side, guest) in [("LIVE-1", "2Gi"), ("MERGED-1", "4Gi")] {
        std::fs::create_dir(place.path().join(side)).unwrap();
        std::fs::write(
            place
                .path()
                .join(side)
                .join("kubevirt.io.v1.VirtualMachine.vms.a"),
            vm("a", guest),
        )
        .unwrap();
    }
    let run = run(place.path(), &["diff", "LIVE-1", "MERGED-1"]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.out.contains("guest: 2Gi → 4Gi"));
}

#[test]
fn revisions_are_compared_and_instance_types_applied() {
    let repository = Repository::new();
    let typed = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: a}\nspec: {runStrategy: Always, instancetype: {name: it}, template: {spec: {domain: {}}}}\n";
    let instancetype = |guest: u32| {
        format!(
            "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {{name: it}}\nspec: {{cpu: {{guest: {guest}}}, memory: {{guest: 2Gi}}}}\n"
        )
    };
    repository
        .write("a.yaml", typed)
        .write("it.yaml", &instancetype(1))
        .commit("one");
    repository.write("it.yaml", &instancetype(2)).commit("two");
    let plain = repository.run(&["diff", "HEAD~1", "HEAD"]);
    assert_eq!(plain.code, 1);
    assert!(
        !plain.out.contains("VirtualMachine default/a")
            && plain.out.contains("spec.cpu.guest: 1 → 2"),
        "{}",
        plain.out
    );
    let expanded = repository.run(&["diff", "HEAD~1", "HEAD", "--expanded"]);
    assert!(
        expanded
            .out
            .contains("spec.template.spec.domain.cpu.sockets: 1 → 2"),
        "{}",
        expanded.out
    );
    assert_eq!(repository.run(&["diff", "HEAD", "HEAD"]).code, 0);
}

#[test]
fn pl20_an_expanded_diff_follows_what_a_volume_leads_to() {
    let repository = Repository::new();
    let inferring = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: a, namespace: vms}\nspec: {runStrategy: Always, instancetype: {inferFromVolume: root}, template: {spec: {domain: {}, volumes: [{name: root, persistentVolumeClaim: {claimName: root}}]}}}\n";
    let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: root, namespace: vms, labels: {instancetype.kubevirt.io/default-instancetype: it}}\n";
    let instancetype = |guest: u32| {
        format!(
            "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {{name: it}}\nspec: {{cpu: {{guest: {guest}}}, memory: {{guest: 2Gi}}}}\n"
        )
    };
    repository
        .write("a.yaml", inferring)
        .write("claim.yaml", claim)
        .write("it.yaml", &instancetype(1))
        .commit("one");
    repository.write("it.yaml", &instancetype(2)).commit("two");
    let expanded = repository.run(&["diff", "HEAD~1", "HEAD", "--expanded"]);
    assert_eq!(expanded.code, 1, "{}", expanded.err);
    assert!(
        expanded
            .out
            .contains("spec.template.spec.domain.cpu.sockets: 1 → 2"),
        "{}",
        expanded.out
    );
    assert!(
        !expanded.err.contains("compared as written"),
        "{}",
        expanded.err
    );
    // What leads nowhere is said by the name of what is missing.
    repository.remove("claim.yaml").commit("three");
    let lost = repository.run(&["diff", "HEAD~1", "HEAD", "--expanded"]);
    assert!(
        lost.err.contains("root") && !lost.err.contains("\"\"") && !lost.err.contains("``"),
        "{}",
        lost.err
    );
}

#[test]
fn pl20_two_paths_that_are_not_there_are_no_revisions_to_fetch() {
    let repository = Repository::new();
    repository.write("a.yaml", &vm("a", "2Gi")).commit("one");
    for (before, after) in [("old", "new"), ("a\nb", "c")] {
        let missing = repository.run(&["diff", before, after]);
        assert_eq!((missing.code, missing.out.as_str()), (2, ""));
        assert!(
            missing.err.contains("neither files nor directories") && !missing.err.contains("fetch"),
            "{}",
            missing.err
        );
    }
    let outside = tempfile::tempdir().unwrap();
    let missing = run(outside.path(), &["diff", "old", "new"]);
    assert!(missing.err.contains("neither files"), "{}", missing.err);
    // One that is a revision says how to get the other.
    let missing = repository.run(&["diff", "main", "release"]);
    assert!(missing.err.contains("git fetch"), "{}", missing.err);
}

#[test]
fn kubectl_hands_over_several_files_without_extension() {
    let place = tempfile::tempdir().unwrap();
    for (side, guest) in [("LIVE-1", "2Gi"), ("MERGED-1", "4Gi")] {
        std::fs::create_dir(place.path().join(side)).unwrap();
        for (name, guest) in [("a", "1Gi"), ("b", guest), ("c", "1Gi")] {
            let file = format!("kubevirt.io.v1.VirtualMachine.vms.{name}");
            std::fs::write(place.path().join(side).join(file), vm(name, guest)).unwrap();
        }
    }
    let run = run(place.path(), &["diff", "LIVE-1", "MERGED-1"]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.out.contains("VirtualMachine vms/b"), "{}", run.out);
    assert!(
        !run.out.contains("vms/a") && !run.out.contains("vms/c"),
        "{}",
        run.out
    );
}
