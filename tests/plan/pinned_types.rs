//! A VM with one of its two references pinned to a revision: that one shields it, the other one does not.

use driftless::plan::{Action, VmPlan};

use crate::support::{files, says};

const REVISIONS: &str = "apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {name: it-1, namespace: vms}\ndata:\n  apiVersion: instancetype.kubevirt.io/v1beta1\n  kind: VirtualMachineClusterInstancetype\n  metadata: {name: it}\n  spec: {cpu: {guest: 2, model: host-model}, memory: {guest: 2Gi}}\nrevision: 0\n---\napiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {name: pr-1, namespace: vms}\ndata:\n  apiVersion: instancetype.kubevirt.io/v1beta1\n  kind: VirtualMachineClusterPreference\n  metadata: {name: pr}\n  spec: {cpu: {preferredCPUTopology: sockets}}\nrevision: 0\n";

/// The instance type and the preference that the VM names.
fn types(model: &str, topology: &str) -> String {
    format!(
        "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {{name: it}}\nspec: {{cpu: {{guest: 2, model: {model}}}, memory: {{guest: 2Gi}}}}\n---\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterPreference\nmetadata: {{name: pr}}\nspec: {{cpu: {{preferredCPUTopology: {topology}}}}}\n"
    )
}

/// What an edit of the types does to a VM with these matchers; none where the plan has no row.
fn edited(instancetype: &str, preference: &str, head: &str) -> Option<VmPlan> {
    let vm = format!(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: web, namespace: vms}}\nspec:\n  runStrategy: Always\n  instancetype: {{{instancetype}}}\n  preference: {{{preference}}}\n  template:\n    spec: {{domain: {{devices: {{}}}}}}\n"
    );
    let base = types("host-model", "sockets");
    let side = |types| {
        [
            ("vm.yaml", &vm[..]),
            ("types.yaml", types),
            ("revisions.yaml", REVISIONS),
        ]
    };
    let plan = files(&side(&base), &side(head)).plan();
    assert!(plan.virtual_machines.len() < 2);
    plan.virtual_machines.into_iter().next()
}

const FREE: [&str; 2] = ["name: it", "name: pr"];
const PINNED: [&str; 2] = [
    "name: it, revisionName: it-1",
    "name: pr, revisionName: pr-1",
];

#[test]
fn a_vm_with_one_reference_pinned_is_asked_to_restart_by_an_edit_of_the_other() {
    let (cores, model) = (
        types("host-model", "cores"),
        types("host-passthrough", "sockets"),
    );
    for (instancetype, preference, head) in [
        (PINNED[0], FREE[1], &cores),
        (FREE[0], PINNED[1], &model),
        (FREE[0], FREE[1], &cores),
        (FREE[0], FREE[1], &model),
    ] {
        let plan = edited(instancetype, preference, head).expect("a row");
        let named = format!("{instancetype}; {preference}: {:#?}", plan.reasons);
        assert_eq!(
            (plan.action, plan.condition_only),
            (Action::Restart, true),
            "{named}"
        );
        assert!(
            says(&plan, "KubeVirt asks for a restart of this unchanged VM"),
            "{named}"
        );
    }
}

#[test]
fn a_pinned_reference_shields_a_vm_from_an_edit_of_what_it_names() {
    let (cores, model) = (
        types("host-model", "cores"),
        types("host-passthrough", "sockets"),
    );
    for (instancetype, preference, head) in [
        (PINNED[0], FREE[1], &model),
        (FREE[0], PINNED[1], &cores),
        (PINNED[0], PINNED[1], &model),
        (PINNED[0], PINNED[1], &cores),
    ] {
        let action = edited(instancetype, preference, head).map(|plan| plan.action);
        let is_calm = action.is_none_or(|action| action == Action::None);
        assert!(is_calm, "{instancetype}; {preference}: {action:?}");
    }
}
