//! What an export of the cluster adds to a plan: what is owed already, what was stored at creation, what was captured.

use driftless::plan::Action;
use serde_json::json;

use crate::support::{change, files, says};

fn vm(more: &str, domain: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: web, namespace: vms}}
spec:
  runStrategy: Always
{more}  template:
    spec:
      domain: {{devices: {{}}{domain}}}
"
    )
}

fn sized(memory: &str) -> String {
    vm(
        "",
        &format!(", cpu: {{sockets: 1, cores: 1, threads: 1}}, memory: {{guest: {memory}}}"),
    )
}

#[test]
fn a_restart_that_is_owed_keeps_live_changes_from_the_guest() {
    let owing = |status: &str| {
        format!(
            "{}status: {{conditions: [{{type: RestartRequired, status: \"{status}\", message: a template field changed}}]}}\n",
            sized("2Gi")
        )
    };
    let edit = || change(&sized("2Gi"), &sized("4Gi"));
    assert_eq!(edit().action(), Action::Live);
    assert_eq!(edit().live(&owing("False")).action(), Action::Live);
    let plan = edit().live(&owing("True")).vm();
    assert_eq!(plan.action, Action::Restart);
    assert!(!plan.condition_only && plan.owes_restart());
    assert!(says(&plan, "a restart is owed already"));
    assert!(says(&plan, "a template field changed"));
    // What the synchronizers of interfaces and volumes do is not held up, and what touches no guest owes nothing.
    let labelled = sized("2Gi").replace("namespace: vms", "namespace: vms, labels: {a: b}");
    let plan = change(&sized("2Gi"), &labelled).live(&owing("True"));
    assert_eq!(plan.action(), Action::None);
    let selector = sized("2Gi") + "      nodeSelector: {a: b}\n";
    let plan = change(&sized("2Gi"), &selector).live(&owing("True"));
    assert_eq!(plan.action(), Action::Restart);
}

#[test]
fn values_stored_at_creation_stay_under_apply() {
    let uuid = "5d307ca9-b3ef-428c-8861-06e72d69f223";
    let live = format!(
        "{}---
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: {{name: web, namespace: vms}}
spec: {{domain: {{firmware: {{uuid: {uuid}}}}}}}
",
        vm("", ", machine: {type: q35}, memory: {guest: 2Gi}")
            .replace("      domain:", "      architecture: amd64\n      domain:")
    );
    let base = vm("", ", memory: {guest: 2Gi}");
    // The UUID in Git is the guest's own, or it is not.
    let with = |uuid: &str| {
        vm(
            "",
            &format!(", memory: {{guest: 2Gi}}, firmware: {{uuid: {uuid}}}"),
        )
    };
    assert_eq!(change(&base, &with(uuid)).action(), Action::Unknown);
    assert_eq!(
        change(&base, &with(uuid)).live(&live).action(),
        Action::None
    );
    let other = "6d307ca9-b3ef-428c-8861-06e72d69f223";
    let plan = change(&base, &with(other)).live(&live).vm();
    assert_eq!(plan.action, Action::Restart, "{:#?}", plan.reasons);
    // An architecture that does not fit the stored machine is refused.
    let arm = base.replace("      domain:", "      architecture: arm64\n      domain:");
    let plan = change(&base, &arm).with(json!({})).live(&live).vm();
    assert_eq!(plan.action, Action::Rejected, "{:#?}", plan.reasons);
    // Without the cluster's word the stored machine is the one that KubeVirt writes; a whole new object has none.
    assert_eq!(
        change(&base, &arm).with(json!({})).action(),
        Action::Rejected
    );
    assert_ne!(
        change(&base, &arm).with(json!({})).replaced().action(),
        Action::Rejected
    );
    // Another cluster's machine says nothing.
    let elsewhere = live.replace("namespace: vms", "namespace: other");
    assert_eq!(
        change(&base, &with(uuid)).live(&elsewhere).action(),
        Action::Unknown
    );
}

#[test]
fn a_captured_revision_is_what_the_guest_runs_with() {
    let typed = |name: &str| vm(&format!("  instancetype: {{name: {name}}}\n"), "");
    let of = |name: &str, guest: u32| {
        format!(
            "apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {{name: {name}}}
spec: {{cpu: {{guest: {guest}}}, memory: {{guest: 2Gi}}}}
"
        )
    };
    let side = format!("{}---\n{}", of("small", 1), of("large", 4));
    let live = format!(
        "{}status: {{instancetypeRef: {{name: small, kind: VirtualMachineClusterInstancetype, controllerRevisionRef: {{name: rev}}}}}}
---
apiVersion: apps/v1
kind: ControllerRevision
metadata: {{name: rev, namespace: vms, labels: {{instancetype.kubevirt.io/object-name: small, instancetype.kubevirt.io/object-kind: VirtualMachineClusterInstancetype, instancetype.kubevirt.io/object-version: v1beta1}}}}
revision: 1
data: {{apiVersion: instancetype.kubevirt.io/v1beta1, kind: VirtualMachineClusterInstancetype, metadata: {{name: small}}, spec: {{cpu: {{guest: 2}}, memory: {{guest: 2Gi}}}}}}
",
        typed("small")
    );
    let switch = || {
        files(
            &[("vm.yaml", &typed("small")), ("types.yaml", &side)],
            &[("vm.yaml", &typed("large")), ("types.yaml", &side)],
        )
    };
    let sockets = |plan: &driftless::plan::VmPlan| {
        let mut fields = plan.fields.iter();
        let field = fields.find(|field| field.path.to_string().ends_with("cpu.sockets"));
        field.and_then(|field| field.from.clone())
    };
    assert_eq!(sockets(&switch().vm()).as_deref(), Some("1"));
    let plan = switch().live(&live).vm();
    assert_eq!(sockets(&plan).as_deref(), Some("2"), "{:#?}", plan.fields);
    assert!(plan.causes.iter().any(|cause| cause.file == "vm.yaml"));
}
