//! What the rows of a plan have in common: groups, totals, and the words for both.

use driftless::plan::Action;
use driftless::report::plan_json;

use crate::support::{change, files};

fn vm(name: &str, spec: &str) -> String {
    format!(
        "---\napiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: {name}, namespace: vms}}\nspec:\n  runStrategy: Always\n  template: {{spec: {{hostname: h, domain: {{devices: {{}}, memory: {{guest: 2Gi}}{spec}}}}}}}\n"
    )
}

#[test]
fn pl19_machines_that_the_same_happens_to_are_one_group() {
    let base: String = (0..9).map(|at| vm(&format!("web-{at}"), "")).collect();
    let mut head: String = (0..4)
        .map(|at| vm(&format!("web-{at}"), "").replace("2Gi", &format!("{}Gi", at + 3)))
        .collect();
    head += &(4..6)
        .map(|at| vm(&format!("web-{at}"), ", cpu: {model: host-passthrough}"))
        .collect::<String>();
    head += &vm("web-6", "");
    let plan = change(&base, &head).plan();
    let groups: Vec<(Action, usize)> = plan
        .groups
        .iter()
        .map(|group| (group.action, group.vms.len()))
        .collect();
    assert_eq!(
        groups,
        [(Action::Delete, 2), (Action::Restart, 2), (Action::Live, 4)]
    );
    assert!(plan.groups.iter().all(|group| group.cause == "vm.yaml"));
    assert_eq!(
        plan.groups[2].effects,
        ["live: spec.template.spec.domain.memory.guest"]
    );
    let grouped: usize = plan.groups.iter().map(|group| group.vms.len()).sum();
    assert_eq!(grouped, plan.virtual_machines.len());
    assert_eq!(
        plan.summary().sentence,
        "2 are deleted, 2 need a restart, 4 change live"
    );
}

#[test]
fn a_cause_in_many_files_names_their_directory() {
    let names = ["a/x.yaml", "a/b/y.yaml", "a/b/z.yaml"];
    let texts: Vec<String> = (0..3).map(|at| vm(&format!("web-{at}"), "")).collect();
    let edited: Vec<String> = texts
        .iter()
        .map(|text| text.replace("2Gi", "4Gi"))
        .collect();
    let side = |texts: &'static [String]| -> Vec<(&str, &str)> {
        names
            .iter()
            .copied()
            .zip(texts.iter().map(String::as_str))
            .collect()
    };
    let plan = files(&side(texts.leak()), &side(edited.leak())).plan();
    assert_eq!(plan.groups.len(), 1);
    assert_eq!(plan.groups[0].cause, "3 files under a/");
}

#[test]
fn pl19_the_total_is_said_once_for_all_views() {
    let value = plan_json::value(&change(&vm("web", ""), "").plan());
    assert_eq!(value["kubevirt"]["base"], "1.9");
    assert_eq!(value["summary"]["down"], 1);
    assert_eq!(value["summary"]["sentence"], "1 is deleted");
    assert_eq!(value["groups"][0]["vms"][0]["kind"], "VirtualMachine");
    assert_eq!(value["groups"][0]["vms"][0]["name"], "web");
    let nothing = change("", "").plan().summary();
    assert_eq!(nothing.sentence, "touches no virtual machine");
}

#[test]
fn what_changed_itself_is_named_beside_what_it_shares() {
    let types = |cpus: u8| {
        format!(
            "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {{name: t}}\nspec: {{cpu: {{guest: {cpus}}}, memory: {{guest: 2Gi}}}}\n"
        )
    };
    let machine = |name: &str, host: &str| {
        format!(
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: {name}, namespace: vms}}\nspec:\n  runStrategy: Always\n  instancetype: {{name: t}}\n  template: {{spec: {{hostname: {host}, domain: {{devices: {{}}}}}}}}\n"
        )
    };
    let (a, b, c) = (machine("a", "h"), machine("b", "h"), machine("c", "h"));
    let (edited_a, edited_b) = (machine("a", "x"), machine("b", "x"));
    let plan = files(
        &[
            ("t.yaml", &types(2)),
            ("vms/a.yaml", &a),
            ("vms/b.yaml", &b),
            ("vms/c.yaml", &c),
        ],
        &[
            ("t.yaml", &types(4)),
            ("vms/a.yaml", &edited_a),
            ("vms/b.yaml", &edited_b),
            ("vms/c.yaml", &c),
        ],
    )
    .plan();
    let mut causes: Vec<&str> = plan
        .groups
        .iter()
        .map(|group| group.cause.as_str())
        .collect();
    causes.sort_unstable();
    assert_eq!(
        causes,
        [
            "2 files under vms/, t.yaml: instance type `t` changed",
            "t.yaml: instance type `t` changed",
        ]
    );
}
