//! The release and the configuration a tree is for: given, set, shown or assumed.

use crate::support::{VM, Workspace};

const KUBEVIRT: &str = "apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata:
  name: kubevirt
  namespace: kubevirt
spec:
  configuration:
    evictionStrategy: LiveMigrate
status:
  observedKubeVirtVersion: v1.6.2
";

#[test]
fn an_assumed_release_is_said_once() {
    let workspace = Workspace::with(&[("a.yaml", VM), ("b.yaml", &VM.replace("web", "db"))]);
    let run = workspace
        .run(&["expand"])
        .exits(0)
        .says(&["assuming KubeVirt 1.9"]);
    assert_eq!(run.stderr.matches("assuming").count(), 1);
    let known = workspace.run(&["expand", "--kubevirt", "v1.8.0"]).exits(0);
    assert_eq!(known.stderr, "");
}

#[test]
fn the_tree_shows_release_and_configuration() {
    let workspace = Workspace::with(&[("vm.yaml", VM), ("kubevirt.yaml", KUBEVIRT)]);
    let run = workspace
        .run(&["expand"])
        .exits(0)
        .prints(&["evictionStrategy: LiveMigrate"]);
    assert_eq!(run.stderr, "");
    let other = KUBEVIRT
        .replace("LiveMigrate", "External")
        .replace("name: kubevirt\n", "name: other\n")
        .replace("v1.6.2", "v1.7.0");
    workspace.write("other.yaml", other.as_bytes());
    workspace
        .run(&["expand"])
        .exits(0)
        .says(&["1.6 and 1.7", "differ in their configuration"]);
}

#[test]
fn flags_win_over_settings_and_settings_over_the_tree() {
    let workspace = Workspace::with(&[
        ("vm.yaml", VM),
        ("kubevirt.yaml", KUBEVIRT),
        ("cluster.yaml.txt", "evictionStrategy: External\n"),
    ]);
    workspace
        .run(&["expand", "--cluster-config", "cluster.yaml.txt"])
        .exits(0)
        .prints(&["evictionStrategy: External"]);
    workspace.write(
        "driftless.yaml",
        b"kubevirt: '1.5'\nclusterConfig: cluster.yaml.txt\n",
    );
    let memory = |run: &str| run.contains("memory: 2Gi");
    let set = workspace
        .run(&["expand"])
        .exits(0)
        .prints(&["evictionStrategy: External"]);
    assert!(
        memory(&set.stdout),
        "1.5 defaults the memory request: {}",
        set.stdout
    );
    let flag = workspace.run(&["expand", "--kubevirt", "1.9"]).exits(0);
    assert!(!memory(&flag.stdout));
}

#[test]
fn settings_are_found_upward_and_their_mistakes_placed() {
    let workspace = Workspace::with(&[
        (".git/HEAD", ""),
        (
            "driftless.yaml",
            "kubevirt: '1.8'\nexclude: [/deep/vms/skipped/]\ncontext: [shared]\n",
        ),
        (
            "deep/vms/vm.yaml",
            &VM.replace(
                "name: u1.small",
                "kind: VirtualMachineInstancetype\n    name: own",
            ),
        ),
        ("deep/vms/skipped/bad.yaml", "kubevirt.io: [\n"),
        (
            "shared/own.yaml",
            "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineInstancetype\nmetadata: {name: own}\nspec: {cpu: {guest: 1}, memory: {guest: 3Gi}}\n",
        ),
    ]);
    let run = workspace
        .run(&["expand", "deep/vms"])
        .exits(0)
        .prints(&["guest: 3Gi"]);
    assert_eq!(run.stderr, "");
    workspace.write("driftless.yaml", b"kubevirt: '1.8'\nexlude: []\n");
    workspace
        .run(&["expand", "deep/vms"])
        .exits(2)
        .says(&["driftless.yaml:2:1", "exlude"])
        .prints_nothing();
}

#[test]
fn the_namespace_is_assumed_and_never_written() {
    let own = "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineInstancetype\nmetadata: {name: own, namespace: shop}\nspec: {cpu: {guest: 1}, memory: {guest: 3Gi}}\n";
    let workspace = Workspace::with(&[
        (
            "vm.yaml",
            &VM.replace(
                "name: u1.small",
                "kind: VirtualMachineInstancetype\n    name: own",
            ),
        ),
        ("own.yaml", own),
    ]);
    workspace
        .run(&["expand"])
        .exits(1)
        .says(&["in namespace shop, not in default"]);
    let run = workspace
        .run(&["expand", "-n", "shop"])
        .exits(0)
        .prints(&["guest: 3Gi"]);
    assert!(!run.stdout.contains("namespace"));
}

