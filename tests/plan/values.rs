//! Values before and after are those of the guest; KubeVirt's comparison is a reason, never a value (PL06 to PL10).

use driftless::plan::{Action, Effect, VmPlan};
use driftless::release::Release;
use driftless::transform::start::legacy_uuid;

use crate::support::{blames, change, files, says};

/// A VM with these keys of the domain and of the template's spec.
fn vm(head: &str, domain: &str, spec: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: web, namespace: vms}}\nspec:\n  runStrategy: Always\n{head}  template:\n    spec:\n      domain: {{{domain}}}\n{spec}"
    )
}

fn preference(spec: &str) -> String {
    format!(
        "---\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterPreference\nmetadata: {{name: pr}}\nspec: {spec}\n"
    )
}

/// The value of a field, as `from → to`, with its effect.
fn value(plan: &VmPlan, path: &str) -> Option<(String, Effect)> {
    let found = plan
        .fields
        .iter()
        .find(|field| field.path.to_string() == path)?;
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
    Some((
        format!("{} → {}", text(&found.from), text(&found.to)),
        found.effect,
    ))
}

#[test]
fn pl06_a_preference_of_today_is_no_value_of_the_guest() {
    let disks = "devices: {disks: [{name: root, disk: {}}]}, memory: {guest: 2Gi}";
    let volumes = "      volumes: [{name: root, containerDisk: {image: \"quay.io/x/y:1\"}}]\n";
    let web = |selector: &str| {
        vm(
            "  preference: {name: pr}\n",
            disks,
            &format!("{selector}{volumes}"),
        )
    };
    let plan = files(
        &[
            ("vm.yaml", &web("")),
            (
                "pr.yaml",
                &preference("{devices: {preferredDiskBus: virtio}}"),
            ),
        ],
        &[
            ("vm.yaml", &web("      nodeSelector: {disk: fast}\n")),
            (
                "pr.yaml",
                &preference("{devices: {preferredDiskBus: scsi}}"),
            ),
        ],
    )
    .vm();
    assert_eq!(plan.action, Action::Restart);
    let bus = "spec.template.spec.domain.devices.disks[0].disk.bus";
    assert!(blames(&plan, bus), "{:#?}", plan.reasons);
    let reason = plan
        .reasons
        .iter()
        .find(|reason| {
            reason
                .field
                .as_ref()
                .is_some_and(|field| field.to_string() == bus)
        })
        .unwrap();
    assert_eq!((&reason.from, &reason.to), (&None, &None));
    assert!(reason.message.contains("of today"), "{}", reason.message);
    assert_eq!(value(&plan, bus), None);
    assert_eq!(
        value(&plan, "spec.template.spec.nodeSelector"),
        Some(("- → {\"disk\":\"fast\"}".to_owned(), Effect::Restart))
    );
}

const NICS: &str = "devices: {interfaces: [{name: default, masquerade: {}}]}, memory: {guest: 2Gi}";
const NETWORKS: &str = "      networks: [{name: default, pod: {}}]\n";

#[test]
fn pl07_a_plugged_interface_takes_no_model_from_its_neighbour() {
    let more = NICS.replace("masquerade: {}}", "masquerade: {}}, {name: b, bridge: {}}");
    let networks = NETWORKS.replace(
        "pod: {}}",
        "pod: {}}, {name: b, multus: {networkName: net-a}}",
    );
    let matcher = "  preference: {name: pr}\n";
    let pr = preference("{devices: {preferredInterfaceModel: e1000e}}");
    let base = vm(matcher, NICS, NETWORKS) + &pr;
    let plan = change(&base, &(vm(matcher, &more, &networks) + &pr)).vm();
    assert_eq!(plan.action, Action::Live, "{:#?}", plan.reasons);
    assert!(
        plan.reasons.iter().all(|reason| {
            reason
                .field
                .as_ref()
                .is_none_or(|field| !field.to_string().contains("].model"))
        }),
        "{:#?}",
        plan.reasons
    );
    // The interface is compared as it was written with the expanded one.
    assert_eq!(plan.also, [Action::Restart]);
    assert!(says(&plan, "write `model`"));
    let named = more.replace("bridge: {}", "bridge: {}, model: e1000e");
    let plan = change(&base, &(vm(matcher, &named, &networks) + &pr)).vm();
    assert_eq!((plan.action, plan.also.len()), (Action::Live, 0));
}

