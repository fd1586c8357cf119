//! What a plan says beside its action: what reaches the guest, what waits for a start, what a migration is taken to need.

use driftless::plan::Action;
use driftless::release::Release;

use crate::support::{change, says};

/// A VM with so many sockets, a network interface of a kind, and devices beside it.
fn vm(sockets: u32, interface: &str, network: &str, devices: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: web, namespace: vms}}\nspec:\n  runStrategy: Always\n  template:\n    metadata: {{labels: {{app: web}}}}\n    spec:\n      domain:\n        cpu: {{sockets: {sockets}, cores: 1, threads: 1}}\n        memory: {{guest: 2Gi}}\n        devices: {{disks: [{{name: root, disk: {{bus: virtio}}}}], interfaces: [{{name: default, {interface}: {{}}}}]{devices}}}\n      networks: [{{name: default, {network}}}]\n      volumes: [{{name: root, persistentVolumeClaim: {{claimName: root}}}}]\n"
    )
}

fn claim(mode: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: root, namespace: vms}}\nspec: {{accessModes: [{mode}], resources: {{requests: {{storage: 1Gi}}}}}}\n"
    )
}

#[test]
fn what_stands_against_a_migration_is_said_where_one_is_needed() {
    let multus = "multus: {networkName: lan}";
    let against = |mode: &str, interface: &str, network: &str, devices: &str| {
        let side = |sockets| vm(sockets, interface, network, devices) + &claim(mode);
        let plan = change(&side(1), &side(2)).vm();
        assert_eq!(plan.action, Action::Live);
        [
            "claim `root` is ReadWriteOnce",
            "interface `default` is a bridge on the pod network",
            "it has GPUs",
            "it has host devices",
        ]
        .map(|words| says(&plan, words))
    };
    let nothing = [false; 4];
    assert_eq!(
        against("ReadWriteMany", "masquerade", "pod: {}", ""),
        nothing
    );
    assert_eq!(against("ReadWriteMany", "bridge", multus, ""), nothing);
    let claim = [true, false, false, false];
    assert_eq!(against("ReadWriteOnce", "masquerade", "pod: {}", ""), claim);
    let bridge = [false, true, false, false];
    assert_eq!(against("ReadWriteMany", "bridge", "pod: {}", ""), bridge);
    let gpus = ", gpus: [{name: g, deviceName: example.com/gpu}]";
    let with_gpu = [false, false, true, false];
    assert_eq!(
        against("ReadWriteMany", "masquerade", "pod: {}", gpus),
        with_gpu
    );
    // No migration, nothing against it.
    let edit =
        |label: &str| vm(1, "bridge", "pod: {}", "").replace("app: web", &format!("app: {label}"));
    let waits = change(&edit("web"), &edit("other")).vm();
    assert!(waits.assumptions.is_empty(), "{:?}", waits.assumptions);
}

#[test]
fn each_step_names_what_reaches_the_guest() {
    let base = vm(1, "masquerade", "pod: {}", "");
    for (head, words) in [
        (base.replace("sockets: 1", "sockets: 2"), "CPU sockets"),
        (
            base.replace("guest: 2Gi", "guest: 4Gi"),
            "guest memory changes",
        ),
        (
            base.replace(
                "      domain:",
                "      nodeSelector: {disk: ssd}\n      domain:",
            ),
            "node selector and affinity",
        ),
        (
            base.replace(
                "      domain:",
                "      tolerations: [{key: a, operator: Exists}]\n      domain:",
            ),
            "tolerations",
        ),
    ] {
        let plan = change(&base, &head).on(Release::V1_9).vm();
        let words = format!("{words} reach the running guest");
        assert!(says(&plan, &words), "{words}: {:?}", plan.reasons);
    }
}

#[test]
fn a_label_waits_for_a_start_whatever_hotplug_does() {
    let base = vm(1, "masquerade", "pod: {}", "");
    let head = base.replace("app: web", "app: other");
    for release in [Release::V1_7, Release::V1_8, Release::V1_9] {
        let plan = change(&base, &head).on(release).vm();
        assert_eq!(plan.action, Action::NextStart);
        assert!(says(&plan, "applied when the VM next starts"));
        assert!(!says(&plan, "declarative hotplug"));
        let fields: Vec<String> = plan
            .fields
            .iter()
            .map(|field| field.path.to_string())
            .collect();
        assert_eq!(fields, ["spec.template.metadata.labels.app"]);
    }
}

#[test]
fn an_action_is_held_once() {
    let base = vm(1, "masquerade", "pod: {}", "");
    let mut plan = change(&base, &base.replace("sockets: 1", "sockets: 2")).vm();
    assert_eq!(plan.action, Action::Live);
    for action in [Action::Restart, Action::Live, Action::Restart, Action::None] {
        plan.hold(action);
    }
    let held: Vec<Action> = plan.actions().collect();
    assert_eq!(held, [Action::Restart, Action::Live]);
}

#[test]
fn what_cannot_be_inferred_is_refused_only_where_the_tree_is_complete() {
    let text = |label: &str| {
        vm(1, "masquerade", "pod: {}", "")
            .replace("        cpu: {sockets: 1, cores: 1, threads: 1}\n", "")
            .replace("        memory: {guest: 2Gi}\n", "")
            .replace(
                "  template:",
                "  instancetype: {inferFromVolume: root}\n  template:",
            )
            .replace("app: web", &format!("app: {label}"))
    };
    let edit = || change(&text("web"), &text("other"));
    let refused = edit().complete().vm();
    assert_eq!(refused.action, Action::Rejected);
    let said = refused.reasons.iter().find_map(|reason| {
        let said = reason.kubevirt.as_ref()?;
        Some((reason.message.as_str(), said.message.as_str()))
    });
    assert_eq!(
        said,
        Some((
            "the cluster refuses the VM",
            "persistentvolumeclaims \"root\" not found"
        )),
        "{:#?}",
        refused.reasons
    );
    assert_ne!(edit().action(), Action::Rejected);
}
