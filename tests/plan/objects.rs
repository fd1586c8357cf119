//! PL03e: claims, data volumes, Secrets, ConfigMaps and network attachments that change under the machines that name them.

use driftless::plan::{Action, Change, Rejection};
use serde_json::json;

use crate::support::{change, files, files_of, says};

/// A running machine with the given volumes (one a line of flow YAML), each with a disk of its name.
fn vm(volumes: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: web, namespace: vms}}
spec:
  runStrategy: Always
  template:
    spec:
      architecture: amd64
      domain:
        cpu: {{cores: 1, sockets: 1, threads: 1}}
        memory: {{guest: 2Gi}}
        devices: {{}}
      volumes: [{volumes}]
"
    )
}

fn claim(spec: &str) -> String {
    format!(
        "apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: data, namespace: vms}}
spec: {{accessModes: [ReadWriteMany], {spec}}}
"
    )
}

fn sized(size: &str) -> String {
    claim(&format!("resources: {{requests: {{storage: {size}}}}}"))
}

fn data_volume(size: &str) -> String {
    format!(
        "apiVersion: cdi.kubevirt.io/v1beta1
kind: DataVolume
metadata: {{name: data, namespace: vms}}
spec: {{source: {{blank: {{}}}}, storage: {{resources: {{requests: {{storage: {size}}}}}}}}}
"
    )
}

const DATA: &str = "{name: data, persistentVolumeClaim: {claimName: data}}";

#[test]
fn pl03_a_claim_that_cannot_become_what_git_says_is_refused_for_its_machine() {
    for (before, after, words) in [
        (sized("50Gi"), sized("40Gi"), "a claim cannot shrink"),
        (
            claim("storageClassName: slow"),
            claim("storageClassName: fast"),
            "this field of a claim cannot be changed",
        ),
        (
            claim("volumeName: pv-1"),
            claim("volumeName: pv-2"),
            "this field of a claim cannot be changed",
        ),
        (
            claim("volumeMode: Block"),
            claim("volumeMode: Filesystem"),
            "this field of a claim cannot be changed",
        ),
        (
            data_volume("1Gi"),
            data_volume("2Gi"),
            "Cannot update DataVolume Spec",
        ),
    ] {
        let machine = vm(DATA);
        let plan = files(
            &[("vm.yaml", &machine), ("claims.yaml", &before)],
            &[("vm.yaml", &machine), ("claims.yaml", &after)],
        )
        .vm();
        assert_eq!(
            (plan.change, plan.action, plan.rejected),
            (
                Change::Unchanged,
                Action::Rejected,
                Some(Rejection::Admission)
            ),
            "{after}"
        );
        assert!(says(&plan, words), "{:#?}", plan.reasons);
        assert_eq!(files_of(&plan), ["claims.yaml"]);
        assert_eq!(plan.shared, ["claims.yaml: claim `data` changed"]);
        // The field of the VM that names the claim has no values of the claim's.
        for reason in &plan.reasons {
            assert_eq!((&reason.from, &reason.to), (&None, &None), "{reason:#?}");
        }
    }
    let machine = vm(DATA);
    let shrunk = files(
        &[("vm.yaml", &machine), ("claims.yaml", &sized("50Gi"))],
        &[("vm.yaml", &machine), ("claims.yaml", &sized("40Gi"))],
    );
    assert!(says(
        &shrunk.vm(),
        "`spec.resources.requests.storage` 50Gi → 40Gi"
    ));
}

#[test]
fn pl03_a_claim_that_grows_reaches_the_guest_where_the_release_grows_disks() {
    let machine = vm(DATA);
    let grown = |head: &str| {
        files(
            &[("vm.yaml", &machine), ("claims.yaml", &sized("50Gi"))],
            &[("vm.yaml", &machine), ("claims.yaml", head)],
        )
    };
    assert_eq!(grown(&sized("60Gi")).action(), Action::Live);
    assert_eq!(
        grown(&sized("51200Mi")).action(),
        Action::None,
        "the same size"
    );
    let before = driftless::release::Release::V1_8;
    let off = grown(&sized("60Gi")).on(before).vm();
    assert_eq!(off.action, Action::NextStart);
    assert!(says(&off, "ExpandDisks"));
    let gate = json!({"developerConfiguration": {"featureGates": ["ExpandDisks"]}});
    assert_eq!(
        grown(&sized("60Gi")).on(before).with(gate).action(),
        Action::Live
    );
    let halted = machine.replace("Always", "Halted");
    let plan = files(
        &[("vm.yaml", &halted), ("claims.yaml", &sized("50Gi"))],
        &[("vm.yaml", &halted), ("claims.yaml", &sized("60Gi"))],
    );
    assert_eq!(plan.action(), Action::NextStart, "nothing runs");
}

