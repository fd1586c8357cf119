//! Interfaces added to a running VM whose preference fills them in: the condition that follows, and what is not plugged.

use driftless::plan::{Action, VmPlan};
use driftless::release::Release;

use crate::support::{files, says};

const PREFERENCE: &str = "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachinePreference\nmetadata: {name: linux, namespace: vms}\nspec: {devices: {preferredInterfaceModel: virtio}}\n";
const CONDITION: &str = "KubeVirt shows RestartRequired afterwards";

/// A VM with these interfaces and networks beside those of the pod network.
fn vm(interfaces: &str, networks: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: web, namespace: vms}}\nspec:\n  runStrategy: Always\n  preference: {{name: linux, kind: VirtualMachinePreference}}\n  template:\n    spec:\n      domain:\n        cpu: {{cores: 1}}\n        memory: {{guest: 2Gi}}\n        devices:\n          interfaces:\n          - {{name: default, masquerade: {{}}}}\n{interfaces}      networks:\n      - {{name: default, pod: {{}}}}\n{networks}"
    )
}

/// What a VM with these interfaces does to one that has the pod network alone.
fn adding(release: Release, added: &[(&str, &str)]) -> VmPlan {
    let interfaces: String = added
        .iter()
        .map(|(name, fields)| format!("          - {{name: {name}, {fields}}}\n"))
        .collect();
    let networks: String = added
        .iter()
        .map(|(name, _)| format!("      - {{name: {name}, multus: {{networkName: vms/{name}}}}}\n"))
        .collect();
    files(
        &[("linux.yaml", PREFERENCE), ("vm.yaml", &vm("", ""))],
        &[
            ("linux.yaml", PREFERENCE),
            ("vm.yaml", &vm(&interfaces, &networks)),
        ],
    )
    .on(release)
    .vm()
}

#[test]
fn a_plugged_interface_that_the_preference_fills_in_asks_for_a_restart() {
    for binding in ["bridge: {}", "sriov: {}", "bridge: {}, state: down"] {
        let plan = adding(Release::V1_9, &[("blue", binding)]);
        assert_eq!(plan.action, Action::Live, "{binding}: {:#?}", plan.reasons);
        assert_eq!(plan.also, [Action::Restart], "{binding}");
        assert!(says(&plan, CONDITION), "{binding}");
    }
}

#[test]
fn a_plugged_interface_asks_for_no_restart_where_nothing_is_filled_in_or_the_release_does_not_compare()
 {
    let whole = adding(Release::V1_9, &[("blue", "bridge: {}, model: virtio")]);
    let before = adding(Release::V1_5, &[("blue", "bridge: {}")]);
    assert!(!says(&whole, CONDITION), "{:#?}", whole.reasons);
    assert!(!says(&before, CONDITION), "{:#?}", before.reasons);
    assert_eq!((whole.action, whole.also), (Action::Live, Vec::new()));
}

#[test]
fn an_interface_of_state_absent_is_not_plugged_and_asks_for_no_restart() {
    let plan = adding(
        Release::V1_9,
        &[
            ("blue", "bridge: {}, model: virtio"),
            ("gone", "bridge: {}, state: absent"),
        ],
    );
    assert_eq!(plan.action, Action::Live, "{:#?}", plan.reasons);
    assert!(!plan.holds(Action::Restart), "{:#?}", plan.reasons);
    assert!(!says(&plan, CONDITION), "{:#?}", plan.reasons);
}
