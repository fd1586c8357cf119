//! What edited, renamed and removed instance types and preferences do to virtual machines that nobody edited.

use driftless::plan::{Action, Change, Rejection};
use serde_json::json;

use crate::support::{change, files, files_of, says};

fn vm(instancetype: &str, more: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: web, namespace: vms}}\nspec:\n  runStrategy: Always\n  instancetype: {{name: {instancetype}{more}}}\n  preference: {{name: pr}}\n  template:\n    spec:\n      domain: {{devices: {{disks: [{{name: root, disk: {{bus: virtio}}}}]}}}}\n      volumes: [{{name: root, containerDisk: {{image: \"quay.io/x/y:1\"}}}}]\n"
    )
}

fn types(guest: u32, topology: &str) -> String {
    format!(
        "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {{name: it}}\nspec: {{cpu: {{guest: {guest}}}, memory: {{guest: 2Gi}}}}\n---\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterPreference\nmetadata: {{name: pr}}\nspec: {{cpu: {{preferredCPUTopology: {topology}}}}}\n"
    )
}

#[test]
fn a_preference_edited_under_its_name_reaches_every_machine_that_uses_it() {
    let vm = vm("it", "");
    let plan = files(
        &[("vm.yaml", &vm), ("types.yaml", &types(2, "sockets"))],
        &[("vm.yaml", &vm), ("types.yaml", &types(2, "cores"))],
    )
    .vm();
    assert_eq!(
        (plan.change, plan.action),
        (Change::Unchanged, Action::Restart)
    );
    assert!(says(&plan, "its captured revision shields it"));
    assert!(says(&plan, "preference `pr` changed"));
    assert!(says(
        &plan,
        "a non-live-updatable field was changed in the template spec"
    ));
    assert!(says(&plan, "created anew"));
    assert_eq!(files_of(&plan), ["types.yaml"]);
    let fields: Vec<String> = plan
        .fields
        .iter()
        .map(|field| field.path.to_string())
        .collect();
    assert!(
        fields.contains(&"spec.template.spec.domain.cpu.cores".to_owned()),
        "{fields:?}"
    );
}

#[test]
fn edits_that_kubevirt_does_not_compare_leave_the_machine_alone() {
    let vm = vm("it", "");
    let plan = files(
        &[("vm.yaml", &vm), ("types.yaml", &types(1, "sockets"))],
        &[("vm.yaml", &vm), ("types.yaml", &types(2, "sockets"))],
    )
    .vm();
    assert_eq!(
        (plan.change, plan.action),
        (Change::Unchanged, Action::None)
    );
    assert!(says(&plan, "nothing changes until it is created anew"));
}

#[test]
fn the_same_edit_with_an_edit_of_the_machine() {
    let base = vm("it", "");
    let head = base.replace(
        "runStrategy: Always",
        "runStrategy: Always\n  updateVolumesStrategy: Replacement",
    );
    let plan = files(
        &[("vm.yaml", &base), ("types.yaml", &types(2, "sockets"))],
        &[("vm.yaml", &head), ("types.yaml", &types(2, "cores"))],
    )
    .vm();
    assert_eq!(
        (plan.change, plan.action),
        (Change::Modified, Action::Restart)
    );
}

#[test]
fn pl20_a_removed_instance_type_leaves_the_running_machine_and_breaks_a_new_one() {
    let vm = vm("it", "");
    let plan = files(
        &[("vm.yaml", &vm), ("types.yaml", &types(2, "sockets"))],
        &[
            ("vm.yaml", &vm),
            (
                "types.yaml",
                types(2, "sockets").split("---\n").nth(1).unwrap(),
            ),
        ],
    )
    .vm();
    assert_eq!(
        (plan.change, plan.action),
        (Change::Unchanged, Action::Unknown)
    );
    assert!(
        says(&plan, "can no longer be created anew"),
        "{:#?}",
        plan.reasons
    );
    assert!(says(&plan, "not found"));
}

#[test]
fn another_name_that_is_nowhere_is_unknown() {
    let side = types(2, "sockets");
    let plan = files(
        &[("vm.yaml", &vm("it", "")), ("types.yaml", &side)],
        &[
            ("vm.yaml", &vm("nowhere.medium", "")),
            ("types.yaml", &side),
        ],
    );
    assert_eq!(plan.vm().action, Action::Unknown);
    assert!(says(&plan.vm(), "not in this repository"));
    assert_eq!(plan.complete().action(), Action::Rejected);
}

#[test]
fn pl17_a_cluster_that_expands_refuses_the_reference_again() {
    let base = vm("it", "");
    let side = types(2, "sockets");
    let other = side.replace("name: it}", "name: other}");
    let side = format!("{side}---\n{other}");
    for policy in ["expand", "expandAll"] {
        for head in [
            base.replace("bus: virtio", "bus: sata"),
            base.replace("instancetype: {name: it", "instancetype: {name: other"),
        ] {
            assert_ne!(base, head);
            let plan = files(
                &[("vm.yaml", &base), ("types.yaml", &side)],
                &[("vm.yaml", &head), ("types.yaml", &side)],
            )
            .with(json!({"instancetype": {"referencePolicy": policy}}))
            .vm();
            assert_eq!(
                (plan.action, plan.rejected, plan.also.len()),
                (Action::Rejected, Some(Rejection::Admission), 0),
                "{policy}"
            );
            assert!(says(&plan, "the cluster expands VMs"));
            assert!(
                says(&plan, "conflicts with selected instance type"),
                "{:#?}",
                plan.reasons
            );
            assert!(!says(&plan, "reach the running guest"));
        }
    }
}

#[test]
fn a_machine_without_types_is_not_touched_by_them() {
    let vm = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: a}\nspec: {runStrategy: Always, template: {spec: {domain: {memory: {guest: 1Gi}}}}}\n";
    let both = |types: &str| format!("{vm}---\n{types}");
    let plan = change(&both(&types(1, "sockets")), &both(&types(2, "cores"))).plan();
    assert!(plan.virtual_machines.is_empty());
}

#[test]
fn a_data_source_that_names_another_type_reaches_only_new_machines() {
    let vm = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web, namespace: vms}\nspec:\n  runStrategy: Always\n  instancetype: {inferFromVolume: root}\n  template:\n    spec:\n      domain: {devices: {disks: [{name: root, disk: {bus: virtio}}]}}\n      volumes: [{name: root, persistentVolumeClaim: {claimName: root}}]\n";
    let claim = |name: &str| {
        format!(
            "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: root, namespace: vms, labels: {{instancetype.kubevirt.io/default-instancetype: {name}}}}}\nspec: {{}}\n"
        )
    };
    let types = "---\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {name: a}\nspec: {cpu: {guest: 1}, memory: {guest: 1Gi}}\n---\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {name: b}\nspec: {cpu: {guest: 2}, memory: {guest: 2Gi}}\n";
    let side = |name: &str| format!("{vm}{}{types}", claim(name));
    let plan = change(&side("a"), &side("b")).vm();
    assert_eq!(
        (plan.change, plan.action),
        (Change::Unchanged, Action::None)
    );
    assert!(
        says(&plan, "inference leads elsewhere now"),
        "{:#?}",
        plan.reasons
    );
}

#[test]
fn a_pinned_revision_shields_a_machine_from_an_edited_type() {
    let revision = |name: &str, kind: &str, spec: &str| {
        format!(
            "---\napiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {{name: {name}, namespace: vms}}\ndata:\n  apiVersion: instancetype.kubevirt.io/v1beta1\n  kind: {kind}\n  metadata: {{name: x}}\n  spec: {spec}\nrevision: 0\n"
        )
    };
    let revisions = revision(
        "it-1",
        "VirtualMachineClusterInstancetype",
        "{cpu: {guest: 2}, memory: {guest: 2Gi}}",
    ) + &revision(
        "pr-1",
        "VirtualMachineClusterPreference",
        "{cpu: {preferredCPUTopology: sockets}}",
    );
    let free = vm("it", "");
    let pinned =
        vm("it", ", revisionName: it-1").replace("name: pr", "name: pr, revisionName: pr-1");
    let edited = |vm: &str| {
        files(
            &[
                ("vm.yaml", vm),
                ("types.yaml", &types(2, "sockets")),
                ("revisions.yaml", &revisions),
            ],
            &[
                ("vm.yaml", vm),
                ("types.yaml", &types(4, "cores")),
                ("revisions.yaml", &revisions),
            ],
        )
        .plan()
    };
    let plan = edited(&free);
    let reached = &plan.virtual_machines[0];
    assert_eq!(
        (reached.action, reached.condition_only),
        (Action::Restart, true)
    );
    for vm in &edited(&pinned).virtual_machines {
        assert_eq!(
            (vm.action, vm.condition_only),
            (Action::None, false),
            "{vm:?}"
        );
    }
}

#[test]
fn notes_say_what_was_assumed() {
    let edit = || change(&vm("it", ""), &vm("it", "").replace("Always", "Halted"));
    let runs = "every VM that runs is taken to run what the base says";
    let plan = edit().plan();
    assert_eq!(
        plan.notes,
        [
            runs,
            "KubeVirt's default configuration is assumed: `--cluster-config` gives the cluster's own"
        ]
    );
    assert_eq!(edit().with(json!({})).plan().notes, [runs]);
    assert!(change("", "").plan().notes.is_empty());
}