#[test]
fn pl03_what_the_cluster_fills_in_is_unknown_and_metadata_is_nothing() {
    let machine = vm(DATA);
    let of = |before: &str, after: &str| {
        files(
            &[("vm.yaml", &machine), ("claims.yaml", before)],
            &[("vm.yaml", &machine), ("claims.yaml", after)],
        )
        .action()
    };
    let open = claim("volumeMode: Block");
    for field in ["storageClassName: fast", "volumeName: pv-1"] {
        let said = claim(&format!("volumeMode: Block, {field}"));
        assert_eq!(of(&open, &said), Action::Unknown, "{field}");
        assert_eq!(of(&said, &open), Action::Rejected, "{field} taken away");
    }
    let labelled = open.replace("namespace: vms", "namespace: vms, labels: {a: b}");
    assert_eq!(of(&open, &labelled), Action::None);
}

#[test]
fn pl03_a_claim_that_goes_takes_the_disk_of_the_machine_that_names_it() {
    let machine = vm(DATA);
    for kept in [sized("50Gi"), data_volume("50Gi")] {
        let plan = files(
            &[("vm.yaml", &machine), ("claims.yaml", &kept)],
            &[("vm.yaml", &machine)],
        )
        .vm();
        assert_eq!(
            (plan.change, plan.action, plan.down),
            (Change::Unchanged, Action::DataLoss, 0)
        );
        assert_eq!(plan.loses[0].name, "data");
        assert!(says(&plan, "does not start again"));
    }
    let kept = sized("50Gi").replace(
        "namespace: vms",
        "namespace: vms, annotations: {argocd.argoproj.io/sync-options: Prune=false}",
    );
    let plan = files(
        &[("vm.yaml", &machine), ("claims.yaml", &kept)],
        &[("vm.yaml", &machine)],
    )
    .vm();
    assert_eq!(plan.action, Action::None);
    assert!(says(&plan, "unmanaged"));
    let moved = files(
        &[("vm.yaml", &machine), ("claims.yaml", &sized("50Gi"))],
        &[("vm.yaml", &machine), ("more/claims.yaml", &sized("50Gi"))],
    );
    assert_eq!(moved.action(), Action::None, "another file");
}

#[test]
fn pl03_a_machine_and_its_claim_that_go_together_lose_the_disk() {
    let both = format!("{}---\n{}", vm(DATA), sized("50Gi"));
    let plan = change(&both, "").vm();
    assert_eq!(
        (plan.change, plan.action, plan.down),
        (Change::Removed, Action::DataLoss, 1)
    );
    assert!(plan.holds(Action::Delete));
    assert_eq!(plan.loses[0].name, "data");
    let alone = change(&both, &sized("50Gi")).vm();
    assert_eq!(alone.action, Action::Delete);
    assert!(says(&alone, "of their own stay"));
}

#[test]
fn pl03_a_claim_that_no_machine_names_is_a_row_of_its_own() {
    let other = vm("{name: root, containerDisk: {image: a}}");
    let with = |claim: &str| format!("{other}---\n{claim}");
    for (kind, text) in [
        ("PersistentVolumeClaim", sized("50Gi")),
        ("DataVolume", data_volume("50Gi")),
    ] {
        let plan = change(&with(&text), &other).plan();
        let rows: Vec<_> = plan
            .virtual_machines
            .iter()
            .filter(|row| row.action != Action::None)
            .collect();
        assert_eq!(rows.len(), 1);
        assert_eq!(
            (rows[0].kind.as_str(), rows[0].name.as_str(), rows[0].action),
            (kind, "data", Action::DataLoss)
        );
        assert_eq!(rows[0].loses.len(), 1);
    }
    let shrunk = change(&with(&sized("50Gi")), &with(&sized("40Gi"))).plan();
    let row = &shrunk.virtual_machines[0];
    assert_eq!(
        (row.kind.as_str(), row.action),
        ("PersistentVolumeClaim", Action::Rejected)
    );
    let unnamed = change(&format!("{}---\n{}", vm(DATA), sized("50Gi")), &other).plan();
    let kinds: Vec<_> = unnamed
        .virtual_machines
        .iter()
        .map(|row| (row.kind.as_str(), row.action))
        .collect();
    assert!(
        kinds.contains(&("PersistentVolumeClaim", Action::DataLoss)),
        "the machine no longer names it: {kinds:?}"
    );
}

