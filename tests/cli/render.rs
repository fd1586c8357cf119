//! `render`: normal form, order, policies, files.

use std::fs;

use crate::support::{VM, Workspace};

const EXPORT: &str = "apiVersion: v1
kind: List
items:
- apiVersion: kubevirt.io/v1
  kind: VirtualMachine
  metadata:
    name: web
    namespace: shop
    uid: 3c0f5d43-6b0b-4d41-8a63-6f0f3c5f7d10
    creationTimestamp: null
  spec:
    running: true # kept on
    template:
      metadata:
        creationTimestamp: null
      spec:
        domain:
          memory:
            guest: 2048Mi
          devices:
            rng: {}
  status: {}
- apiVersion: v1
  kind: Namespace
  metadata:
    name: shop
- apiVersion: example.com/v1
  kind: Thing
  metadata:
    name: a
  spec: {left: alone}
";

#[test]
fn what_a_cluster_writes_goes_and_order_is_fixed() {
    let workspace = Workspace::with(&[("export.yaml", EXPORT)]);
    let run = workspace.run(&["render", "--kubevirt", "1.9"]).exits(0);
    assert_eq!(
        run.stdout,
        "apiVersion: v1
kind: Namespace
metadata:
  name: shop
---
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
  namespace: shop
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        memory:
          guest: 2Gi
        devices:
          rng: {}
---
apiVersion: example.com/v1
kind: Thing
metadata:
  name: a
spec:
  left: alone
"
    );
    let again = workspace.pipe(&["render", "-"], &run.stdout).exits(0);
    assert_eq!(again.stdout, run.stdout, "rendering again changes nothing");
    assert_eq!(workspace.read("export.yaml"), EXPORT, "files are only read");
}

#[test]
fn diff_shows_changed_values_only() {
    let workspace = Workspace::with(&[
        ("export.yaml", EXPORT),
        ("clean.yaml", &format!("# A comment.\n{VM}")),
    ]);
    let run = workspace.run(&["render", "--diff"]).exits(1).prints(&[
        "--- export.yaml:4:3 VirtualMachine shop/web",
        "-  running: true\n",
        "+  runStrategy: Always\n",
    ]);
    assert!(!run.stdout.contains("clean.yaml"));
    workspace
        .run(&["render", "--diff", "clean.yaml"])
        .exits(0)
        .prints_nothing();
}

#[test]
fn json_is_one_list() {
    let run = Workspace::with(&[("export.yaml", EXPORT)])
        .run(&["render", "-o", "json"])
        .exits(0);
    let list: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(list["kind"], "List");
    assert_eq!(list["items"].as_array().unwrap().len(), 3);
}

#[test]
fn policies_are_those_of_kubevirt() {
    let stored = VM.replace("name: web", "name: stored")
        + "status:\n  instancetypeRef:\n    name: u1.small\n    controllerRevisionRef:\n      name: stored-u1.small\n";
    let revision = "apiVersion: apps/v1
kind: ControllerRevision
metadata:
  name: stored-u1.small
  labels:
    instancetype.kubevirt.io/object-name: u1.small
data:
  apiVersion: instancetype.kubevirt.io/v1beta1
  kind: VirtualMachineClusterInstancetype
  metadata: {name: u1.small}
  spec: {cpu: {guest: 1}, memory: {guest: 7Gi}}
revision: 0
";
    let workspace = Workspace::with(&[
        ("vm.yaml", VM),
        ("stored.yaml", &stored),
        ("revision.yaml", revision),
    ]);
    let expanded = |policy: &str| {
        let run = workspace
            .run(&["render", "--policy", policy, "--kubevirt", "1.9"])
            .exits(0);
        (
            run.stdout.contains("guest: 2Gi"),
            run.stdout.contains("sockets: 1\n"),
            run.stdout.matches("name: u1.small").count(),
        )
    };
    assert_eq!(expanded("reference"), (false, false, 4));
    assert_eq!(
        expanded("expand"),
        (true, true, 3),
        "a VM with a stored revision keeps its reference"
    );
    assert_eq!(expanded("expandAll"), (true, true, 2));
}

#[test]
fn what_cannot_be_expanded_fails_whole() {
    let broken = VM
        .replace("name: web", "name: broken")
        .replace("u1.small", "absent");
    let workspace = Workspace::with(&[("vm.yaml", VM), ("broken.yaml", &broken)]);
    workspace.run(&["render"]).exits(0);
    workspace
        .run(&["render", "--policy", "expand"])
        .exits(2)
        .says(&["broken.yaml:8:11", "\"absent\" not found"])
        .prints_nothing();
}

