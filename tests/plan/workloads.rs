//! Pools, replica sets and bare instances (PL13).

use driftless::plan::{Action, Rejection};
use driftless::release::Release;

use crate::support::{change, says};

fn pool(replicas: u32, more: &str, template: &str, size: &str) -> String {
    format!(
        "apiVersion: pool.kubevirt.io/v1alpha1\nkind: VirtualMachinePool\nmetadata: {{name: web, namespace: vms}}\nspec:\n  replicas: {replicas}\n{more}  selector: {{matchLabels: {{a: b}}}}\n  virtualMachineTemplate:\n    metadata: {{labels: {{a: b}}}}\n    spec:\n      runStrategy: Always\n      dataVolumeTemplates: [{{metadata: {{name: root}}, spec: {{source: {{blank: {{}}}}, storage: {{resources: {{requests: {{storage: {size}}}}}}}}}}}]\n      template:\n        spec:\n          hostname: {template}\n          domain: {{devices: {{}}, memory: {{guest: 2Gi}}}}\n          volumes: [{{name: root, dataVolume: {{name: root}}}}]\n"
    )
}

#[test]
fn pl13_a_template_edit_of_a_pool_takes_every_guest_down() {
    let base = pool(3, "", "h", "1Gi");
    let edited = change(&base, &pool(3, "", "other", "1Gi")).vm();
    assert_eq!(edited.kind, "VirtualMachinePool");
    assert_eq!((edited.action, edited.down), (Action::Restart, 3));
    assert_eq!(edited.also, [Action::Stop], "a gate on `stop` stops it");
    assert!(says(&edited, "deletes its 3 running guests"));
    let sentence = change(&base, &pool(3, "", "other", "1Gi"))
        .plan()
        .summary()
        .sentence;
    assert_eq!(sentence, "1 restarts its guests at once");
    let disks = change(&base, &pool(3, "", "h", "2Gi"));
    let plan = disks.vm();
    assert_eq!((plan.action, plan.down), (Action::DataLoss, 3));
    assert_eq!(plan.also, [Action::Delete]);
    // Before 1.6 nobody looks at the disks.
    let old = disks.on(Release::V1_5).vm();
    assert_eq!((old.action, old.down), (Action::NextStart, 0));
}

#[test]
fn pl13_strategies_hold_where_the_release_has_them() {
    for (way, action) in [
        ("opportunistic", Action::NextStart),
        ("unmanaged", Action::None),
        ("proactive", Action::Restart),
    ] {
        let more = format!("  updateStrategy: {{{way}: {{}}}}\n");
        let both = change(&pool(3, &more, "h", "1Gi"), &pool(3, &more, "other", "1Gi"));
        assert_eq!(both.action(), action, "{way}");
        assert_eq!(both.on(Release::V1_6).action(), Action::Restart, "{way}");
    }
}

#[test]
fn pl13_fewer_replicas_delete_guests_and_their_disks() {
    let fewer = change(&pool(3, "", "h", "1Gi"), &pool(1, "", "h", "1Gi")).vm();
    assert_eq!((fewer.action, fewer.down), (Action::DataLoss, 2));
    let more = change(&pool(1, "", "h", "1Gi"), &pool(3, "", "h", "1Gi")).vm();
    assert_eq!((more.action, more.down), (Action::Create, 0));
    let kept = "  scaleInStrategy: {proactive: {statePreservation: Online}}\n";
    let kept = change(&pool(3, kept, "h", "1Gi"), &pool(1, kept, "h", "1Gi")).vm();
    assert_eq!((kept.action, kept.down), (Action::Delete, 2));
    let unmanaged = "  scaleInStrategy: {unmanaged: {}}\n";
    let unmanaged = change(
        &pool(3, unmanaged, "h", "1Gi"),
        &pool(1, unmanaged, "h", "1Gi"),
    )
    .vm();
    assert_eq!((unmanaged.action, unmanaged.down), (Action::None, 0));
    let gone = change(&pool(3, "", "h", "1Gi"), "").vm();
    assert_eq!((gone.action, gone.down), (Action::DataLoss, 3));
    let paused = "  paused: true\n";
    let paused = change(&pool(3, paused, "h", "1Gi"), &pool(1, paused, "x", "1Gi")).vm();
    assert_eq!((paused.action, paused.down), (Action::None, 0));
}

#[test]
fn pl13_replica_sets_and_bare_instances() {
    let set = |replicas: u32, name: &str| {
        format!(
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachineInstanceReplicaSet\nmetadata: {{name: web, namespace: vms}}\nspec:\n  replicas: {replicas}\n  selector: {{matchLabels: {{app: web}}}}\n  template: {{metadata: {{labels: {{app: web}}}}, spec: {{hostname: {name}, domain: {{devices: {{}}, memory: {{guest: 1Gi}}}}}}}}\n"
        )
    };
    assert_eq!(
        change(&set(3, "h"), &set(3, "x")).action(),
        Action::NextStart
    );
    let fewer = change(&set(3, "h"), &set(1, "h")).vm();
    assert_eq!((fewer.action, fewer.down), (Action::Delete, 2));
    let bare = |name: &str| {
        format!(
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachineInstance\nmetadata: {{name: web, namespace: vms}}\nspec: {{hostname: {name}, domain: {{devices: {{}}, memory: {{guest: 1Gi}}}}}}\n"
        )
    };
    let edited = change(&bare("h"), &bare("x")).vm();
    assert_eq!(
        (edited.action, edited.rejected),
        (Action::Rejected, Some(Rejection::Admission))
    );
    let gone = change(&bare("h"), "").vm();
    assert_eq!((gone.action, gone.down), (Action::Delete, 1));
    assert_eq!(change("", &bare("h")).action(), Action::Create);
}

#[test]
fn metadata_of_a_bare_instance_can_be_edited() {
    let bare = |labels: &str| {
        format!(
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachineInstance\nmetadata: {{name: web, namespace: vms, annotations: {{{labels}}}}}\nspec: {{hostname: h, domain: {{devices: {{}}, memory: {{guest: 1Gi}}}}}}\n"
        )
    };
    assert_eq!(change(&bare(""), &bare("a: b")).action(), Action::None);
}