/// A Secret or ConfigMap of some data.
fn object(kind: &str, value: &str, more: &str) -> String {
    format!(
        "apiVersion: v1
kind: {kind}
metadata: {{name: conf, namespace: vms}}
data: {{userdata: {value}}}
{more}"
    )
}

#[test]
fn pl03_a_changed_secret_or_config_map_says_when_the_guest_sees_it() {
    let directory = vm("{name: conf, configMap: {name: conf}}").replace(
        "devices: {}",
        "devices: {filesystems: [{name: conf, virtiofs: {}}]}",
    );
    let persistent = "{name: root, persistentVolumeClaim: {claimName: root}}";
    let cloud_init = "{name: ci, cloudInitNoCloud: {secretRef: {name: conf}}}";
    let credentials = |method: &str| {
        vm("{name: ci, cloudInitNoCloud: {userData: x}}").replace(
            "      volumes:",
            &format!("      accessCredentials: [{{sshPublicKey: {{source: {{secret: {{secretName: conf}}}}, propagationMethod: {{{method}}}}}}}]\n      volumes:"),
        )
    };
    for (kind, machine, action, words) in [
        (
            "ConfigMap",
            vm("{name: conf, configMap: {name: conf}}"),
            Action::NextStart,
            "its disk is made when the guest starts",
        ),
        (
            "Secret",
            vm("{name: conf, secret: {secretName: conf}}"),
            Action::NextStart,
            "its disk is made when the guest starts",
        ),
        ("ConfigMap", directory, Action::Live, "virtiofs"),
        (
            "Secret",
            vm(&format!("{persistent}, {cloud_init}")),
            Action::NextStart,
            "the instance id stays the same",
        ),
        (
            "Secret",
            vm(&format!(
                "{{name: root, containerDisk: {{image: a}}}}, {cloud_init}"
            )),
            Action::NextStart,
            "made anew at every start",
        ),
        (
            "Secret",
            vm("{name: s, sysprep: {secret: {name: conf}}}"),
            Action::NextStart,
            "while it is set up",
        ),
        (
            "Secret",
            credentials("qemuGuestAgent: {users: [root]}"),
            Action::Live,
            "guest agent",
        ),
        (
            "Secret",
            credentials("noCloud: {}"),
            Action::NextStart,
            "cloud-init reads it",
        ),
    ] {
        let of = |before: &str, after: &str| {
            files(
                &[("vm.yaml", &machine), ("conf.yaml", before)],
                &[("vm.yaml", &machine), ("conf.yaml", after)],
            )
        };
        let (before, after) = (object(kind, "one", ""), object(kind, "two", ""));
        let plan = of(&before, &after).vm();
        assert_eq!(
            (plan.change, plan.action),
            (Change::Unchanged, action),
            "{machine}"
        );
        assert!(says(&plan, words), "{words}: {:#?}", plan.reasons);
        assert!(!format!("{plan:?}").contains("two"), "no value is shown");
        let labelled = before.replace("namespace: vms", "namespace: vms, labels: {a: b}");
        assert_eq!(of(&before, &labelled).action(), Action::None);
        let fixed = |value| object(kind, value, "immutable: true\n");
        assert_eq!(of(&fixed("one"), &fixed("two")).action(), Action::Rejected);
    }
}

#[test]
fn pl03_a_secret_that_goes_leaves_a_machine_that_does_not_start_again() {
    let machine = vm("{name: conf, secret: {secretName: conf}}");
    let gone = |machine: &str| {
        let secret = object("Secret", "one", "");
        files(
            &[("vm.yaml", machine), ("conf.yaml", &secret)],
            &[("vm.yaml", machine)],
        )
    };
    let plan = gone(&machine).vm();
    assert_eq!(plan.action, Action::Unknown);
    assert!(says(
        &plan,
        "does not start again unless something else creates the object"
    ));
    let complete = gone(&machine).complete().vm();
    assert!(complete.start_refused);
    let optional = machine.replace("secretName: conf", "secretName: conf, optional: true");
    assert_eq!(gone(&optional).action(), Action::NextStart);
}

