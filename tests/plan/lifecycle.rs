//! What is created, deleted, renamed, started and stopped.

use driftless::plan::{Action, Change, Effect, Power};

use crate::support::{change, files, files_of, says};

fn vm(name: &str, metadata: &str, strategy: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: {name}, namespace: vms{metadata}}}\nspec:\n  runStrategy: {strategy}\n  dataVolumeTemplates: [{{metadata: {{name: root}}, spec: {{source: {{blank: {{}}}}, storage: {{}}}}}}]\n  template:\n    spec:\n      domain: {{devices: {{disks: [{{name: root, disk: {{bus: virtio}}}}], interfaces: [{{name: default, masquerade: {{}}, macAddress: \"02:00:00:00:00:01\"}}]}}, firmware: {{uuid: 5d307ca9-b3ef-428c-8861-06e72d69f223}}, memory: {{guest: 2Gi}}}}\n      networks: [{{name: default, pod: {{}}}}]\n      volumes: [{{name: root, dataVolume: {{name: root}}}}]\n"
    )
}

#[test]
fn a_deleted_machine_lists_what_dies_with_it() {
    let plan = change(&vm("web", "", "Always"), "").vm();
    assert_eq!(
        (plan.change, plan.action, plan.power),
        (Change::Removed, Action::DataLoss, Power::Stop)
    );
    assert_eq!(plan.also, [Action::Delete]);
    assert_eq!(plan.down, 1);
    let losses: Vec<_> = plan
        .loses
        .iter()
        .map(|loss| (loss.what.as_str(), loss.name.as_str()))
        .collect();
    assert_eq!(
        losses,
        [
            ("disk", "root"),
            ("mac", "02:00:00:00:00:01"),
            ("uuid", "5d307ca9-b3ef-428c-8861-06e72d69f223")
        ]
    );
}

#[test]
fn prune_annotations_keep_a_machine() {
    for annotation in [
        "argocd.argoproj.io/sync-options: \"Prune=false,Validate=true\"",
        "kustomize.toolkit.fluxcd.io/prune: disabled",
    ] {
        let plan = change(
            &vm("web", &format!(", annotations: {{{annotation}}}"), "Always"),
            "",
        )
        .vm();
        assert_eq!(
            (plan.change, plan.action),
            (Change::Removed, Action::None),
            "{annotation}"
        );
        assert!(says(&plan, "stays in the cluster"));
        assert!(plan.loses.is_empty());
    }
}

#[test]
fn a_new_machine_is_created_and_started() {
    let plan = change("", &vm("web", "", "Always")).vm();
    assert_eq!(
        (plan.change, plan.action, plan.power),
        (Change::Added, Action::Create, Power::Start)
    );
    let halted = change("", &vm("web", "", "Halted")).vm();
    assert_eq!(
        (halted.action, halted.power),
        (Action::Create, Power::Unchanged)
    );
}

#[test]
fn a_renamed_machine_with_disks_of_its_own_loses_them() {
    let renamed = change(&vm("web", "", "Always"), &vm("www", "", "Always")).vm();
    assert_eq!(
        (renamed.change, renamed.action),
        (Change::Renamed, Action::DataLoss)
    );
    assert!(
        renamed
            .loses
            .iter()
            .any(|loss| loss.what.as_str() == "disk")
    );
    let moved = vm("web", "", "Always").replace("namespace: vms", "namespace: prod");
    let moved = change(&vm("web", "", "Always"), &moved).vm();
    assert_eq!(
        (moved.change, moved.action, moved.namespace.as_str()),
        (Change::Renamed, Action::DataLoss, "prod")
    );
}

#[test]
fn pl12_a_renamed_machine_starts_on_what_its_templates_name() {
    let from = |name: &str, source: &str| {
        let text = vm(name, "", "Always");
        let other = text.replace("source: {blank: {}}", source);
        assert!(text != other || source.contains("blank"));
        other
    };
    for (source, words) in [
        ("source: {blank: {}}", "new, empty ones"),
        (
            "sourceRef: {kind: DataSource, name: fedora, namespace: images}",
            "fresh copies of their sources",
        ),
        (
            "source: {http: {url: \"https://example.com/a\"}}",
            "fresh copies of their sources",
        ),
    ] {
        let plan = change(&from("web", source), &from("www", source)).vm();
        assert!(says(&plan, words), "{source}: {:#?}", plan.reasons);
    }
}

#[test]
fn a_renamed_machine_without_disks_of_its_own_is_deleted() {
    let bare = |name: &str| {
        vm(name, "", "Always").replace("  dataVolumeTemplates: [{metadata: {name: root}, spec: {source: {blank: {}}, storage: {}}}]\n", "")
    };
    let plan = change(&bare("web"), &bare("www")).vm();
    assert_eq!(
        (plan.change, plan.action),
        (Change::Renamed, Action::Delete)
    );
    assert_eq!(plan.down, 1);
    assert!(
        plan.loses.is_empty(),
        "the new one keeps MAC and UUID: {:?}",
        plan.loses
    );
}

#[test]
fn power_is_told_beside_the_action() {
    let stop = change(&vm("web", "", "Always"), &vm("web", "", "Halted")).vm();
    assert_eq!((stop.action, stop.power), (Action::Stop, Power::Stop));
    assert_eq!((stop.down, stop.also.len()), (1, 0));
    let start = change(&vm("web", "", "Halted"), &vm("web", "", "Always")).vm();
    assert_eq!((start.action, start.power), (Action::Start, Power::Start));
    let running = vm("web", "", "Always").replace("runStrategy: Always", "running: false");
    assert_eq!(
        change(&vm("web", "", "Always"), &running).vm().power,
        Power::Stop
    );
}

#[test]
fn a_halted_machine_takes_every_change_at_its_next_start() {
    let base = vm("web", "", "Halted");
    let plan = change(&base, &base.replace("bus: virtio", "bus: sata")).vm();
    assert_eq!(plan.action, Action::NextStart);
    let live = change(&base, &base.replace("guest: 2Gi", "guest: 4Gi")).vm();
    assert_eq!(live.action, Action::NextStart);
}

#[test]
fn pl20_nothing_reaches_the_running_guest_of_a_machine_that_is_stopped() {
    let base = "apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: vms}
spec:
  runStrategy: Halted
  template:
    metadata: {annotations: {a: b}}
    spec:
      domain:
        cpu: {sockets: 1, cores: 1, threads: 1}
        memory: {guest: 2Gi}
        firmware: {uuid: 5d307ca9-b3ef-428c-8861-06e72d69f223}
        devices: {interfaces: [{name: default, masquerade: {}}], disks: [{name: data, disk: {bus: scsi}}]}
      networks: [{name: default, pod: {}}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: data, hotpluggable: true}}]
";
    for (from, to) in [
        ("sockets: 1", "sockets: 2"),
        ("2Gi", "4Gi"),
        ("a: b", "descheduler.alpha.kubernetes.io/evict: \"true\""),
        (
            "        firmware: {uuid: 5d307ca9-b3ef-428c-8861-06e72d69f223}\n",
            "",
        ),
        ("5d307ca9", "6d307ca9"),
        ("claimName: data", "claimName: other"),
        (", hotpluggable: true", ""),
        ("bus: scsi", "bus: virtio"),
        (
            "masquerade: {}}]",
            "masquerade: {}}, {name: lan, bridge: {}}]",
        ),
        (
            "      networks:",
            "      nodeSelector: {a: b}\n      networks:",
        ),
        (
            "      networks:",
            "      evictionStrategy: LiveMigrate\n      networks:",
        ),
        (
            "runStrategy: Halted",
            "runStrategy: Halted\n  updateVolumesStrategy: Migration",
        ),
    ] {
        let mut head = base.replace(from, to);
        assert_ne!(head, base);
        if to.contains("lan") {
            head = head.replace(
                "pod: {}}",
                "pod: {}}, {name: lan, multus: {networkName: lan}}",
            );
        }
        if to.contains("Migration") {
            head = head.replace("claimName: data", "claimName: other");
        }
        let plan = change(base, &head).vm();
        let harmless = [Action::NextStart, Action::None, Action::DataLoss];
        assert!(
            plan.actions().all(|action| harmless.contains(&action)),
            "{to}: {plan:#?}"
        );
        assert_eq!((plan.down, plan.condition_only), (0, false), "{to}");
        for field in &plan.fields {
            assert!(
                matches!(field.effect, Effect::NextStart | Effect::None),
                "{to}: {field:?}"
            );
        }
        for words in ["running guest", "while the guest runs", "restart", "migrat"] {
            assert!(!says(&plan, words), "{to}: {words}: {:#?}", plan.reasons);
        }
    }
}

#[test]
fn pl20_every_cause_names_a_line() {
    let both = format!("{}---\n{}", vm("a", "", "Always"), vm("b", "", "Always"));
    let edited = both.replace("runStrategy: Always", "runStrategy: Halted");
    assert_ne!(both, edited);
    for (base, head) in [(both.as_str(), edited.as_str()), ("", &both), (&both, "")] {
        let plan = change(base, head).plan();
        assert_eq!(plan.virtual_machines.len(), 2);
        for row in plan.virtual_machines {
            assert!(
                row.causes.iter().all(|cause| cause.line.is_some()),
                "{:?}",
                row.causes
            );
        }
    }
}

#[test]
fn cloud_init_edits_say_whether_the_guest_sees_them() {
    let with = |root: &str, data: &str| {
        format!(
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: web}}\nspec:\n  runStrategy: Always\n  template:\n    spec:\n      domain: {{devices: {{disks: [{{name: root, disk: {{bus: virtio}}}}, {{name: ci, disk: {{bus: virtio}}}}]}}, memory: {{guest: 2Gi}}}}\n      volumes:\n      - {{name: root, {root}}}\n      - {{name: ci, cloudInitNoCloud: {{userData: \"#cloud-config\\npassword: {data}\"}}}}\n"
        )
    };
    let persistent = "persistentVolumeClaim: {claimName: root}";
    let plan = change(&with(persistent, "secret-a"), &with(persistent, "secret-b")).vm();
    assert_eq!(plan.action, Action::Restart);
    assert!(says(&plan, "do not run again"), "{:#?}", plan.reasons);
    let fresh = "containerDisk: {image: \"quay.io/x/y:1\"}";
    let plan = change(&with(fresh, "secret-a"), &with(fresh, "secret-b")).vm();
    assert!(says(&plan, "cloud-init runs in full"));
    assert!(
        !format!("{:?} {:?}", plan.reasons, plan.fields).contains("secret-"),
        "user data is never shown"
    );
}

#[test]
fn a_machine_moved_to_another_file_is_itself() {
    let text = vm("web", "", "Always");
    let plan = files(&[("a.yaml", &text)], &[("b/c.yaml", &text)]).vm();
    assert_eq!(
        (plan.change, plan.action),
        (Change::Unchanged, Action::None)
    );
    assert_eq!(files_of(&plan), ["a.yaml", "b/c.yaml"]);
}

#[test]
fn a_renamed_machine_is_started_or_stopped_by_its_new_form() {
    for (before, after, power) in [
        ("Halted", "Always", Power::Start),
        ("Always", "Halted", Power::Stop),
        ("Manual", "Halted", Power::Stop),
        ("Always", "Always", Power::Unchanged),
        ("Halted", "Halted", Power::Unchanged),
    ] {
        let plan = change(&vm("web", "", before), &vm("www", "", after)).vm();
        assert_eq!(plan.change, Change::Renamed, "{before} to {after}");
        assert_eq!(plan.power, power, "{before} to {after}");
    }
}
