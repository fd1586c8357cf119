//! Volume updates, by the ids of the behaviours log.

use driftless::plan::{Action, Rejection};
use driftless::release::Release;

use crate::support::{blames, change, says};

/// A VM with volumes `name=claim[:mode]`; flags on the disk after `/`.
fn vm(strategy: &str, volumes: &[(&str, &str, &str)]) -> String {
    let mut out = String::from(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web, namespace: vms}\nspec:\n  runStrategy: Always\n",
    );
    if !strategy.is_empty() {
        out.push_str(&format!("  updateVolumesStrategy: {strategy}\n"));
    }
    out.push_str("  template:\n    spec:\n      domain:\n        devices:\n          disks:\n");
    for (name, _, disk) in volumes {
        if *disk != "filesystem" {
            let disk = if disk.is_empty() {
                "disk: {bus: virtio}"
            } else {
                disk
            };
            out.push_str(&format!("          - {{name: {name}, {disk}}}\n"));
        }
    }
    let shared: Vec<_> = volumes
        .iter()
        .filter(|(_, _, disk)| *disk == "filesystem")
        .collect();
    if !shared.is_empty() {
        out.push_str("          filesystems:\n");
        for (name, _, _) in shared {
            out.push_str(&format!("          - {{name: {name}, virtiofs: {{}}}}\n"));
        }
    }
    out.push_str("        memory: {guest: 2Gi}\n      volumes:\n");
    for (name, claim, _) in volumes {
        out.push_str(&format!(
            "      - {{name: {name}, persistentVolumeClaim: {{claimName: {claim}}}}}\n"
        ));
    }
    out
}

fn claim(name: &str, mode: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: {name}, namespace: vms}}\nspec: {{accessModes: [{mode}], resources: {{requests: {{storage: 1Gi}}}}}}\n"
    )
}

#[test]
fn pl12_a_read_write_once_volume_left_out_loses_data_at_the_restart() {
    let claims = |mode: &str| {
        ["a1", "a2"]
            .map(|name| claim(name, "ReadWriteMany"))
            .concat()
            + &claim("b1", mode)
    };
    let both = |mode: &str| {
        let base = vm("", &[("a", "a1", ""), ("b", "b1", "")]) + &claims(mode);
        let head = vm("Migration", &[("a", "a2", ""), ("b", "b1", "")]) + &claims(mode);
        change(&base, &head)
    };
    let refused = both("ReadWriteOnce").vm();
    // The restart that KubeVirt asks for would boot the claim that nobody filled (PL12).
    assert_eq!(refused.action, Action::DataLoss);
    assert_eq!(refused.also, [Action::Restart]);
    assert!(says(&refused, "The volume b is RWO and not included"));
    assert!(!says(&refused, "a commit of its own"));
    let moves = both("ReadWriteMany").vm();
    assert_eq!(moves.action, Action::MigrateVolumes);
    assert_eq!(moves.volumes.len(), 1);
    assert_eq!(
        (moves.volumes[0].from.as_str(), moves.volumes[0].to.as_str()),
        ("a1", "a2")
    );
    // A claim that is not in the tree is unknown, never a pass.
    let base = vm("", &[("a", "a1", ""), ("b", "b1", "")]);
    let head = vm("Migration", &[("a", "a2", ""), ("b", "b1", "")]);
    let unseen = change(&base, &head).vm();
    assert_eq!(unseen.action, Action::Unknown);
    assert!(says(&unseen, "claim `b1`"), "{:#?}", unseen.reasons);
}

#[test]
fn volumes_that_cannot_migrate_need_a_restart() {
    let claims = ["a1", "a2"]
        .map(|name| claim(name, "ReadWriteMany"))
        .concat();
    for (disk, words) in [
        ("disk: {bus: virtio}, shareable: true", "shareable: [a]"),
        ("lun: {bus: scsi}", "luns: [a]"),
        ("filesystem", "filesystems: [a]"),
    ] {
        let base = vm("", &[("a", "a1", disk)]) + &claims;
        let head = vm("Migration", &[("a", "a2", disk)]) + &claims;
        let plan = change(&base, &head).vm();
        assert_eq!(plan.action, Action::DataLoss, "{disk}");
        assert_eq!(plan.also, [Action::Restart], "{disk}");
        assert!(says(&plan, words), "{:#?}", plan.reasons);
    }
}