#[test]
fn pl03_a_network_attachment_reaches_the_guest_at_its_next_start() {
    let machine = vm("{name: root, containerDisk: {image: a}}").replace(
        "devices: {}",
        "devices: {interfaces: [{name: lan, bridge: {}}]}",
    );
    for (written, namespace) in [("lan", "vms"), ("net/lan", "net")] {
        let machine = machine.replace(
            "      volumes:",
            &format!("      networks: [{{name: lan, multus: {{networkName: {written}}}}}]\n      volumes:"),
        );
        let attachment = |bridge: &str| {
            format!(
                "apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {{name: lan, namespace: {namespace}}}
spec: {{config: '{{\"type\": \"bridge\", \"bridge\": \"{bridge}\"}}'}}
"
            )
        };
        let (before, after) = (attachment("br0"), attachment("br1"));
        let plan = files(
            &[("vm.yaml", &machine), ("net.yaml", &before)],
            &[("vm.yaml", &machine), ("net.yaml", &after)],
        )
        .vm();
        assert_eq!(plan.action, Action::NextStart);
        assert!(says(&plan, "or earlier when it migrates"));
        let gone = files(
            &[("vm.yaml", &machine), ("net.yaml", &before)],
            &[("vm.yaml", &machine)],
        );
        assert_eq!(gone.action(), Action::Unknown);
    }
}

#[test]
fn pl03_an_edit_of_the_machine_and_of_its_claim_are_one_row() {
    let with = |size: &str, cores: &str| {
        format!(
            "{}---\n{}",
            vm(DATA).replace("cores: 1", cores),
            sized(size)
        )
    };
    let plan = change(&with("50Gi", "cores: 1"), &with("40Gi", "cores: 2")).vm();
    assert_eq!(
        (plan.change, plan.action),
        (Change::Modified, Action::Rejected)
    );
    assert!(plan.holds(Action::Restart));
}

#[test]
fn pl03_a_restore_that_arrives_overwrites_disks() {
    let restore = |more: &str| {
        format!(
            "{}---
apiVersion: snapshot.kubevirt.io/v1beta1
kind: VirtualMachineRestore
metadata: {{name: back, namespace: vms}}
spec: {{target: {{apiGroup: kubevirt.io, kind: VirtualMachine, name: web}}, virtualMachineSnapshotName: monday{more}}}
",
            vm(DATA)
        )
    };
    let row = |base: &str, head: &str| {
        let plan = change(base, head).plan();
        let mut rows = plan.virtual_machines.into_iter();
        rows.find(|row| row.kind == "VirtualMachineRestore")
    };
    let added = row(&vm(DATA), &restore("")).unwrap();
    assert_eq!(
        (added.change, added.action, added.down),
        (Change::Added, Action::DataLoss, 0)
    );
    assert_eq!(added.loses[0].name, "data");
    let stopping = row(&vm(DATA), &restore(", targetReadinessPolicy: StopTarget")).unwrap();
    assert!(stopping.holds(Action::Stop));
    assert_eq!(stopping.down, 1);
    let changed = row(
        &restore(""),
        &restore(", targetReadinessPolicy: StopTarget"),
    )
    .unwrap();
    assert_eq!(changed.action, Action::Rejected);
    assert!(
        row(&restore(""), &vm(DATA)).is_none(),
        "what was restored stays"
    );
}

#[test]
fn pl03_a_claim_that_stays_in_the_cluster_is_no_word_about_a_secret_of_its_name() {
    let machine = vm("{name: data, secret: {secretName: data}}");
    let secret = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: data, namespace: vms}\nstringData: {a: b}\n";
    let kept = sized("50Gi").replace(
        "namespace: vms",
        "namespace: vms, annotations: {argocd.argoproj.io/sync-options: Prune=false}",
    );
    let base = format!("{machine}{secret}---\n{kept}");
    let plan = change(&base, &machine).plan();
    let row = plan
        .virtual_machines
        .iter()
        .find(|row| row.name == "web")
        .expect("the machine that names the Secret");
    assert!(says(row, "does not start again"), "{:#?}", row.reasons);
    assert!(!says(row, "unmanaged"), "{:#?}", row.reasons);
}

#[test]
fn pl03_a_claim_of_the_machines_own_template_does_not_go_with_the_file_that_declares_it() {
    let machine = vm(DATA).replace(
        "  template:\n",
        "  dataVolumeTemplates: [{metadata: {name: data}, spec: {source: {blank: {}}, storage: {resources: {requests: {storage: 50Gi}}}}}]\n  template:\n",
    );
    let other = machine.replace("name: data}, spec", "name: other}, spec");
    let claim = sized("50Gi");
    for (machine, action) in [(machine, Action::None), (other, Action::DataLoss)] {
        let plan = change(&format!("{machine}---\n{claim}"), &machine).plan();
        let row = plan.virtual_machines.iter().find(|row| row.name == "web");
        assert_eq!(
            row.map_or(Action::None, |row| row.action),
            action,
            "{machine}: {:#?}",
            row.map(|row| &row.reasons)
        );
    }
}