#[test]
fn named_targets_hold_for_their_paths() {
    let workspace = Workspace::with(&[
        (
            "driftless.yaml",
            "kubevirt: '1.9'\ntargets:\n- {name: old, kubevirt: '1.5', paths: [clusters/old]}\n- {name: new, kubevirt: '1.8', paths: [clusters/new]}\n",
        ),
        ("clusters/old/vm.yaml", VM),
        ("clusters/new/vm.yaml", &VM.replace("name: web", "name: db")),
    ]);
    let run = workspace.run(&["expand", "clusters/old"]).exits(0);
    assert!(run.stdout.contains("memory: 2Gi"), "{}", run.stdout);
    let run = workspace.run(&["expand", "clusters/new"]).exits(0);
    assert!(!run.stdout.contains("memory: 2Gi"));
}

#[test]
fn a_target_without_paths_holds_everything_and_nothing_else_is_assumed() {
    let workspace = Workspace::with(&[
        (
            "vm.yaml",
            &VM.replace("devices: {}", "devices: {video: {type: vga}}"),
        ),
        (
            "driftless.yaml",
            "targets: [{name: only, kubevirt: '1.5'}]\n",
        ),
    ]);
    let run = workspace
        .run(&["check"])
        .exits(1)
        .prints(&["needs KubeVirt 1.6; the target is 1.5"]);
    assert!(!run.stderr.contains("assuming"), "{}", run.stderr);
}

#[test]
fn the_tree_shows_the_release_of_cdi() {
    let disk = "apiVersion: cdi.kubevirt.io/v1beta1
kind: DataVolume
metadata:
  name: root
spec:
  source:
    http:
      url: https://example.com/a.qcow2
      checksum: sha256:1234
  storage:
    resources:
      requests:
        storage: 10Gi
";
    let fetched = |release: &str| {
        format!(
            "apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - https://github.com/kubevirt/containerized-data-importer/releases/download/{release}/cdi-operator.yaml
"
        )
    };
    let workspace = Workspace::with(&[("disk.yaml", disk)]);
    workspace
        .run(&["check"])
        .exits(0)
        .prints(&["whether CDI accepts this depends on its release"]);
    workspace.write("cdi/kustomization.yaml", fetched("v1.64.0").as_bytes());
    workspace
        .run(&["check"])
        .exits(0)
        .prints(&["nothing found"]);
    workspace.write("cdi/kustomization.yaml", fetched("v1.65.0").as_bytes());
    workspace
        .run(&["check"])
        .exits(1)
        .prints(&["error[invalid-checksum]", "invalid sha256 hash length"]);
}

#[test]
fn the_settings_add_schemas() {
    let definition = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: backups.example.com
spec:
  group: example.com
  names: {kind: Backup, plural: backups}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [machine]
              properties:
                machine: {type: string}
";
    let objects = format!(
        "{VM}---
apiVersion: example.com/v1
kind: Backup
metadata:
  name: nightly
spec:
  virtualMachine: web
"
    );
    let workspace = Workspace::with(&[("vms/vm.yaml", &objects)]);
    workspace
        .run(&["check", "vms"])
        .exits(0)
        .prints(&["1 object not judged"]);
    workspace.write("driftless.yaml", b"schemas: [crds]\n");
    workspace
        .run(&["check", "vms"])
        .exits(2)
        .says(&["cannot read the schema `crds`"]);
    workspace.write("crds/backup.yaml", definition.as_bytes());
    let run = workspace.run(&["check", "vms"]).exits(1).prints(&[
        "unknown field `virtualMachine`",
        "`spec.machine` is required and missing",
    ]);
    assert!(!run.stdout.contains("not judged"), "{}", run.stdout);
    workspace.write("crds/other.yaml", b"type: object\n");
    workspace
        .run(&["check", "vms"])
        .exits(2)
        .says(&["cannot use the schema `crds/other.yaml`", "neither"]);
}
