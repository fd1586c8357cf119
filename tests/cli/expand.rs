//! `expand`: what comes out, and what is said where a VM does not.

use serde_json::Value as Json;

use crate::support::{VM, Workspace};

fn items(text: &str) -> Vec<Json> {
    let list: Json = serde_json::from_str(text).unwrap();
    assert_eq!(list["kind"], "List");
    list["items"].as_array().unwrap().clone()
}

#[test]
fn instance_type_and_preference_are_applied() {
    let workspace = Workspace::with(&[(
        "vm.yaml",
        &VM.replace(
            "  template:",
            "  preference:\n    name: fedora\n  template:",
        ),
    )]);
    let run = workspace
        .run(&["expand", "-o", "json", "--kubevirt", "1.9"])
        .exits(0);
    let vm = &items(&run.stdout)[0];
    let domain = &vm["spec"]["template"]["spec"]["domain"];
    assert_eq!(domain["memory"]["guest"], "2Gi");
    assert_eq!(domain["cpu"]["sockets"], 1);
    assert_eq!(domain["devices"]["rng"], serde_json::json!({}));
    assert!(vm["spec"].get("instancetype").is_none() && vm["spec"].get("preference").is_none());
    assert!(
        vm["metadata"].get("namespace").is_none(),
        "output gains no namespace"
    );
    assert!(vm.get("status").is_none());
}

#[test]
fn each_conflict_is_named_at_the_field_and_others_are_expanded() {
    let conflicting = VM.replace("name: web", "name: clash").replace(
        "devices: {}",
        "devices: {}\n        cpu:\n          cores: 2\n        memory:\n          guest: 4Gi",
    );
    let workspace = Workspace::with(&[("vms.yaml", &format!("{conflicting}---\n{VM}"))]);
    workspace
        .run(&["expand", "--kubevirt", "1.9"])
        .exits(1)
        .says(&[
            "vms.yaml:14:11: VirtualMachine clash: VM field(s) spec.template.spec.domain.cpu.cores conflicts",
            "vms.yaml:16:11: VirtualMachine clash: VM field(s) spec.template.spec.domain.memory.guest conflicts",
            "help:",
        ])
        .prints(&["name: web"]);
}

#[test]
fn a_missing_instance_type_is_named_with_the_remedy() {
    let of = |kind: &str, name: &str| {
        let vm = VM.replace("name: u1.small", &format!("kind: {kind}\n    name: {name}"));
        Workspace::with(&[("vm.yaml", &vm)])
            .run(&["expand", "--kubevirt", "1.9"])
            .exits(1)
            .prints_nothing()
    };
    of("VirtualMachineInstancetype", "tiny").says(&[
        "vm.yaml:9:11",
        "\"tiny\" not found",
        "--context",
    ]);
    of(
        "virtualmachineclusterinstancetypes",
        "highperformance.small",
    )
    .says(&[
        "\"highperformance.small\" not found",
        "KubeVirt ships it up to",
        "nearest is",
    ]);
    of("Flavor", "tiny").says(&[
        "vm.yaml:8:11",
        "unexpected kind",
        "Flavor",
        "VirtualMachineInstancetype",
    ]);
}

#[test]
fn a_matcher_that_names_a_volume_is_settled_first() {
    let vm = VM
        .replace("name: u1.small", "inferFromVolume: root")
        .replace("devices: {}", "devices: {}\n      volumes:\n      - name: root\n        persistentVolumeClaim:\n          claimName: disk");
    let claim = "apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: disk
  labels:
    instancetype.kubevirt.io/default-instancetype: u1.medium
";
    Workspace::with(&[("vm.yaml", &vm)])
        .run(&["expand"])
        .exits(1)
        .says(&["vm.yaml:8:22", "\"disk\" not found", "infer:"]);
    Workspace::with(&[("vm.yaml", &vm), ("claim.yaml", claim)])
        .run(&["expand"])
        .exits(0)
        .prints(&["guest: 4Gi"]);
}

