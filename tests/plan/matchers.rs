//! What becomes of the instance type and preference that a VM names: kept, captured anew, or written into the VM.

use driftless::plan::{Action, Rejection};
use driftless::release::Release;
use serde_json::json;

use crate::support::{change, files, says};

fn vm(matchers: &str, domain: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: web, namespace: vms}}\nspec:\n  runStrategy: Always\n{matchers}  template:\n    spec:\n      domain: {{devices: {{}}{domain}}}\n"
    )
}

fn instancetype(scope: &str, model: &str) -> String {
    format!(
        "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachine{scope}Instancetype\nmetadata: {{name: it, namespace: vms}}\nspec: {{cpu: {{guest: 2, model: {model}}}, memory: {{guest: 2Gi}}}}\n"
    )
}

fn preference(topology: &str) -> String {
    format!(
        "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachinePreference\nmetadata: {{name: pr, namespace: vms}}\nspec: {{cpu: {{preferredCPUTopology: {topology}}}}}\n"
    )
}

const TYPE: &str = "  instancetype: {name: it, kind: VirtualMachineInstancetype}\n";
const PREFERENCE: &str = "  preference: {name: pr, kind: VirtualMachinePreference}\n";

#[test]
fn a_kind_that_an_edit_leaves_out_keeps_the_captured_revision() {
    let side = |matchers: &str, domain: &str| {
        [
            ("vm.yaml", vm(matchers, domain)),
            ("it.yaml", instancetype("", "host-model")),
        ]
    };
    let planned = |base: [(&str, String); 2], head: [(&str, String); 2]| {
        fn by<'a>(side: &'a [(&'a str, String); 2]) -> [(&'a str, &'a str); 2] {
            [(side[0].0, &side[0].1), (side[1].0, &side[1].1)]
        }
        files(&by(&base), &by(&head)).complete().action()
    };
    let bare = "  instancetype: {name: it}\n";
    assert_eq!(planned(side(TYPE, ""), side(bare, "")), Action::None);
    let features = ", features: {acpi: {enabled: false}}";
    assert_eq!(
        planned(side(TYPE, ""), side(bare, features)),
        Action::Restart
    );
    let elsewhere = "  instancetype: {name: it, kind: VirtualMachineClusterInstancetype}\n";
    assert_eq!(
        planned(side(TYPE, ""), side(elsewhere, "")),
        Action::Rejected
    );
}

#[test]
fn an_instance_type_that_is_taken_away_is_not_kept() {
    let base = vm(TYPE, "") + "---\n" + &instancetype("", "host-passthrough");
    let head = vm("", ", memory: {guest: 2Gi}") + "---\n" + &instancetype("", "host-passthrough");
    for release in [Release::V1_4, Release::V1_5, Release::V1_9] {
        let plan = change(&base, &head).on(release).vm();
        assert_eq!(plan.action, Action::Restart, "{release}: {plan:#?}");
    }
}

#[test]
fn a_change_of_the_preference_leaves_the_captured_instance_type_alone() {
    let side = |matchers: &str, model: &str| {
        [
            vm(matchers, ""),
            instancetype("", model),
            preference("cores"),
        ]
        .join("---\n")
    };
    let (types, both) = (TYPE.to_owned(), format!("{TYPE}{PREFERENCE}"));
    let plan = change(
        &side(&types, "host-model"),
        &side(&both, "host-passthrough"),
    )
    .vm();
    let model = plan
        .fields
        .iter()
        .find(|field| field.path.to_string().ends_with("cpu.model"));
    assert!(model.is_none(), "{plan:#?}");
}

#[test]
fn a_preference_that_the_cluster_writes_into_a_running_vm_asks_for_a_restart() {
    let base = vm("", ", cpu: {cores: 1}, memory: {guest: 1Gi}");
    let head = vm(PREFERENCE, ", cpu: {cores: 1}, memory: {guest: 1Gi}")
        + "---\n"
        + "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachinePreference\nmetadata: {name: pr, namespace: vms}\nspec: {}\n";
    let planned = |policy: &str| {
        change(&base, &head)
            .with(json!({"instancetype": {"referencePolicy": policy}}))
            .action()
    };
    assert_eq!(planned("expandAll"), Action::Restart);
    assert_eq!(planned("expand"), Action::Restart);
    assert_eq!(planned("reference"), Action::None);
}

#[test]
fn a_cluster_that_expands_refuses_an_apply_that_names_the_type_again_and_takes_a_replacement() {
    let side = |domain: &str| vm(TYPE, domain) + "---\n" + &instancetype("", "host-model");
    let change = |domain: &str| {
        change(&side(""), &side(domain))
            .with(json!({"instancetype": {"referencePolicy": "expand"}}))
    };
    let features = ", features: {acpi: {enabled: false}}";
    let refused = change(features).vm();
    assert_eq!(refused.rejected, Some(Rejection::Admission));
    assert!(
        says(&refused, "conflicts with selected instance type"),
        "{refused:#?}"
    );
    assert_eq!(change(features).replaced().action(), Action::Restart);
}

#[test]
fn a_mapping_where_a_list_belongs_is_refused_though_nothing_is_read_of_it() {
    let base = vm("", "");
    let head = base.replace("devices: {}", "devices: {inputs: {}}");
    let plan = change(&base, &head).vm();
    assert_eq!(plan.rejected, Some(Rejection::Admission), "{plan:#?}");
}
