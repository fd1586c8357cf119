//! What a VM names and is not there (PL14).

use driftless::plan::Action;

use crate::support::{blames, files, says};

const VM: &str = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web, namespace: vms}\nspec:\n  runStrategy: Always\n  instancetype: {name: web}\n  preference: {name: web}\n  template:\n    spec:\n      domain: {devices: {}}\n";
const INSTANCETYPE: &str = "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {name: web}\nspec: {cpu: {guest: 1}, memory: {guest: 1Gi}}\n";
const PREFERENCE: &str = "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterPreference\nmetadata: {name: web}\nspec: {}\n";

#[test]
fn pl14_the_reference_that_is_gone_is_blamed_whatever_its_name() {
    let base = [
        ("vm.yaml", VM),
        ("it.yaml", INSTANCETYPE),
        ("pr.yaml", PREFERENCE),
    ];
    for (gone, blamed, other) in [
        ("it.yaml", "spec.instancetype", "spec.preference"),
        ("pr.yaml", "spec.preference", "spec.instancetype"),
    ] {
        let head: Vec<(&str, &str)> = base
            .iter()
            .copied()
            .filter(|(path, _)| *path != gone)
            .collect();
        let plan = files(&base, &head).vm();
        assert!(blames(&plan, blamed), "{gone}: {:#?}", plan.reasons);
        assert!(!blames(&plan, other), "{gone}: {:#?}", plan.reasons);
        assert!(says(&plan, "not found"));
        // The VM edited in the same change.
        let edited = VM.replace("name: web}\n  template", "name: nowhere}\n  template");
        let head = [("vm.yaml", edited.as_str()), ("it.yaml", INSTANCETYPE)];
        let plan = files(&base, &head).vm();
        assert_eq!(plan.action, Action::Unknown);
        assert!(blames(&plan, "spec.preference"), "{:#?}", plan.reasons);
    }
}
