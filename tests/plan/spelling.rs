//! Changes of spelling do nothing, and no change is an empty plan.

use std::path::Path;

use driftless::plan::Action;
use driftless::release::Release;
use rayon::prelude::*;
use serde_json::Value as Json;

use crate::support::{change, files};

const VM: &str = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web, namespace: vms}\nspec:\n  running: true\n  instancetype: {name: it, kind: VirtualMachineClusterInstancetype}\n  template:\n    spec:\n      domain:\n        devices:\n          disks:\n          - {name: root, disk: {bus: virtio}}\n          - {name: data, disk: {bus: virtio}}\n          interfaces: [{name: default, masquerade: {}}, {name: b, bridge: {}}]\n      networks: [{name: default, pod: {}}, {name: b, multus: {networkName: nad}}]\n      volumes:\n      - {name: root, emptyDisk: {capacity: 1Gi}}\n      - {name: data, emptyDisk: {capacity: 2Gi}}\n---\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {name: it}\nspec: {cpu: {guest: 1}, memory: {guest: 1Gi}}\n";

#[test]
fn spelling_does_nothing() {
    for (from, to) in [
        ("running: true", "runStrategy: Always"),
        ("capacity: 1Gi", "capacity: 1024Mi"),
        (
            "name: web, namespace: vms",
            "\"namespace\": 'vms', name: \"web\"",
        ),
        ("spec:\n  running", "# why\nspec:\n  running"),
        (
            "kind: VirtualMachineClusterInstancetype}",
            "kind: virtualmachineclusterinstancetypes}",
        ),
        (
            "bus: virtio}}\n          - {name: data",
            "bus: virtio}, shareable: null}\n          - {name: data",
        ),
        ("memory: {guest: 1Gi}", "memory: {guest: 1024Mi}"),
        (
            "      - {name: root, emptyDisk: {capacity: 1Gi}}\n      - {name: data, emptyDisk: {capacity: 2Gi}}\n",
            "      - {name: data, emptyDisk: {capacity: 2Gi}}\n      - {name: root, emptyDisk: {capacity: 1Gi}}\n",
        ),
        (
            "          - {name: root, disk: {bus: virtio}}\n          - {name: data, disk: {bus: virtio}}\n",
            "          - {name: data, disk: {bus: virtio}}\n          - {name: root, disk: {bus: virtio}}\n",
        ),
    ] {
        let head = VM.replace(from, to);
        assert_ne!(head, VM, "{from}");
        let plan = change(VM, &head).plan();
        let actions: Vec<_> = plan
            .virtual_machines
            .iter()
            .map(|vm| (vm.action, &vm.reasons))
            .collect();
        assert!(
            actions.iter().all(|(action, _)| *action == Action::None),
            "{from} to {to}: {actions:#?}"
        );
    }
}

#[test]
fn objects_may_move_between_files_and_lists() {
    let (vm, types) = VM.split_once("---\n").unwrap();
    let plan = files(
        &[("all.yaml", VM)],
        &[("vm.yaml", vm), ("types.yaml", types)],
    )
    .plan();
    assert!(
        plan.virtual_machines
            .iter()
            .all(|vm| vm.action == Action::None)
    );
}

#[test]
fn no_change_is_an_empty_plan_over_every_recorded_input() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/conformance");
    let mut cases = Vec::new();
    for release in Release::all_proved().map(Release::as_str) {
        for family in ["live-update", "volumes", "instancetype-edit"] {
            let file = directory.join(release).join(format!("{family}.jsonl"));
            let text = std::fs::read_to_string(file).unwrap_or_default();
            cases.extend(text.lines().map(|line| (release, line.to_owned())));
        }
    }
    assert!(cases.len() > 1000, "{}", cases.len());
    cases.par_iter().for_each(|(release, line)| {
        let case: Json = serde_json::from_str(line).unwrap();
        let input = &case["input"];
        let mut objects = Vec::new();
        for key in ["old", "new", "vm"] {
            let mut vm = input[key].clone();
            if vm.is_object() {
                vm["metadata"]["name"] = Json::from(key);
                objects.push(vm);
            }
        }
        for key in ["objects", "base"] {
            objects.extend(input[key].as_array().into_iter().flatten().cloned());
        }
        let text: String = objects
            .iter()
            .map(|object| format!("---\n{object}\n"))
            .collect();
        let plan = change(&text, &text).on(release.parse().unwrap()).plan();
        assert!(plan.virtual_machines.is_empty(), "{release} {}", case["id"]);
    });
}
