//! What the cluster refuses or drops before KubeVirt acts (PL15, PL18), and what an update takes for granted (PL11).

use driftless::plan::{Action, Rejection};
use driftless::release::Release;
use serde_json::{Value as Json, json};

use crate::support::{blames, change, says};

const VM: &str = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web, namespace: vms}\nspec:\n  runStrategy: Always\n  template:\n    spec:\n      domain: {devices: {}, cpu: {sockets: 1, cores: 1, threads: 1}, memory: {guest: 2Gi}}\n";

#[test]
fn pl15_a_version_that_is_not_served_is_refused() {
    let old = VM.replace("kubevirt.io/v1\n", "kubevirt.io/v1alpha2\n");
    let more = old.replace("2Gi", "4Gi");
    for (base, head) in [
        (VM, more.as_str()),
        (&old, more.as_str()),
        ("", old.as_str()),
    ] {
        let plan = change(base, head).vm();
        assert_eq!(plan.action, Action::Rejected);
        assert_eq!(plan.rejected, Some(Rejection::Admission));
        assert!(blames(&plan, "apiVersion"), "{:#?}", plan.reasons);
    }
    let v1alpha3 = VM.replace("kubevirt.io/v1\n", "kubevirt.io/v1alpha3\n");
    assert_eq!(
        change(VM, &v1alpha3.replace("2Gi", "4Gi")).action(),
        Action::Live
    );
}

#[test]
fn pl18_an_edit_that_the_cluster_drops_is_told() {
    let misplaced = format!("{VM}  tolerations: [{{key: a, operator: Exists}}]\n");
    let plan = change(VM, &misplaced).vm();
    assert_eq!(plan.action, Action::None, "{:#?}", plan.reasons);
    assert!(blames(&plan, "spec.tolerations"), "{:#?}", plan.reasons);
    assert!(says(&plan, "the edit does nothing"));
    // One that was there before is no edit.
    let plan = change(&misplaced, &misplaced.replace("2Gi", "4Gi")).vm();
    assert!(!says(&plan, "the edit does nothing"));
}

#[test]
fn pl11_what_a_migration_carries_out_takes_its_method_for_granted() {
    let words = "taken to hold `LiveMigrate`";
    assert!(says(&change(VM, &VM.replace("2Gi", "4Gi")).vm(), words));
    assert!(says(
        &change(VM, &VM.replace("sockets: 1", "sockets: 2")).vm(),
        words
    ));
    let selector = format!("{VM}      nodeSelector: {{a: b}}\n");
    assert!(!says(&change(VM, &selector).vm(), words));
}

#[test]
fn a_head_that_never_starts_again_is_named_first_and_gated() {
    let bare = VM.replace(", memory: {guest: 2Gi}", "");
    let plan = change(VM, &bare).plan();
    let vm = &plan.virtual_machines[0];
    assert!(vm.start_refused && !vm.start_was_refused, "{vm:#?}");
    let first = &vm.reasons[0];
    assert_eq!(
        first.message,
        "KubeVirt refuses the next start: the guest runs until it stops once"
    );
    assert!(
        first
            .kubevirt
            .as_ref()
            .is_some_and(|cause| cause.message.starts_with("no memory requested"))
    );
    assert_eq!(plan.summary().start_refused, 1);
    assert!(
        plan.summary()
            .sentence
            .starts_with("1 will not start again")
    );
    // One that is new, and one that never started.
    let added = change("", &bare).vm();
    assert!(added.start_refused && !added.start_was_refused);
    let both = change(&bare, &bare.replace("sockets: 1", "sockets: 2")).vm();
    assert!(both.start_refused && both.start_was_refused);
    // One that starts, and one that the cluster does not store.
    assert!(!change(&bare, VM).vm().start_refused);
    let refused = bare.replace("runStrategy: Always", "runStrategy: Often");
    assert!(!change(VM, &refused).vm().start_refused);
}

#[test]
fn a_start_that_depends_on_the_cluster_is_an_assumption() {
    let disk = "devices: {disks: [{name: a, dedicatedIOThread: true, disk: {}}]}";
    let head = VM.replace("devices: {}", disk)
        + "      volumes: [{name: a, persistentVolumeClaim: {claimName: a}}]\n";
    let plan = change(VM, &head).vm();
    assert!(!plan.start_refused);
    let words = "starts if the cluster's default architecture allows it, else: IOThreads";
    assert!(
        plan.assumptions.iter().any(|text| text.starts_with(words)),
        "{:#?}",
        plan.assumptions
    );
    assert!(
        change(VM, &head)
            .with(serde_json::json!({}))
            .vm()
            .start_refused
    );
}

