//! Volumes and CD-ROM drives beside a container disk root.

use serde_json::{Value as Json, json};

use super::{Setting, cell, run, vm, with};
use crate::release::Release;

/// A VM with a container disk root and these further disks and volumes.
fn disks(disks: &[Json], volumes: &[Json]) -> Json {
    let mut all_disks = vec![json!({"name": "root", "disk": {"bus": "virtio"}})];
    all_disks.extend_from_slice(disks);
    let mut all_volumes =
        vec![json!({"name": "root", "containerDisk": {"image": "quay.io/x/y:1"}})];
    all_volumes.extend_from_slice(volumes);
    vm(&json!({"architecture": "amd64", "domain": {
        "cpu": {"sockets": 1, "cores": 1, "threads": 1, "model": "host-model"},
        "devices": {"disks": all_disks, "interfaces": [{"name": "default", "masquerade": {}}]}, "memory": {"guest": "2Gi"}},
        "networks": [{"name": "default", "pod": {}}], "volumes": all_volumes}))
}

fn strategy(mut vm: Json, strategy: &str) -> Json {
    vm["spec"]["updateVolumesStrategy"] = json!(strategy);
    vm
}

#[test]
fn volumes_and_drives_match_the_recorded_probes() {
    let disk = |bus: &str| json!({"name": "data", "disk": {"bus": bus}});
    let hot = |claim: &str| json!({"name": "data", "persistentVolumeClaim": {"claimName": claim, "hotpluggable": true}});
    let cold = |claim: &str| json!({"name": "data", "persistentVolumeClaim": {"claimName": claim}});
    let drive = || json!({"name": "cd", "cdrom": {"bus": "sata"}});
    let iso = |claim: &str| json!({"name": "cd", "persistentVolumeClaim": {"claimName": claim, "hotpluggable": true}});
    let fixed_iso =
        |claim: &str| json!({"name": "cd", "persistentVolumeClaim": {"claimName": claim}});
    let base = || disks(&[], &[]);
    let with_hot = || disks(&[disk("scsi")], &[hot("a")]);
    let with_cold = || disks(&[disk("virtio")], &[cold("a")]);
    let model = |vm: Json| with(vm, "/domain/cpu/model", json!("host-passthrough"));
    let plug = "S R/-; L r/-";
    // Columns: 1.4 with its gates and 1.5, 1.6-1.8 without the gate, 1.6-1.8 with it, 1.9.
    let rows: Vec<(&str, Json, Json, [&str; 4])> = vec![
        ("no change", with_hot(), with_hot(), ["-/-"; 4]),
        (
            "add hotpluggable PVC, scsi",
            base(),
            with_hot(),
            [plug, "-/-", "-/hp", "-/hp"],
        ),
        (
            "add hotpluggable PVC, virtio",
            base(),
            disks(&[disk("virtio")], &[hot("a")]),
            [plug, "-/-", "-/hp", "-/hp"],
        ),
        (
            "add hotpluggable PVC, no disk",
            base(),
            disks(&[], &[hot("a")]),
            [plug, "-/-", "-/hp!", "-/hp!"],
        ),
        (
            "add hotpluggable DataVolume",
            base(),
            disks(
                &[disk("scsi")],
                &[json!({"name": "data", "dataVolume": {"name": "a", "hotpluggable": true}})],
            ),
            [plug, "-/-", "-/hp", "-/hp"],
        ),
        ("add non-hotpluggable PVC", base(), with_cold(), ["R/-"; 4]),
        (
            "remove hotpluggable PVC",
            with_hot(),
            base(),
            ["R/-", "-/-", "-/hp", "-/hp"],
        ),
        (
            "remove hotpluggable volume, keep disk",
            with_hot(),
            disks(&[disk("scsi")], &[]),
            ["S R/-; L PANIC", "-/-", "-/hp!", "-/hp!"],
        ),
        (
            "remove non-hotpluggable PVC",
            with_cold(),
            base(),
            ["R/-"; 4],
        ),
        (
            "change claimName of hotpluggable PVC",
            with_hot(),
            disks(&[disk("scsi")], &[hot("b")]),
            [plug, "-/-", "-/hp", "-/hp"],
        ),
        (
            "change claimName of non-hotpluggable PVC",
            with_cold(),
            disks(&[disk("virtio")], &[cold("b")]),
            ["R/-"; 4],
        ),
        (
            "hotpluggable false -> true",
            with_cold(),
            disks(&[disk("virtio")], &[hot("a")]),
            [plug, "-/-", "-/-", "-/-"],
        ),
        (
            "hotpluggable true -> false",
            with_hot(),
            disks(&[disk("scsi")], &[cold("a")]),
            ["R/-"; 4],
        ),
        (
            "disk bus of hotpluggable changed",
            with_hot(),
            disks(&[disk("virtio")], &[hot("a")]),
            ["S R/-; L -/-", "-/-", "-/-", "-/-"],
        ),
        (
            "add hotpluggable PVC, strategy Migration",
            base(),
            strategy(with_hot(), "Migration"),
            ["S R/-; L -/-", "-/-", "-/-", "-/-"],
        ),
        (
            "change claimName, strategy Migration",
            with_hot(),
            strategy(disks(&[disk("scsi")], &[hot("b")]), "Migration"),
            [
                "S R/-; L -/volmig",
                "S -/-; L -/volmig",
                "S -/-; L -/volmig",
                "S -/-; L -/volmig",
            ],
        ),
        (
            "change claimName, strategy Replacement",
            with_hot(),
            strategy(disks(&[disk("scsi")], &[hot("b")]), "Replacement"),
            [plug, "-/-", "-/hp", "-/hp"],
        ),
        (
            "add hotpluggable PVC + cpu.model",
            base(),
            model(with_hot()),
            ["R/-", "R/-", "R/hp", "R/hp"],
        ),
        (
            "CD inject",
            disks(&[drive()], &[]),
            disks(&[drive()], &[iso("a")]),
            [plug, "-/-", "-/hp", "-/hp"],
        ),
        (
            "CD inject non-hotpluggable PVC",
            disks(&[drive()], &[]),
            disks(&[drive()], &[fixed_iso("a")]),
            ["R/-"; 4],
        ),
        (
            "CD eject",
            disks(&[drive()], &[iso("a")]),
            disks(&[drive()], &[]),
            ["S R/-; L PANIC", "-/-", "-/hp", "-/hp"],
        ),
        (
            "CD swap",
            disks(&[drive()], &[iso("a")]),
            disks(&[drive()], &[iso("b")]),
            [plug, "-/-", "-/hp", "-/hp"],
        ),
        (
            "CD eject non-hotpluggable",
            disks(&[drive()], &[fixed_iso("a")]),
            disks(&[drive()], &[]),
            ["S R/-; L PANIC", "R/-", "R/-", "R/-"],
        ),
        (
            "CD remove disk and volume",
            disks(&[drive()], &[iso("a")]),
            base(),
            ["R/-", "R/-", "R/hp", "R/hp"],
        ),
        (
            "CD add empty drive",
            base(),
            disks(&[drive()], &[]),
            ["R/-"; 4],
        ),
        (
            "CD add drive with hotpluggable PVC",
            base(),
            disks(&[drive()], &[iso("a")]),
            [plug, "-/-", "-/hp!", "-/hp!"],
        ),
        (
            "CD remove empty drive",
            disks(&[drive()], &[]),
            base(),
            ["R/-", "R/-", "R/hp", "R/hp"],
        ),
    ];
    let declarative = "DeclarativeHotplugVolumes";
    let off: &[Setting] = &[
        Setting {
            gates: &["HotplugVolumes"],
            ..Setting::default()
        },
        Setting {
            gates: &["HotplugVolumes", "DeclarativeHotplugVolumes"],
            ..Setting::default()
        },
        Setting {
            disabled: &["DeclarativeHotplugVolumes"],
            ..Setting::default()
        },
    ];
    let mut wrong = Vec::new();
    for (name, old, new, answers) in &rows {
        let mut check = |release: Release, setting: Setting, answer: &str| {
            for strategy in ["Stage", "LiveUpdate"] {
                let got = run(release, strategy, setting, old, new);
                let wanted = cell(answer, strategy);
                if got != wanted {
                    wrong.push(format!(
                        "{name}, {release} {strategy} {:?}/{:?}: {got}, recorded {wanted}",
                        setting.gates, setting.disabled
                    ));
                }
            }
        };
        let gate = Setting {
            gates: &[declarative],
            ..Setting::default()
        };
        let first = Setting {
            gates: &[
                "VMLiveUpdateFeatures",
                "VolumesUpdateStrategy",
                "VolumeMigration",
            ],
            ..Setting::default()
        };
        check(Release::V1_4, first, answers[0]);
        for setting in off.iter().copied().chain([Setting::default(), gate]) {
            check(Release::V1_5, setting, answers[0]);
        }
        for release in [Release::V1_6, Release::V1_7, Release::V1_8] {
            check(release, Setting::default(), answers[1]);
            check(release, gate, answers[2]);
        }
        let on = || super::releases().filter(|release| *release >= Release::V1_9);
        for release in on() {
            check(release, Setting::default(), answers[3]);
            check(release, gate, answers[3]);
        }
        for release in [Release::V1_6, Release::V1_7, Release::V1_8]
            .into_iter()
            .chain(on())
        {
            for setting in off {
                check(release, *setting, answers[1]);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
