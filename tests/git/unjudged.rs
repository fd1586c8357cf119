//! What was not read is not nothing: files that bear on virtual machines and are not judged.

use crate::support::{Repository, actions, reason_for, run, unjudged, vm};

fn plan(repository: &Repository, paths: &[&str]) -> serde_json::Value {
    repository.plan(&[&["--base", "main"], paths].concat())
}

#[test]
fn pl03_a_base_of_an_overlay_is_part_of_it() {
    let repository = Repository::new();
    repository
        .write("base/kustomization.yaml", "resources: [vm.yaml, other.yaml]\n")
        .write("base/vm.yaml", &vm("a", "2Gi"))
        .write("base/other.yaml", &vm("b", "2Gi"))
        .write(
            "overlays/west/kustomization.yaml",
            "resources: [../../base]\npatches:\n- {path: p.yaml, target: {kind: VirtualMachine, name: a}}\n",
        )
        .write("overlays/west/p.yaml", "- {op: replace, path: /spec/runStrategy, value: Halted}\n")
        .write("overlays/east/kustomization.yaml", "resources: [../../base]\n")
        .write("unrelated/c.yaml", &vm("c", "2Gi"))
        .commit("one");
    for overlay in ["overlays/west", "overlays/east"] {
        assert_eq!(unjudged(&plan(&repository, &[overlay])), [""; 0]);
    }
    repository
        .write("base/vm.yaml", &vm("a", "4Gi"))
        .write("unrelated/c.yaml", &vm("c", "4Gi"));
    let west = plan(&repository, &["overlays/west"]);
    assert_eq!(actions(&west), ["a: modified live"]);
    assert_eq!(unjudged(&west), ["base/vm.yaml VirtualMachine"]);
    assert!(reason_for(&west, "base/vm.yaml").contains("overlays/west/kustomization.yaml"));
    let labelled = vm("a", "2Gi").replace("metadata: {", "metadata: {labels: {a: b}, ");
    repository.write("base/vm.yaml", &labelled);
    let quiet = plan(&repository, &["overlays/west"]);
    assert_eq!(
        unjudged(&quiet),
        ["base/vm.yaml VirtualMachine"],
        "an edit that does nothing here may do something there"
    );
    repository.write("base/vm.yaml", &vm("a", "4Gi"));
    let east = plan(&repository, &["overlays/east"]);
    assert_eq!(actions(&east), ["a: modified live"]);
    assert_eq!(unjudged(&east), [""; 0], "nothing of it is patched there");
    repository
        .write("base/vm.yaml", &vm("a", "2Gi"))
        .write("base/other.yaml", &vm("b", "4Gi"));
    assert_eq!(
        unjudged(&plan(&repository, &["overlays/west"])),
        [""; 0],
        "the patch is for another VM"
    );
    // A patch without the group in its bytes is not read, and still seen.
    repository.write("base/other.yaml", &vm("b", "2Gi")).write(
        "overlays/west/p.yaml",
        "- {op: replace, path: /spec/runStrategy, value: Always}\n",
    );
    let west = plan(&repository, &["overlays/west"]);
    assert_eq!(unjudged(&west), ["overlays/west/p.yaml"]);
    repository.commit("two").remove("overlays/west/p.yaml");
    let text = repository.run(&[
        "plan",
        "overlays/west",
        "--base",
        "HEAD~1",
        "--head",
        "HEAD",
        "--format",
        "json",
    ]);
    assert!(
        unjudged(&text.json()).contains(&"overlays/west/p.yaml".to_owned()),
        "{}",
        text.out
    );
}

#[test]
fn pl03_a_base_is_found_from_any_directory() {
    let repository = Repository::new();
    repository
        .write("base/kustomization.yaml", "resources: [vm.yaml]\n")
        .write("base/vm.yaml", &vm("a", "2Gi"))
        .write(
            "overlays/west/kustomization.yaml",
            "resources: [../../base]\n",
        )
        .commit("one");
    repository.write("base/vm.yaml", &vm("a", "4Gi"));
    let top = repository.path();
    let whole = top.join("overlays/west").to_string_lossy().into_owned();
    let name = top.file_name().unwrap().to_string_lossy().into_owned();
    let below = format!("{name}/overlays/west");
    for (place, given) in [
        (top.clone(), "overlays/west"),
        (top.join("overlays"), "west"),
        (top.join("overlays/west"), "."),
        (top.join("base"), "../overlays/west"),
        (top.parent().unwrap().to_path_buf(), &*below),
        (std::path::PathBuf::from("/"), &*whole),
    ] {
        let arguments = ["plan", given, "--base", "main", "--format", "json"];
        let plan = run(&place, &arguments).json();
        assert_eq!(
            actions(&plan),
            ["a: modified live"],
            "{given} in {}",
            place.display()
        );
    }
}