#[test]
fn a_replica_set_whose_guests_never_start_is_told() {
    let set = |domain: &str, label: &str| {
        format!(
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachineInstanceReplicaSet\nmetadata: {{name: web, namespace: vms}}\nspec:\n  replicas: 2\n  selector: {{matchLabels: {{app: web}}}}\n  template:\n    metadata: {{labels: {{app: {label}}}}}\n    spec:\n      domain: {{devices: {{}}{domain}}}\n"
        )
    };
    let sound = set(", memory: {guest: 1Gi}", "web");
    let plan = change(&sound, &set("", "web")).vm();
    assert!(plan.start_refused && !plan.start_was_refused);
    assert!(!change("", &sound).vm().start_refused);
    let plan = change(&sound, &set(", memory: {guest: 2Gi}", "db")).vm();
    assert_eq!(
        (plan.action, plan.rejected),
        (Action::Rejected, Some(Rejection::Admission))
    );
}

#[test]
fn pl11_a_known_configuration_says_who_migrates_the_guest() {
    let more = [
        VM.replace("2Gi", "4Gi"),
        VM.replace("sockets: 1", "sockets: 2"),
        VM.replace(
            "devices: {}",
            "devices: {interfaces: [{name: default, masquerade: {}}, {name: lan, bridge: {}}]}",
        ) + "      networks: [{name: default, pod: {}}, {name: lan, multus: {networkName: lan}}]\n",
    ];
    let nics = VM.replace(
        "devices: {}",
        "devices: {interfaces: [{name: default, masquerade: {}}]}",
    ) + "      networks: [{name: default, pod: {}}]\n";
    for head in &more {
        let base = if head.contains("lan") { &nics } else { VM };
        let with = |strategy: Json| {
            let spec = json!({"workloadUpdateStrategy": strategy});
            change(base, head).on_cluster(json!({"kind": "KubeVirt", "spec": spec}))
        };
        // An object that names no method has none.
        for strategy in [json!({"workloadUpdateMethods": []}), json!({})] {
            let plan = with(strategy).vm();
            assert_eq!(plan.action, Action::Live);
            assert!(says(&plan, "patched; waits for a migration"), "{head}");
            assert!(!says(&plan, "reach the running guest"), "{head}");
            assert!(!says(&plan, "taken to hold"), "{head}");
        }
        let plan = with(json!({"workloadUpdateMethods": ["LiveMigrate"]})).vm();
        assert!(says(&plan, "reach the running guest"), "{head}");
        assert!(!says(&plan, "waits for a migration"), "{head}");
        let evicted = with(json!({"workloadUpdateMethods": ["Evict"]})).vm();
        assert_eq!(
            (evicted.action, evicted.down),
            (Action::Restart, 1),
            "{head}"
        );
        assert!(evicted.holds(Action::Stop), "{head}");
        assert!(says(&evicted, "shuts the guest down"), "{head}");
    }
    let drains = |text: &str| format!("{text}      evictionStrategy: LiveMigrate\n");
    let kubevirt = json!({"kind": "KubeVirt", "spec": {"workloadUpdateStrategy": {"workloadUpdateMethods": ["Evict"]}}});
    let plan = change(&drains(VM), &drains(&more[0]))
        .on_cluster(kubevirt)
        .vm();
    assert_eq!((plan.action, plan.down), (Action::Live, 0));
    assert!(says(&plan, "turns into a migration"));
}

#[test]
fn pl11_the_first_release_migrates_no_guest_for_an_interface() {
    let nics = |more: &str, networks: &str| {
        VM.replace(
            "devices: {}",
            &format!("devices: {{interfaces: [{{name: default, masquerade: {{}}}}{more}]}}"),
        ) + &format!("      networks: [{{name: default, pod: {{}}}}{networks}]\n")
    };
    let plugged = nics(
        ", {name: lan, bridge: {}}",
        ", {name: lan, multus: {networkName: lan}}",
    );
    let kubevirt = json!({"kind": "KubeVirt", "spec": {"workloadUpdateStrategy": {"workloadUpdateMethods": ["LiveMigrate"]}}});
    for (release, waits) in [(Release::V1_5, true), (Release::V1_6, false)] {
        let plan = change(&nics("", ""), &plugged)
            .on(release)
            .on_cluster(kubevirt.clone())
            .vm();
        assert_eq!(says(&plan, "wait for a migration"), waits, "{release}");
    }
}