#[test]
fn nothing_rendered_is_2_unless_allowed() {
    let workspace = Workspace::with(&[("a.yaml", "a: 1\n")]);
    workspace
        .run(&["render"])
        .exits(2)
        .says(&["nothing to render", "--allow-empty"])
        .prints_nothing();
    workspace
        .run(&["render", "--allow-empty"])
        .exits(0)
        .prints_nothing();
}

#[test]
fn one_file_an_object() {
    let workspace = Workspace::with(&[("export.yaml", EXPORT)]);
    let names = || {
        let mut names: Vec<_> = fs::read_dir(workspace.path("out"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    workspace
        .run(&["render", "--output-dir", "out"])
        .exits(0)
        .prints_nothing();
    let first = names();
    assert_eq!(
        first,
        [
            "namespace-shop.yaml",
            "thing-a.yaml",
            "virtualmachine-shop-web.yaml"
        ]
    );
    let before = fs::metadata(workspace.path("out/thing-a.yaml"))
        .unwrap()
        .modified()
        .unwrap();
    workspace.run(&["render", "--output-dir", "out"]).exits(0);
    assert_eq!(names(), first, "what was written is not read again");
    let after = fs::metadata(workspace.path("out/thing-a.yaml"))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(before, after, "a file that holds the same is left alone");
    workspace
        .run(&["render", "out", "--output-dir", "again"])
        .exits(0);
    for name in first {
        assert_eq!(
            workspace.read(&format!("out/{name}")),
            workspace.read(&format!("again/{name}"))
        );
    }
}

#[test]
fn names_never_leave_the_directory() {
    let evil = VM.replace("name: web", "name: ../../../escaped\n  namespace: ..");
    let workspace = Workspace::with(&[("sub/vm.yaml", &evil)]);
    workspace
        .run(&["render", "sub", "--output-dir", "sub/out"])
        .exits(0);
    let files: Vec<_> = fs::read_dir(workspace.path("sub/out")).unwrap().collect();
    assert_eq!(files.len(), 1);
    assert!(!workspace.path("escaped.yaml").exists());
}

#[test]
fn encrypted_documents_pass_byte_for_byte() {
    let secret = "# ENC[comment]\napiVersion: v1\nkind: Secret\nmetadata: {name:   a, uid: x}\nstringData:\n    password: ENC[AES256_GCM,data:x]\nsops:\n    mac: ENC[y]\n    version: 3.9.0\n";
    let workspace = Workspace::with(&[("secret.yaml", secret)]);
    let run = workspace.run(&["render"]).exits(0);
    assert_eq!(run.stdout, secret);
    workspace
        .run(&["render", "--diff"])
        .exits(0)
        .prints_nothing();
}

#[test]
fn two_clusters_in_one_tree_stay_apart() {
    let other = VM.replace("Always", "Halted");
    let workspace = Workspace::with(&[
        ("east/kustomization.yaml", "resources: [vm.yaml]\n"),
        ("east/vm.yaml", VM),
        ("west/kustomization.yaml", "resources: [vm.yaml]\n"),
        ("west/vm.yaml", &other),
    ]);
    let run = workspace
        .run(&["render"])
        .exits(0)
        .prints(&["# Source: east/vm.yaml", "# Source: west/vm.yaml"]);
    let again = workspace.pipe(&["render", "-"], &run.stdout).exits(0);
    assert_eq!(again.stdout, run.stdout);
    workspace.run(&["render", "--output-dir", "out"]).exits(0);
    assert!(workspace.path("out/east/virtualmachine-web.yaml").exists());
    workspace
        .run(&["render", "out", "--output-dir", "again"])
        .exits(0);
    assert!(
        workspace
            .path("again/west/virtualmachine-web.yaml")
            .exists()
    );
}

#[test]
fn old_words_become_todays() {
    let workspace = Workspace::with(&[
        (
            "vm.yaml",
            &VM.replace("kubevirt.io/v1\n", "kubevirt.io/v1alpha3\n"),
        ),
        (
            "preference.yaml",
            "apiVersion: instancetype.kubevirt.io/v1alpha2\nkind: VirtualMachinePreference\nmetadata: {name: old}\nspec:\n  cpu:\n    preferredCPUTopology: preferCores\n",
        ),
    ]);
    workspace.run(&["render"]).exits(0).prints(&[
        "apiVersion: kubevirt.io/v1\n",
        "apiVersion: instancetype.kubevirt.io/v1beta1\n",
        "preferredCPUTopology: cores",
    ]);
}