#[test]
fn pl03_patches_for_other_kinds_do_not_count() {
    let repository = Repository::new();
    repository
        .write("vm.yaml", &vm("a", "2Gi"))
        .write("web.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n")
        .write("kustomization.yaml", "resources: [vm.yaml, web.yaml]\npatches:\n- {path: web-patch.yaml}\n- {path: json.yaml, target: {kind: Deployment}}\n")
        .write("web-patch.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1}\n")
        .write("json.yaml", "- {op: remove, path: /spec}\n")
        .write("readme.md", "one\n")
        .commit("one");
    repository
        .write(
            "web-patch.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 2}\n",
        )
        .write("json.yaml", "- {op: remove, path: /status}\n")
        .write(
            "web.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, labels: {a: b}}\n",
        )
        .write("readme.md", "two\n");
    assert_eq!(unjudged(&plan(&repository, &[])), [""; 0]);
}

#[test]
fn pl03_a_chart_that_renders_a_vm() {
    let repository = Repository::new();
    let template = vm("a", "2Gi").replace("2Gi", "{{ .Values.memory }}");
    repository
        .write("charts/vms/Chart.yaml", "name: vms\nversion: 1.0.0\n")
        .write("charts/vms/values.yaml", "memory: 2Gi\n")
        .write("charts/vms/templates/vm.yaml", &template)
        .write(
            "charts/vms/templates/_helpers.tpl",
            "{{ define \"x\" }}one{{ end }}\n",
        )
        .write("charts/web/Chart.yaml", "name: web\n")
        .write("charts/web/values.yaml", "replicas: 1\n")
        .write("charts/web/templates/web.yaml", "kind: Deployment\n")
        .commit("one");
    assert_eq!(unjudged(&plan(&repository, &[])), [""; 0]);
    repository
        .write("charts/vms/values.yaml", "memory: 4Gi\n")
        .write("charts/web/values.yaml", "replicas: 2\n");
    let one = plan(&repository, &[]);
    assert_eq!(unjudged(&one), ["charts/vms/values.yaml"]);
    assert!(reason_for(&one, "charts/vms/values.yaml").contains("charts/vms"));
    repository
        .write("charts/vms/values.yaml", "memory: 2Gi\n")
        .write(
            "charts/vms/templates/_helpers.tpl",
            "{{ define \"x\" }}two{{ end }}\n",
        )
        .write(
            "charts/vms/templates/vm.yaml",
            &template.replace("virtio", "sata"),
        )
        .write("charts/vms/templates/new.tpl", "new\n");
    assert_eq!(
        unjudged(&plan(&repository, &[])),
        [
            "charts/vms/templates/_helpers.tpl",
            "charts/vms/templates/new.tpl",
            "charts/vms/templates/vm.yaml VirtualMachine"
        ]
    );
    repository.commit("two");
    let committed = repository.plan(&["--base", "HEAD~1", "--head", "HEAD"]);
    assert_eq!(unjudged(&committed).len(), 3);
}

#[test]
fn pl03_kinds_that_nothing_judges_and_objects_inside_others() {
    let of = |kind: &str, value: u32| match kind {
        "policy" => format!(
            "apiVersion: migrations.kubevirt.io/v1alpha1\nkind: MigrationPolicy\nmetadata: {{name: a}}\nspec: {{completionTimeoutPerGiB: {value}}}\n"
        ),
        "cron" => format!(
            "apiVersion: cdi.kubevirt.io/v1beta1\nkind: DataImportCron\nmetadata: {{name: a}}\nspec: {{importsToKeep: {value}}}\n"
        ),
        "template" => format!(
            "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {{name: a}}\nobjects:\n- apiVersion: kubevirt.io/v1\n  kind: VirtualMachine\n  metadata: {{name: '${{NAME}}'}}\n  spec: {{template: {{spec: {{domain: {{cpu: {{cores: {value}}}}}}}}}}}\n"
        ),
        "playbook" => format!(
            "- hosts: all\n  tasks:\n  - k8s:\n      definition:\n        apiVersion: kubevirt.io/v1\n        kind: VirtualMachine\n        metadata: {{name: a{value}}}\n"
        ),
        "rbac" => format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {{name: a, labels: {{v: v{value}}}}}\nrules: [{{apiGroups: [kubevirt.io], resources: ['*'], verbs: [get]}}]\n"
        ),
        "script" => format!("jobs: [{{run: 'kubectl get vms.kubevirt.io {value}'}}]\n"),
        _ => format!(
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: ${{NAME}}}}\nspec: {{running: {}}}\n",
            value > 1
        ),
    };
    let kinds = [
        "cron", "flux", "playbook", "policy", "rbac", "script", "template",
    ];
    let repository = Repository::new();
    for kind in kinds {
        repository.write(&format!("{kind}.yaml"), &of(kind, 1));
    }
    repository.commit("one");
    assert_eq!(unjudged(&plan(&repository, &[])), [""; 0]);
    for kind in kinds {
        repository.write(&format!("{kind}.yaml"), &of(kind, 2));
    }
    assert_eq!(
        unjudged(&plan(&repository, &[])),
        [
            "cron.yaml DataImportCron",
            "flux.yaml VirtualMachine",
            "playbook.yaml VirtualMachine",
            "policy.yaml MigrationPolicy",
            "template.yaml Template"
        ]
    );
}