#[test]
fn pl08_a_machine_moved_to_an_instance_type_says_what_the_guest_gets() {
    let own = "cpu: {sockets: 2}, devices: {rng: {}, disks: [{name: root, disk: {bus: virtio}}]}, memory: {guest: 2Gi}";
    let volumes = "      volumes: [{name: root, containerDisk: {image: \"quay.io/x/y:1\"}}]\n";
    let types = "---\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {name: it}\nspec: {cpu: {guest: 2}, memory: {guest: 8Gi}}\n".to_owned()
        + &preference("{devices: {preferredDiskBus: virtio, preferredRng: {}}}");
    let base = vm("", own, volumes) + &types;
    let head = vm(
        "  instancetype: {name: it}\n  preference: {name: pr}\n",
        "devices: {disks: [{name: root, disk: {}}]}",
        volumes,
    ) + &types;
    let plan = change(&base, &head).vm();
    let template: Vec<String> = plan
        .fields
        .iter()
        .map(|field| field.path.to_string())
        .filter(|path| path.starts_with("spec.template"))
        .collect();
    assert_eq!(template, ["spec.template.spec.domain.memory.guest"]);
    assert_eq!(
        value(&plan, "spec.template.spec.domain.memory.guest")
            .unwrap()
            .0,
        "2Gi → 8Gi"
    );
}

#[test]
fn pl09_only_what_a_step_touches_reaches_the_guest() {
    // An interface that runs: its state and network name are copied, its address is not.
    let nic = |more: &str, network: &str| {
        (
            NICS.replace(
                "masquerade: {}}",
                &format!("masquerade: {{}}}}, {{name: b, sriov: {{}}{more}}}"),
            ),
            NETWORKS.replace(
                "pod: {}}",
                &format!("pod: {{}}}}, {{name: b, multus: {{networkName: {network}}}}}"),
            ),
        )
    };
    let ((before, from), (after, to)) = (
        nic("", "net-a"),
        nic(", macAddress: \"02:00:00:00:00:01\"", "m"),
    );
    let plan = change(&vm("", &before, &from), &vm("", &after, &to)).vm();
    assert_eq!(plan.action, Action::Restart);
    let mac = value(
        &plan,
        "spec.template.spec.domain.devices.interfaces[1].macAddress",
    )
    .unwrap();
    assert_eq!(mac.1, Effect::Restart);
    let name = value(&plan, "spec.template.spec.networks[1].multus.networkName").unwrap();
    assert_eq!(name.1, Effect::Live);
    // A claim that is plugged takes nothing of its neighbour along.
    let storage = |data: &str, more: (&str, &str)| {
        vm(
            "",
            &format!(
                "devices: {{disks: [{{name: ci, disk: {{bus: virtio}}}}{}]}}, memory: {{guest: 2Gi}}",
                more.0
            ),
            &format!(
                "      volumes: [{{name: ci, cloudInitNoCloud: {{userData: \"#cloud-config\\npackages: [{data}]\"}}}}{}]\n",
                more.1
            ),
        )
    };
    let plugged = (
        ", {name: data, disk: {bus: scsi}}",
        ", {name: data, persistentVolumeClaim: {claimName: d, hotpluggable: true}}",
    );
    let plan = change(&storage("a", ("", "")), &storage("b", plugged)).vm();
    let effects: Vec<(String, Effect)> = plan
        .fields
        .iter()
        .map(|field| (field.path.to_string(), field.effect))
        .collect();
    let of = |start: &str| {
        effects
            .iter()
            .find(|(path, _)| path.starts_with(start))
            .unwrap_or_else(|| panic!("{start}: {effects:?}"))
            .1
    };
    assert_eq!(of("spec.template.spec.volumes[0]"), Effect::Restart);
    assert_eq!(of("spec.template.spec.volumes[1]"), Effect::Live);
    assert_eq!(
        of("spec.template.spec.domain.devices.disks[1]"),
        Effect::Live
    );
}

#[test]
fn pl10_no_identity_is_invented() {
    const UUID: &str = "spec.template.spec.domain.firmware.uuid";
    let own = "5d307ca9-b3ef-428c-8861-06e72d69f223";
    let with = |firmware: &str| {
        vm(
            "",
            &format!("devices: {{}}, memory: {{guest: 2Gi}}{firmware}"),
            "",
        )
    };
    let (none, some) = (with(""), with(&format!(", firmware: {{uuid: {own}}}")));
    let all = |plan: &VmPlan| format!("{:?} {:?}", plan.reasons, plan.fields);
    let removed = change(&some, &none).vm();
    assert_eq!(removed.action, Action::Restart, "{:#?}", removed.reasons);
    assert_eq!(
        value(&removed, UUID).unwrap().0,
        format!("{own} → {}", legacy_uuid("web"))
    );
    assert!(says(&removed, "identity changes"));
    let added = change(&none, &some).vm();
    assert_eq!(added.action, Action::Unknown);
    assert!(says(&added, "if this is the guest's own UUID"));
    // Before 1.6 nothing is made at random: the guest has the one of its name.
    let old = change(&none, &some).on(Release::V1_5).vm();
    assert_eq!(old.action, Action::Restart);
    assert_eq!(
        value(&old, UUID).unwrap().0,
        format!("{} → {own}", legacy_uuid("web"))
    );
    let serial = with(", firmware: {serial: abc}");
    for plan in [
        &removed,
        &added,
        &old,
        &change(&serial, &none).vm(),
        &change(&none, &serial).vm(),
    ] {
        assert!(!all(plan).contains("00000000-0000"), "{}", all(plan));
    }
}