#[test]
fn a_missing_destination_waits_without_a_restart() {
    let base = vm("", &[("a", "a1", "")]) + &claim("a1", "ReadWriteMany");
    let head = vm("Migration", &[("a", "a2", "")]) + &claim("a1", "ReadWriteMany");
    let waits = change(&base, &head).complete().vm();
    assert_eq!(waits.action, Action::Pending);
    assert!(says(&waits, "the pvc a2 doesn't exist"));
    // Before 1.9 nobody looks, the migration starts.
    assert_eq!(
        change(&base, &head).complete().on(Release::V1_8).action(),
        Action::MigrateVolumes
    );
}

#[test]
fn a_template_or_a_volume_that_keeps_the_old_name_is_refused() {
    let with = |template: &str, volume: &str| {
        format!(
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: web}}\nspec:\n  runStrategy: Always\n  updateVolumesStrategy: Migration\n  dataVolumeTemplates: [{{metadata: {{name: {template}}}, spec: {{source: {{blank: {{}}}}, storage: {{}}}}}}]\n  template:\n    spec:\n      domain: {{devices: {{disks: [{{name: root, disk: {{bus: virtio}}}}]}}, memory: {{guest: 2Gi}}}}\n      volumes: [{{name: root, dataVolume: {{name: {volume}}}}}]\n"
        )
    };
    let base = with("old", "old");
    for (template, volume) in [("old", "new"), ("new", "old")] {
        let plan = change(&base, &with(template, volume)).vm();
        assert_eq!(plan.action, Action::Rejected, "{template} {volume}");
        assert!(plan.reasons.iter().all(|reason| reason.kubevirt.is_some()));
    }
    let both = change(&base, &with("new", "new")).vm();
    assert_eq!(both.action, Action::MigrateVolumes, "{:#?}", both.reasons);
}

#[test]
fn edits_inside_a_data_volume_template_do_nothing() {
    let with = |size: &str| {
        format!(
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: web}}\nspec:\n  runStrategy: Always\n  dataVolumeTemplates:\n  - metadata: {{name: root}}\n    spec: {{source: {{blank: {{}}}}, storage: {{resources: {{requests: {{storage: {size}}}}}}}}}\n  template:\n    spec:\n      domain: {{devices: {{disks: [{{name: root, disk: {{bus: virtio}}}}]}}, memory: {{guest: 2Gi}}}}\n      volumes: [{{name: root, dataVolume: {{name: root}}}}]\n"
        )
    };
    let grown = change(&with("10Gi"), &with("20Gi")).vm();
    assert_eq!(grown.action, Action::None);
    assert!(
        says(&grown, "KubeVirt ignores the edit"),
        "{:#?}",
        grown.reasons
    );
    assert!(blames(
        &grown,
        "spec.dataVolumeTemplates[0].spec.storage.resources.requests.storage"
    ));
    let shrunk = change(&with("20Gi"), &with("10Gi")).vm();
    assert!(says(&shrunk, "a claim cannot shrink"));
}

#[test]
fn pl12_a_cancelled_migration_copies_nothing() {
    let claims = ["a1", "a2", "b1", "b2", "b3"]
        .map(|name| claim(name, "ReadWriteMany"))
        .concat();
    let side = |a: &str, b: &str| vm("Migration", &[("a", a, ""), ("b", b, "")]) + &claims;
    let revert = |a: &str, b: &str| {
        change(&side("a2", "b2"), &side(a, b))
            .migrating_from(&side("a1", "b1"))
            .vm()
    };
    let whole = revert("a1", "b1");
    assert_eq!(whole.action, Action::MigrateVolumes);
    assert!(
        whole
            .volumes
            .iter()
            .all(|volume| volume.verdict.as_str() == "cancel")
    );
    assert!(
        !says(&whole, "copied while the guest runs"),
        "{:#?}",
        whole.reasons
    );
    assert!(!says(&whole, "stays armed"));
    for partial in [revert("a1", "b2"), revert("a1", "b3")] {
        assert_eq!(partial.action, Action::Rejected);
        assert!(says(&partial, "can only be reverted"));
    }
}

#[test]
fn a_claim_that_changes_without_a_strategy_loses_data() {
    let base = vm("", &[("a", "a1", "")]);
    for strategy in ["", "Replacement"] {
        let plan = change(&base, &vm(strategy, &[("a", "a2", "")])).vm();
        assert_eq!(plan.action, Action::DataLoss);
        let reason = plan
            .reasons
            .iter()
            .find(|reason| reason.message.contains("nothing is copied"))
            .expect("a reason");
        assert_eq!(
            (reason.from.as_deref(), reason.to.as_deref()),
            (Some("a1"), Some("a2"))
        );
        assert_eq!(plan.volumes.len(), 1);
    }
    let unknown = change(&base, &vm("migration", &[("a", "a1", "")])).vm();
    assert_eq!(unknown.action, Action::Rejected);
    assert!(says(
        &unknown,
        "updateVolumes strategy not recognized: migration"
    ));
    assert!(blames(&unknown, "spec.updateVolumesStrategy"));
}