const BROKEN: &str = "apiVersion: kubevirt.io/v1\nkind: [VirtualMachine\n";
const NAMELESS: &str = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {}\nspec: {}\n";

fn twice(guest: &str) -> String {
    vm("twice", guest).replace(
        "spec:\n  runStrategy",
        "spec:\n  runStrategy: Halted\n  runStrategy",
    )
}

#[test]
fn pl16_a_bad_document_that_the_change_does_not_touch() {
    for (bad, kind) in [
        (BROKEN, ""),
        (NAMELESS, " VirtualMachine"),
        (&twice("1Gi"), " VirtualMachine"),
    ] {
        let repository = Repository::new();
        repository
            .write("bad.yaml", bad)
            .write("a.yaml", &vm("a", "2Gi"))
            .commit("one");
        repository.write("a.yaml", &vm("a", "4Gi"));
        let run = repository.run(&["plan", "--base", "main", "--format", "json"]);
        assert_eq!(run.code, 0, "{}", run.err);
        let json = run.json();
        assert_eq!(actions(&json), ["a: modified live"]);
        assert_eq!(unjudged(&json), [format!("bad.yaml{kind}")]);
        assert!(reason_for(&json, "bad.yaml").contains("the same on both sides"));
        // Moved and next to another document, it is still the same one.
        repository.write("bad.yaml", &format!("{bad}---\n{}", vm("more", "1Gi")));
        let run = repository.run(&["plan", "--base", "main", "--format", "json"]);
        assert_eq!(run.code, 0, "{}", run.err);
    }
}

#[test]
fn pl16_a_bad_document_that_the_base_alone_has_can_be_repaired() {
    for (bad, repaired, row) in [
        (BROKEN.to_owned(), vm("a", "2Gi"), None),
        (NAMELESS.to_owned(), vm("a", "2Gi"), None),
        (
            twice("1Gi"),
            vm("twice", "2Gi"),
            Some("twice: modified live"),
        ),
    ] {
        let repository = Repository::new();
        repository.write("bad.yaml", &bad).commit("one");
        repository.write("bad.yaml", &repaired);
        let run = repository.run(&["plan", "--base", "main", "--format", "json"]);
        assert_eq!(run.code, 0, "{}", run.err);
        let json = run.json();
        assert_eq!(actions(&json), Vec::from_iter(row));
        assert!(
            reason_for(&json, "bad.yaml").contains("the base alone"),
            "{json:#}"
        );
    }
}

#[test]
fn pl16_a_bad_document_in_the_head_is_no_job_done() {
    for bad in [BROKEN, NAMELESS, &twice("4Gi")] {
        let repository = Repository::new();
        repository
            .write("bad.yaml", &vm("twice", "2Gi"))
            .write("a.yaml", &vm("a", "2Gi"))
            .commit("one");
        repository
            .write("bad.yaml", bad)
            .write("a.yaml", &vm("a", "4Gi"));
        let run = repository.run(&["plan", "--base", "main"]);
        assert_eq!(run.code, 2, "{}", run.err);
        assert!(run.err.contains("bad.yaml"), "{}", run.err);
        assert!(
            run.out.contains("vms/a") || run.out.contains("vms: a,"),
            "the rest is planned: {}",
            run.out
        );
        assert!(!run.out.contains("delete"), "{}", run.out);
    }
}

#[test]
fn pl16_what_is_no_kubernetes_object_is_passed_over_by_every_command() {
    let repository = Repository::new();
    repository
        .write("a.yaml", &vm("a", "2Gi"))
        .write("play.yaml", "- hosts: all\n  tasks:\n  - name: \"{{ x }}\"\n    shell: kubectl get vm.kubevirt.io\n")
        .write("values.yaml", "group: kubevirt.io\nkind: dev\n")
        .write("list.yaml", "- kubevirt.io\n- 1\n")
        .write("text.yaml", "kubevirt.io\n")
        .commit("one");
    repository.write("play.yaml", "- hosts: some # kubevirt.io\n");
    for arguments in [
        &["check"][..],
        &["expand"],
        &["render"],
        &["plan", "--base", "main"],
    ] {
        let run = repository.run(arguments);
        assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
    }
}
