//! Each side is read under its own settings, context and release.

use crate::support::{Repository, actions, run, unjudged, vm};

fn typed(name: &str) -> String {
    vm(name, "2Gi")
        .replace(
            "spec:\n  runStrategy",
            "spec:\n  instancetype: {name: it}\n  runStrategy",
        )
        .replace("        memory: {guest: 2Gi}\n", "")
        .replace("        cpu: {sockets: 1, cores: 1, threads: 1}\n", "")
}

fn instancetype(guest: u32) -> String {
    format!(
        "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {{name: it}}\nspec: {{cpu: {{guest: {guest}}}, memory: {{guest: 2Gi}}}}\n"
    )
}

fn kubevirt(tag: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {{name: kubevirt, namespace: kubevirt}}\nspec: {{imageTag: {tag}}}\n"
    )
}

/// A VM pinned to a revision that holds an instance type of an old version, with the revision.
fn pinned() -> String {
    let vm = typed("a").replace("{name: it}", "{name: it, revisionName: rev}");
    let revision = "apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {name: rev, namespace: vms}\nrevision: 1\ndata: {apiVersion: instancetype.kubevirt.io/v1alpha2, kind: VirtualMachineClusterInstancetype, metadata: {name: it}, spec: {cpu: {guest: 1}, memory: {guest: 2Gi}}}\n";
    format!("{vm}---\n{revision}")
}

fn plan(repository: &Repository, arguments: &[&str]) -> serde_json::Value {
    let all = [&["plan", "--format", "json", "--base", "main"], arguments].concat();
    repository.run(&all).json()
}

#[test]
fn pl02_a_kubevirt_upgrade_in_git_is_previewed() {
    let repository = Repository::new();
    repository
        .write("kubevirt.yaml", &kubevirt("v1.6.3"))
        .write("a.yaml", &pinned())
        .write("it.yaml", &instancetype(1))
        .write("b.yaml", &vm("b", "2Gi"))
        .commit("one");
    repository.write("kubevirt.yaml", &kubevirt("v1.7.1"));
    let upgrade = plan(&repository, &[]);
    assert_eq!(upgrade["kubevirt"]["base"], "1.6");
    assert_eq!(upgrade["kubevirt"]["head"], "1.7");
    assert_eq!(actions(&upgrade), ["a: unchanged rejected"]);
    let row = &upgrade["virtualMachines"][0];
    assert_eq!(row["rejected"], "sync");
    // Both objects are there, and it is said once.
    assert_eq!(row["reasons"].as_array().unwrap().len(), 1, "{row:#}");
    assert!(!row.to_string().contains("no longer in this repository"));
    assert_eq!(upgrade["groups"][0]["cause"], "a.yaml");
    let text = repository.run(&["plan", "--base", "main"]);
    assert!(text.out.contains("1.6 → 1.7"), "{}", text.out);
    // One release for both hides it, and says so.
    let hidden = plan(&repository, &["--kubevirt", "1.6"]);
    assert_eq!(actions(&hidden), [""; 0]);
    assert_eq!(hidden["kubevirt"]["hides"][0]["head"], "1.7");
    let text = repository.run(&["plan", "--base", "main", "--kubevirt", "1.6"]);
    assert!(text.out.contains("hides 1.6 → 1.7"), "{}", text.out);
}

