//! What the oldest release that is proved does otherwise than those after it.

use driftless::plan::{Action, Rejection};
use driftless::release::Release;
use serde_json::{Value as Json, json};

use crate::support::{blames, change, files, says};

/// The configuration under which running guests of 1.4 change.
fn live(gates: &[&str]) -> Json {
    let all: Vec<&str> = ["VMLiveUpdateFeatures"]
        .iter()
        .chain(gates)
        .copied()
        .collect();
    json!({"vmRolloutStrategy": "LiveUpdate", "developerConfiguration": {"featureGates": all}})
}

fn vm(matchers: &str, template: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: web, namespace: vms}}\nspec:\n  runStrategy: Always\n{matchers}  template:\n    spec:\n      domain: {{devices: {{}}}}\n{template}"
    )
}

fn instancetype(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {{name: {name}}}\nspec: {{memory: {{guest: 2Gi}}, {spec}}}\n---\n"
    )
}

fn named(name: &str) -> String {
    vm(&format!("  instancetype: {{{name}}}\n"), "")
}

#[test]
fn another_name_beside_the_captured_revision_is_refused() {
    let types = instancetype("one", "cpu: {guest: 1}") + &instancetype("two", "cpu: {guest: 2}");
    let planned = |release, head: &str, replaced: bool| {
        let (old, new) = (
            types.clone() + &named("name: one"),
            types.clone() + &named(head),
        );
        let change = change(&old, &new).on(release).with(live(&[]));
        if replaced { change.replaced() } else { change }.vm()
    };
    let refused = planned(Release::V1_4, "name: two", false);
    assert_eq!(refused.action, Action::Rejected);
    assert_eq!(refused.rejected, Some(Rejection::Admission));
    assert!(blames(&refused, "spec.instancetype.revisionName"));
    assert!(says(&refused, "without updating the RevisionName"));
    for (release, head, replaced) in [
        (Release::V1_4, "name: two, revisionName: ''", false),
        (Release::V1_4, "name: two", true),
        (Release::V1_5, "name: two", false),
    ] {
        let plan = planned(release, head, replaced);
        assert_ne!(plan.action, Action::Rejected, "{release} {head}: {plan:#?}");
    }
}

#[test]
fn an_edited_instance_type_asks_for_no_restart_of_a_vm_that_names_its_revision() {
    let types = |model: &str| instancetype("one", &format!("cpu: {{guest: 1, model: {model}}}"));
    let vm = named("name: one");
    for (release, action) in [
        (Release::V1_4, Action::None),
        (Release::V1_5, Action::Restart),
    ] {
        let change = files(
            &[("vm.yaml", &vm), ("types.yaml", &types("host-model"))],
            &[("vm.yaml", &vm), ("types.yaml", &types("host-passthrough"))],
        );
        assert_eq!(change.on(release).action(), action, "{release}");
    }
}

#[test]
fn a_change_of_the_cpu_model_is_missed_where_two_types_annotate_the_vm_otherwise() {
    let types = |name: &str, tier: &str| {
        instancetype(
            name,
            &format!("annotations: {{example.com/tier: {tier}}}, cpu: {{guest: 1, model: {name}}}"),
        )
    };
    for (tier, release, action) in [
        ("gold", Release::V1_4, Action::None),
        ("iron", Release::V1_4, Action::Restart),
        ("gold", Release::V1_5, Action::Restart),
    ] {
        let all = types("host-model", "iron") + &types("host-passthrough", tier);
        let head = all.clone() + &named("name: host-passthrough, revisionName: ''");
        let plan = change(&(all + &named("name: host-model")), &head)
            .on(release)
            .with(live(&[]))
            .vm();
        let settled = if plan.action == Action::NextStart {
            Action::None
        } else {
            plan.action
        };
        assert_eq!(settled, action, "{tier} {release}: {plan:#?}");
    }
}

#[test]
fn volumes_of_1_4_need_two_gates_and_do_not_wait_for_a_destination() {
    let disk = |claim: &str| {
        let volumes = format!("      volumes: [{{name: data, dataVolume: {{name: {claim}}}}}]\n");
        vm("  updateVolumesStrategy: Migration\n", &volumes).replace(
            "devices: {}",
            "devices: {disks: [{name: data, disk: {bus: virtio}}]}",
        )
    };
    let planned = |release, configuration: Json| {
        change(&disk("a"), &disk("b"))
            .on(release)
            .with(configuration)
            .complete()
            .vm()
    };
    let gates = ["VolumesUpdateStrategy", "VolumeMigration"];
    let restart = planned(Release::V1_4, live(&gates));
    assert_eq!(restart.action, Action::DataLoss, "{restart:#?}");
    assert!(restart.also.contains(&Action::Restart));
    assert!(says(&restart, "the datavolume b doesn't exist"));
    assert_eq!(planned(Release::V1_5, live(&[])).action, Action::Pending);
    let refused = planned(Release::V1_4, live(&gates[..1]));
    assert_eq!(refused.rejected, Some(Rejection::Admission));
    assert!(says(
        &refused,
        "VolumeMigration feature gate is not enabled"
    ));
}
