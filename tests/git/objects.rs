//! Objects that machines name and that stand in files of their own: they are read where they change, and cost nothing where not.

use crate::support::{Repository, actions, run, unjudged, vm};

/// A machine that takes its cloud-init data from a Secret, its disc from a ConfigMap and its network from an attachment.
fn machine() -> String {
    vm("a", "2Gi").replace(
        "      volumes: [",
        "      volumes: [{name: conf, configMap: {name: conf}}, {name: ci, cloudInitNoCloud: {secretRef: {name: ci}}}, ",
    )
}

fn object(kind: &str, name: &str, value: &str) -> String {
    format!(
        "apiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}, namespace: vms}}\ndata: {{userdata: {value}}}\n"
    )
}

fn repository() -> Repository {
    let repository = Repository::new();
    repository
        .write("vm.yaml", &machine())
        .write("conf.yaml", &object("ConfigMap", "conf", "one"))
        .write("ci.yaml", &object("Secret", "ci", "b25l"))
        .write("app.yaml", &object("ConfigMap", "app", "one"))
        .commit("one");
    repository
}

#[test]
fn pl03_a_config_map_in_a_file_of_its_own_reaches_the_machine_that_names_it() {
    let repository = repository();
    for (file, kind, name) in [
        ("conf.yaml", "ConfigMap", "conf"),
        ("ci.yaml", "Secret", "ci"),
    ] {
        repository.write(file, &object(kind, name, "dHdv"));
        let plan = repository.plan(&["--base", "main"]);
        assert_eq!(actions(&plan), ["a: unchanged next-start"], "{file}");
        assert_eq!(plan["virtualMachines"][0]["causes"][0], file);
        repository.git(&["add", "-A"]);
        repository.git(&["commit", "-qm", "two"]);
        let commits = repository.run(&[
            "plan", "--format", "json", "--base", "HEAD~1", "--head", "HEAD",
        ]);
        assert_eq!(
            actions(&commits.json()),
            ["a: unchanged next-start"],
            "{file}"
        );
    }
    repository.remove("ci.yaml");
    assert_eq!(
        actions(&repository.plan(&["--base", "main"])),
        ["a: unchanged unknown"]
    );
}

#[test]
fn pl03_directories_beside_are_compared_as_well() {
    let (before, after) = (repository(), repository());
    after.write("ci.yaml", &object("Secret", "ci", "dHdv"));
    let told = run(
        &after.path(),
        &[
            "plan",
            "--format",
            "json",
            "--base-dir",
            before.path().to_str().unwrap(),
        ],
    );
    assert_eq!(actions(&told.json()), ["a: unchanged next-start"]);
}

#[test]
fn pl03_what_no_machine_names_stays_out_of_it() {
    let repository = repository();
    repository
        .write("app.yaml", &object("ConfigMap", "app", "two"))
        .write("broken.yaml", "kind: ConfigMap\n  a: b: c\n")
        .write("template.yaml", "kind: Secret\nname: {{ .name }}\n")
        .write(
            "patch.yaml",
            "kind: Secret\nmetadata: {name: x}\n$patch: delete\n",
        );
    let run = repository.run(&[
        "plan",
        "--format",
        "json",
        "--base",
        "main",
        "--fail-on",
        "unknown",
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    let plan = run.json();
    assert_eq!(actions(&plan), [""; 0]);
    assert_eq!(unjudged(&plan), [""; 0]);
    assert_eq!(plan["summary"]["sentence"], "touches no virtual machine");
}