#[test]
fn one_vm_can_be_asked_for() {
    let other = VM.replace("name: web", "name: web\n  namespace: shop");
    let workspace = Workspace::with(&[("a.yaml", VM), ("b.yaml", &other)]);
    let count = |name: &str| {
        let run = workspace
            .run(&["expand", "-o", "json", "--vm", name])
            .exits(0);
        items(&run.stdout).len()
    };
    assert_eq!(count("shop/web"), 1);
    assert_eq!(count("default/web"), 1);
    assert_eq!(count("web"), 2);
    workspace
        .run(&["expand", "--vm", "shop/db"])
        .exits(2)
        .says(&["shop/db"]);
}

#[test]
fn admitted_shows_what_the_webhook_writes_but_random_values() {
    let run = Workspace::with(&[("vm.yaml", VM)])
        .run(&["expand", "--admitted", "--kubevirt", "1.9"])
        .exits(0)
        .says(&["firmware.uuid", "at random"])
        .prints(&["kubevirt.io/pci-topology-version: v3"]);
    assert!(!run.stdout.contains("00000000-0000"));
    assert!(!run.stdout.contains("firmware"));
}

#[test]
fn explain_says_where_each_value_came_from() {
    let workspace = Workspace::with(&[
        (
            "vm.yaml",
            &VM.replace(
                "name: u1.small",
                "kind: VirtualMachineInstancetype\n    name: own",
            ),
        ),
        (
            "types/own.yaml",
            "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineInstancetype\nmetadata:\n  name: own\nspec:\n  cpu:\n    guest: 3\n  memory:\n    guest: 3Gi\n",
        ),
    ]);
    workspace.run(&["expand", "--explain"]).exits(0).prints(&[
        "VirtualMachine web\n",
        "spec.runStrategy: \"Always\"  # VM, vm.yaml:6:16",
        "domain.memory.guest: \"3Gi\"  # instance type VirtualMachineInstancetype own, types/own.yaml:9:12",
        "architecture: \"amd64\"  # KubeVirt's default",
    ]);
}

#[test]
fn explain_prints_nothing_the_guest_may_keep_secret() {
    let vm = VM.replace(
        "devices: {}",
        "devices: {}\n      volumes:\n      - name: seed\n        cloudInitNoCloud:\n          userData: 'password: hunter2'",
    );
    let run = Workspace::with(&[("vm.yaml", &vm)])
        .run(&["expand", "--explain"])
        .exits(0);
    assert!(run.stdout.contains("userData") && !run.stdout.contains("hunter2"));
}

#[test]
fn fields_the_api_server_drops_are_said() {
    let vm = VM.replace("  runStrategy", "  runStrateggy: Always\n  runStrategy");
    Workspace::with(&[("vm.yaml", &vm)])
        .run(&["expand", "--kubevirt", "1.9"])
        .exits(0)
        .says(&["vm.yaml:6:17", "drops `spec.runStrateggy`"]);
}

#[test]
fn nothing_to_expand_is_clean() {
    Workspace::with(&[("a.yaml", "a: 1\n")])
        .run(&["expand"])
        .exits(0)
        .prints_nothing()
        .says(&["no VirtualMachine"]);
}

#[test]
fn as_vmi_prints_the_instance_that_a_start_makes() {
    let workspace = Workspace::with(&[("vm.yaml", VM)]);
    let run = workspace
        .run(&["expand", "--as", "vmi", "-o", "json", "--kubevirt", "1.9"])
        .exits(0);
    let vmi = &items(&run.stdout)[0];
    assert_eq!(vmi["kind"], "VirtualMachineInstance");
    assert_eq!(vmi["metadata"]["name"], "web");
    assert_eq!(
        vmi["metadata"]["annotations"]["kubevirt.io/cluster-instancetype-name"],
        "u1.small"
    );
    let domain = &vmi["spec"]["domain"];
    assert_eq!(domain["memory"]["maxGuest"], "8Gi");
    assert_eq!(domain["cpu"]["model"], "host-model");
    assert_eq!(
        domain["firmware"],
        serde_json::json!({}),
        "what is random is left out"
    );
    assert!(vmi.get("status").is_none());
}

#[test]
fn as_vmi_names_the_uuid_that_is_derived_from_the_name() {
    let workspace = Workspace::with(&[("vm.yaml", VM)]);
    workspace
        .run(&["expand", "--as", "vmi", "--kubevirt", "1.5"])
        .exits(0)
        .says(&["KubeVirt derives the firmware UUID `d32ff544-f682-571b-8677-3762f07ab8a4` from the VM's name"]);
}
