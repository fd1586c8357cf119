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

#[test]
fn what_applies_the_tree_is_read_wherever_it_stands() {
    let repository = repository();
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop, namespace: argocd}\nspec:\n  source: {repoURL: https://git.example.com/a, path: machines}\n  syncPolicy: {automated: {}}\n";
    repository
        .write("apps/shop.yaml", application)
        .write("machines/b.yaml", &vm("b", "2Gi"))
        .commit("two");
    repository.remove("machines/b.yaml");
    let reasons = |plan: &serde_json::Value| plan["virtualMachines"][0]["reasons"].to_string();
    for at in ["", "machines"] {
        let directory = repository.path().join(at);
        std::fs::create_dir_all(&directory).unwrap();
        let told = run(
            &directory,
            &[
                "plan",
                "..",
                "--context",
                "../apps",
                "--format",
                "json",
                "--base",
                "main",
            ]
            .map(|word| {
                if at.is_empty() {
                    word.replace("../", "").replace("..", ".")
                } else {
                    word.to_owned()
                }
            })
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>(),
        );
        let plan = told.json();
        assert_eq!(actions(&plan), ["b: removed delete"], "{at}");
        assert!(reasons(&plan).contains("does not prune"), "{at}: {plan:#}");
    }
    // It is judged as the head has it.
    repository.write(
        "apps/shop.yaml",
        &application.replace("{}", "{prune: true}"),
    );
    let plan = repository.plan(&["--base", "main"]);
    assert!(!reasons(&plan).contains("does not prune"), "{plan:#}");
}

#[test]
fn an_export_of_the_cluster_is_read_from_a_file_for_its_target() {
    let repository = repository();
    let live = vm("a", "2Gi")
        + "status: {conditions: [{type: RestartRequired, status: \"True\", message: owed}]}\n";
    let list = format!(
        "apiVersion: v1\nkind: List\nitems:\n- {}",
        live.trim_end().replace('\n', "\n  ")
    );
    let elsewhere = tempfile::tempdir().unwrap();
    let export = elsewhere.path().join("live.yaml");
    std::fs::write(&export, list).unwrap();
    let export = export.to_str().unwrap();
    repository.write("vm.yaml", &machine().replace("2Gi", "4Gi"));
    let told = |more: &[&str]| repository.plan(&[&["--base", "main"], more].concat());
    assert_eq!(actions(&told(&[])), ["a: modified live"]);
    let owing = told(&["--live", export]);
    assert_eq!(actions(&owing), ["a: modified restart"]);
    repository.write(
        "driftless.yaml",
        "targets:\n- {name: one, paths: [.], kubevirt: 1.9}\n",
    );
    repository.git(&["add", "driftless.yaml"]);
    repository.git(&["commit", "-qm", "targets"]);
    let run = |given: &str| {
        repository.run(&[
            "plan", "--format", "json", "--base", "main", "--live", given,
        ])
    };
    let missing = run(export);
    assert_eq!(missing.code, 2);
    assert!(missing.err.contains("TARGET=FILE"), "{}", missing.err);
    assert_eq!(
        actions(&run(&format!("one={export}")).json()),
        ["a: modified restart"]
    );
    let empty = elsewhere.path().join("empty.yaml");
    std::fs::write(&empty, "kind: List\napiVersion: v1\nitems: []\n").unwrap();
    let empty = run(&format!("one={}", empty.to_str().unwrap()));
    assert_eq!(empty.code, 2);
    assert!(
        empty.err.contains("holds no VirtualMachine"),
        "{}",
        empty.err
    );
}