#[test]
fn pl02_every_place_that_tells_the_release() {
    let operator = |tag: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: virt-operator, namespace: kubevirt}}\nspec: {{template: {{spec: {{containers: [{{name: a, image: \"quay.io/kubevirt/virt-operator:{tag}\"}}]}}}}}}\n"
        )
    };
    let built = |tag: &str| {
        format!(
            "resources: [a.yaml]\nimages: [{{name: quay.io/kubevirt/virt-operator, newTag: {tag}}}]\n"
        )
    };
    let subscription = |version: &str| {
        format!(
            "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {{name: hco}}\nspec: {{startingCSV: kubevirt-hyperconverged-operator.{version}}}\n"
        )
    };
    let settings = |release: &str| format!("kubevirt: \"{release}\"\n");
    let target =
        |release: &str| format!("targets: [{{name: t, paths: [.], kubevirt: \"{release}\"}}]\n");
    for (file, before, after) in [
        ("operator.yaml", operator("v1.6.3"), operator("v1.7.1")),
        ("kustomization.yaml", built("v1.6.3"), built("v1.7.1")),
        ("hco.yaml", subscription("v4.20.1"), subscription("v4.21.0")),
        ("driftless.yaml", settings("1.6"), settings("1.7")),
        ("driftless.yaml", target("1.6"), target("1.7")),
    ] {
        let repository = Repository::new();
        repository
            .write(file, &before)
            .write("a.yaml", &pinned())
            .write("it.yaml", &instancetype(1))
            .commit("one");
        repository.write(file, &after);
        let plan = plan(&repository, &[]);
        assert_eq!(
            actions(&plan),
            ["a: unchanged rejected"],
            "{file}: {before}"
        );
        assert_eq!(unjudged(&plan), [""; 0], "{file}: {before}");
    }
}

#[test]
fn pl02_a_side_that_tells_nothing_has_the_release_of_the_other() {
    let repository = Repository::new();
    repository.write("a.yaml", &vm("a", "2Gi")).commit("one");
    repository
        .write("driftless.yaml", "kubevirt: 1.6\n")
        .write("a.yaml", &vm("a", "4Gi"));
    let plan = plan(&repository, &[]);
    assert_eq!(plan["kubevirt"]["base"], "1.6");
    assert_eq!(plan["kubevirt"]["head"], "1.6");
}

#[test]
fn pl02_what_only_the_next_apply_is_refused_for_is_none() {
    let repository = Repository::new();
    // From 1.8 on an interface needs exactly one binding.
    let loose = vm("a", "2Gi").replace("{name: default, masquerade: {}}", "{name: default}");
    let release = |release: &str| format!("kubevirt: {release}\n");
    for (from, to) in [
        ("1.5", "1.6"),
        ("1.6", "1.7"),
        ("1.7", "1.8"),
        ("1.8", "1.9"),
    ] {
        repository
            .write("driftless.yaml", &release(from))
            .write("a.yaml", &loose)
            .commit(from);
        repository.write("driftless.yaml", &release(to));
        for vm in plan(&repository, &[])["virtualMachines"]
            .as_array()
            .unwrap()
        {
            assert_eq!(vm["action"], "none", "{vm:#}");
            assert!(
                vm["reasons"]
                    .to_string()
                    .contains("the next apply is refused"),
                "{vm:#}"
            );
        }
    }
}

#[test]
fn pl03_context_in_the_repository_is_read_from_each_side() {
    let repository = Repository::new();
    repository
        .write("vms/a.yaml", &typed("a"))
        .write("types/it.yaml", &instancetype(1))
        .commit("one");
    repository.write("types/it.yaml", &instancetype(2));
    let changed = |arguments: &[&str]| {
        let plan = plan(&repository, arguments);
        let vms = plan["virtualMachines"].as_array().unwrap();
        let causes = vms.iter().map(|vm| vm["causes"].to_string());
        causes.collect::<Vec<_>>()
    };
    assert_eq!(
        changed(&["vms", "--context", "types"]),
        [r#"["types/it.yaml"]"#]
    );
    repository
        .write("driftless.yaml", "context: [types]\n")
        .commit("two");
    repository.write("types/it.yaml", &instancetype(3));
    assert_eq!(changed(&["vms"]), [r#"["types/it.yaml"]"#]);
    // Outside of the repository it is one for both.
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("it.yaml"), instancetype(4)).unwrap();
    repository.write("driftless.yaml", "{}\n").commit("three");
    let outside = outside.path().to_string_lossy().into_owned();
    assert_eq!(changed(&["vms", "--context", &outside]), [""; 0]);
}

#[test]
fn pl03_the_cluster_configuration_in_the_repository_is_read_from_each_side() {
    let repository = Repository::new();
    let file = |strategy: &str| format!("vmRolloutStrategy: {strategy}\n");
    repository
        .write("a.yaml", &vm("a", "2Gi"))
        .write("cluster.yaml", &file("LiveUpdate"))
        .write("ci/driftless.yaml", "exclude: [b.yaml]\n")
        .commit("one");
    repository
        .write("a.yaml", &vm("a", "4Gi"))
        .write("cluster.yaml", &file("Stage"));
    let with = |arguments: &[&str]| actions(&plan(&repository, arguments));
    assert_eq!(
        with(&["--cluster-config", "cluster.yaml", "--kubevirt", "1.9"]),
        ["a: modified restart"]
    );
    repository.write("ci/driftless.yaml", "kubevirt: [\n");
    let broken = repository.run(&["plan", "--base", "main", "--config", "ci/driftless.yaml"]);
    assert_eq!(broken.code, 2);
    // Settings that only the base has are those of the base alone.
    repository.remove("ci/driftless.yaml");
    let gone = repository.run(&["plan", "--base", "main", "--config", "ci/driftless.yaml"]);
    assert_eq!(gone.code, 2);
    assert!(gone.err.contains("ci/driftless.yaml"), "{}", gone.err);
}

#[test]
fn pl20_a_file_that_only_the_base_directory_has_is_named_there() {
    let place = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let file = place.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    write("old/a.yaml", &vm("a", "2Gi"));
    write(
        "old/gone.yaml",
        &vm("gone", "1Gi").replace("virtio", "sata"),
    );
    write("old/driftless.yaml", "kubevirt: 1.6\n");
    write("new/a.yaml", &vm("a", "4Gi"));
    write("new/driftless.yaml", "kubevirt: 1.7\n");
    let plan = run(
        place.path(),
        &["plan", "new", "--base-dir", "old", "--format", "json"],
    )
    .json();
    assert_eq!(actions(&plan), ["a: modified live", "gone: removed delete"]);
    assert_eq!(plan["virtualMachines"][0]["causes"][0], "new/a.yaml");
    assert_eq!(plan["virtualMachines"][1]["causes"][0], "old/gone.yaml");
    assert_eq!(
        (&plan["kubevirt"]["base"], &plan["kubevirt"]["head"]),
        (&"1.6".into(), &"1.7".into())
    );
}