#[test]
fn volumes_declared_hotpluggable_are_plugged_live() {
    let disk = "disk: {bus: scsi}";
    let base = vm("", &[("a", "a1", "")]);
    let head = vm("", &[("a", "a1", ""), ("d", "d1", disk)])
        .replace("claimName: d1", "claimName: d1, hotpluggable: true");
    assert_eq!(change(&base, &head).action(), Action::Live);
    assert_eq!(change(&head, &base).action(), Action::Live);
    let waits = change(&base, &head).on(Release::V1_8).vm();
    assert_eq!(waits.action, Action::NextStart);
    assert!(says(&waits, "declarative hotplug is off"));
    let gate = |gates: serde_json::Value| serde_json::json!({"developerConfiguration": {"featureGates": gates}});
    let decl = gate(serde_json::json!(["DeclarativeHotplugVolumes"]));
    assert_eq!(
        change(&base, &head).on(Release::V1_8).with(decl).action(),
        Action::Live
    );
    let old = gate(serde_json::json!(["HotplugVolumes"]));
    assert_eq!(change(&base, &head).with(old).action(), Action::NextStart);
    let fixed = vm("", &[("a", "a1", ""), ("d", "d1", disk)]);
    assert_eq!(change(&base, &fixed).action(), Action::Restart);
}

#[test]
fn a_claim_named_as_a_data_volume_is_the_same_claim() {
    let base = vm("", &[("a", "x", "")]).replace(
        "persistentVolumeClaim: {claimName: x}",
        "dataVolume: {name: x}",
    );
    let head = |strategy: &str| vm(strategy, &[("a", "x", "")]);
    let plain = change(&base, &head("")).vm();
    assert_eq!(plain.action, Action::Restart);
    assert!(plain.volumes.is_empty());
    let migrating = change(&base, &head("Migration")).vm();
    assert!(migrating.volumes.is_empty());
    assert_eq!(migrating.action, Action::NextStart);
}

#[test]
fn a_stage_rollout_never_migrates() {
    let claims = ["a1", "a2"]
        .map(|name| claim(name, "ReadWriteMany"))
        .concat();
    let base = vm("", &[("a", "a1", "")]) + &claims;
    let head = vm("Migration", &[("a", "a2", "")]) + &claims;
    let plan = change(&base, &head)
        .with(serde_json::json!({"vmRolloutStrategy": "Stage"}))
        .vm();
    assert_eq!(plan.action, Action::DataLoss);
    assert_eq!(plan.also, [Action::NextStart]);
    assert!(says(&plan, "only under the rollout strategy `LiveUpdate`"));
}

#[test]
fn pl12_a_smaller_destination_fails_every_time() {
    let sized = |name: &str, size: &str| claim(name, "ReadWriteMany").replace("1Gi", size);
    let base = |size: &str| vm("", &[("a", "a1", "")]) + &sized("a1", "50Gi") + &sized("a2", size);
    let head = |size: &str| {
        vm("Migration", &[("a", "a2", "")]) + &sized("a1", "50Gi") + &sized("a2", size)
    };
    let plan = |size: &str| change(&base(size), &head(size)).vm();
    let small = plan("10Gi");
    assert_eq!(small.action, Action::Rejected);
    assert_eq!(small.rejected.map(Rejection::as_str), Some("sync"));
    assert!(says(&small, "destination volume is smaller"));
    for size in ["50Gi", "51Gi"] {
        assert_eq!(plan(size).action, Action::MigrateVolumes, "{size}");
    }
}

#[test]
fn pl12_a_swapped_installer_disc_is_no_lost_disk() {
    let drive = "cdrom: {bus: sata}";
    let both = |iso: &str, data: &str| vm("", &[("iso", iso, drive), ("d", data, "")]);
    let swapped = change(&both("i1", "d1"), &both("i2", "d1")).vm();
    assert_eq!(swapped.action, Action::Restart, "{:#?}", swapped.reasons);
    assert!(!swapped.also.contains(&Action::DataLoss));
    assert!(says(&swapped, "the disc of a drive is swapped"));
    assert_eq!(
        change(&both("i1", "d1"), &both("i2", "d2")).action(),
        Action::DataLoss
    );
}
