//! Live update or restart, by the ids of the behaviours log.

use driftless::plan::{Action, Effect, Rejection};
use driftless::release::Release;
use serde_json::json;

use crate::support::{blames, change, files, files_of, says};

/// A VM whose template spec holds these lines under `domain:` and beside it.
fn vm(domain: &str, beside: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: web, namespace: vms}}\nspec:\n  runStrategy: Always\n  template:\n    metadata: {{labels: {{app: web}}}}\n    spec:\n      domain:\n        devices: {{disks: [{{name: root, disk: {{bus: virtio}}}}]}}\n{}{}      volumes: [{{name: root, containerDisk: {{image: \"quay.io/x/y:1\"}}}}]\n",
        domain
            .lines()
            .map(|line| format!("        {line}\n"))
            .collect::<String>(),
        beside
            .lines()
            .map(|line| format!("      {line}\n"))
            .collect::<String>(),
    )
}

fn cpu(sockets: u32) -> String {
    vm(
        &format!("cpu: {{sockets: {sockets}, cores: 1, threads: 1}}\nmemory: {{guest: 2Gi}}"),
        "",
    )
}

fn memory(guest: &str) -> String {
    vm(
        &format!("cpu: {{sockets: 1, cores: 1, threads: 1}}\nmemory: {{guest: {guest}}}"),
        "",
    )
}

#[test]
fn each_field_reaches_the_guest_or_forces_a_restart() {
    let base = cpu(1);
    let with = |beside: &str| {
        vm(
            "cpu: {sockets: 1, cores: 1, threads: 1}\nmemory: {guest: 2Gi}",
            beside,
        )
    };
    for head in [
        cpu(2),
        with("nodeSelector: {zone: a}"),
        with("tolerations: [{key: a, operator: Exists}]"),
        with(
            "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}",
        ),
    ] {
        let plan = change(&base, &head).vm();
        assert_eq!(plan.action, Action::Live, "{head}\n{:#?}", plan.reasons);
        assert!(plan.fields.iter().any(|field| field.effect == Effect::Live));
        let staged = change(&base, &head)
            .with(json!({"vmRolloutStrategy": "Stage"}))
            .vm();
        assert_eq!(staged.action, Action::Restart, "{head}");
        assert_eq!(
            change(&base, &head).on(Release::V1_5).action(),
            Action::Restart
        );
    }
    for (head, field) in [
        (with("hostname: other"), "spec.template.spec.hostname"),
        (
            with("terminationGracePeriodSeconds: 10"),
            "spec.template.spec.terminationGracePeriodSeconds",
        ),
        (
            base.replace("bus: virtio", "bus: sata"),
            "spec.template.spec.domain.devices.disks[0].disk.bus",
        ),
        (
            base.replace("threads: 1}", "threads: 1, model: host-passthrough}"),
            "spec.template.spec.domain.cpu.model",
        ),
    ] {
        let plan = change(&base, &head).vm();
        assert_eq!(plan.action, Action::Restart, "{field}");
        assert!(blames(&plan, field), "{field}: {:#?}", plan.reasons);
        assert!(says(
            &plan,
            "a non-live-updatable field was changed in the template spec"
        ));
        assert!(
            plan.fields
                .iter()
                .any(|change| change.path.to_string() == field && change.effect == Effect::Restart)
        );
    }
}

#[test]
fn fields_outside_the_template_never_force_a_restart() {
    let base = cpu(1);
    let head = base.replace("runStrategy: Always", "runStrategy: RerunOnFailure");
    assert_eq!(change(&base, &head).action(), Action::None);
    let head = base.replace("namespace: vms}", "namespace: vms, labels: {a: b}}");
    assert_eq!(change(&base, &head).action(), Action::None);
}

#[test]
fn sockets_beyond_the_maximum_and_downwards_need_a_restart() {
    assert_eq!(change(&cpu(1), &cpu(4)).action(), Action::Live);
    let beyond = change(&cpu(1), &cpu(5)).vm();
    assert_eq!(beyond.action, Action::Restart);
    assert!(blames(&beyond, "spec.template.spec.domain.cpu.sockets"));
    assert!(says(&beyond, "higher than what's available"));
    let fewer = change(&cpu(2), &cpu(1)).vm();
    assert_eq!(fewer.action, Action::Restart);
    assert!(says(
        &fewer,
        "Reduction of CPU socket count requires a restart"
    ));
}

#[test]
fn memory_is_plugged_within_alignment_and_maximum() {
    assert_eq!(
        change(&memory("2Gi"), &memory("4Gi")).action(),
        Action::Live
    );
    assert_eq!(
        change(&memory("2Gi"), &memory("8Gi")).action(),
        Action::Live
    );
    for (from, to, words) in [
        ("2Gi", "16Gi", "greater than the configured maxGuest"),
        ("2Gi", "2049Mi", "must be 2Mi aligned"),
        ("4Gi", "2Gi", "lower than what the VM started with"),
        ("512Mi", "1Gi", "not available for this VM configuration"),
    ] {
        let plan = change(&memory(from), &memory(to)).vm();
        assert_eq!(plan.action, Action::Restart, "{from} to {to}");
        assert!(says(&plan, words), "{from} to {to}: {:#?}", plan.reasons);
        assert!(blames(&plan, "spec.template.spec.domain.memory.guest"));
    }
}

#[test]
fn huge_pages_and_what_forbids_memory_hotplug() {
    let huge = |guest: &str| {
        vm(
            &format!(
                "cpu: {{sockets: 1, cores: 1, threads: 1}}\nmemory: {{guest: {guest}, hugepages: {{pageSize: 1Gi}}}}"
            ),
            "",
        )
    };
    assert_eq!(change(&huge("2Gi"), &huge("3Gi")).action(), Action::Live);
    // Admission already refuses what is no whole number of pages.
    assert_eq!(
        change(&huge("2Gi"), &huge("2560Mi")).action(),
        Action::Rejected
    );
}

#[test]
fn other_architectures_restart() {
    let arm = |sockets: u32| {
        cpu(sockets).replace("      domain:", "      architecture: arm64\n      domain:")
    };
    assert_eq!(change(&arm(1), &arm(2)).action(), Action::Restart);
    let s390x = |guest: &str| {
        memory(guest).replace("      domain:", "      architecture: s390x\n      domain:")
    };
    assert_eq!(
        change(&s390x("2Gi"), &s390x("4Gi")).action(),
        Action::Restart
    );
}

const TYPES: &str = "---\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {name: small}\nspec: {cpu: {guest: 1}, memory: {guest: 2Gi}}\n---\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {name: medium}\nspec: {cpu: {guest: 1}, memory: {guest: 4Gi}}\n---\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {name: large}\nspec: {cpu: {guest: 2}, memory: {guest: 4Gi}}\n---\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterPreference\nmetadata: {name: sockets}\nspec: {cpu: {preferredCPUTopology: sockets}}\n---\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterPreference\nmetadata: {name: cores}\nspec: {cpu: {preferredCPUTopology: cores}}\n";

fn typed(instancetype: &str, preference: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: web, namespace: vms}}\nspec:\n  runStrategy: Always\n  instancetype: {{name: {instancetype}}}\n  preference: {{name: {preference}}}\n  template:\n    spec:\n      domain: {{devices: {{disks: [{{name: root, disk: {{bus: virtio}}}}]}}}}\n      volumes: [{{name: root, containerDisk: {{image: \"quay.io/x/y:1\"}}}}]\n"
    )
}

fn switch(from: (&str, &str), to: (&str, &str)) -> Action {
    files(
        &[("vm.yaml", &typed(from.0, from.1)), ("types.yaml", TYPES)],
        &[("vm.yaml", &typed(to.0, to.1)), ("types.yaml", TYPES)],
    )
    .action()
}

#[test]
fn another_instance_type_is_judged_by_what_it_expands_to() {
    assert_eq!(
        switch(("small", "sockets"), ("medium", "sockets")),
        Action::Live
    );
    assert_eq!(
        switch(("small", "sockets"), ("large", "sockets")),
        Action::Live
    );
    assert_eq!(
        switch(("small", "cores"), ("large", "cores")),
        Action::Restart
    );
    assert_eq!(
        switch(("large", "sockets"), ("small", "sockets")),
        Action::Restart
    );
}

fn nics(extra: &str, nets: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: web, namespace: vms}}\nspec:\n  runStrategy: Always\n  template:\n    spec:\n      domain:\n        devices:\n          disks: [{{name: root, disk: {{bus: virtio}}}}]\n          interfaces:\n          - {{name: default, masquerade: {{}}}}\n{extra}        memory: {{guest: 2Gi}}\n      networks:\n      - {{name: default, pod: {{}}}}\n{nets}      volumes: [{{name: root, containerDisk: {{image: \"quay.io/x/y:1\"}}}}]\n"
    )
}

#[test]
fn network_interfaces() {
    let net = |name: &str| format!("      - {{name: b, multus: {{networkName: {name}}}}}\n");
    let b = |more: &str| format!("          - {{name: b, bridge: {{}}{more}}}\n");
    let none = nics("", "");
    let one = nics(&b(""), &net("nad"));
    assert_eq!(change(&none, &one).action(), Action::Live);
    assert_eq!(change(&one, &none).action(), Action::Restart);
    assert_eq!(
        change(&one, &nics(&b(", state: absent"), &net("nad"))).action(),
        Action::Live
    );
    assert_eq!(
        change(&one, &nics(&b(", state: down"), &net("nad"))).action(),
        Action::Live
    );
    let model = change(&one, &nics(&b(", model: e1000"), &net("nad"))).vm();
    assert_eq!(model.action, Action::Restart);
    assert!(
        blames(
            &model,
            "spec.template.spec.domain.devices.interfaces[1].model"
        ),
        "{:#?}",
        model.reasons
    );
    let renamed = nics(&b(""), &net("other"));
    assert_eq!(change(&one, &renamed).action(), Action::Live);
    assert_eq!(
        change(&one, &renamed).on(Release::V1_8).action(),
        Action::Restart
    );
    // A restart that changes the guest already says so.
    let both = change(
        &one,
        &nics(&b(", model: e1000"), &net("nad"))
            .replace("masquerade: {}", "masquerade: {}, state: down"),
    )
    .vm();
    assert_eq!(both.action, Action::Restart);
    assert!(says(
        &both,
        "reach the running guest even before the restart"
    ));
}

#[test]
fn template_labels_wait_for_the_next_start() {
    let base = cpu(1);
    let plan = change(
        &base,
        &base.replace("labels: {app: web}", "labels: {app: other}"),
    )
    .vm();
    assert_eq!(plan.action, Action::NextStart);
    assert!(says(&plan, "no condition is shown"));
    assert!(blames(&plan, "spec.template.metadata.labels.app"));
    let evict = base.replace(
        "labels: {app: web}",
        "labels: {app: web}, annotations: {descheduler.alpha.kubernetes.io/evict: \"true\"}",
    );
    assert_eq!(change(&base, &evict).action(), Action::Live);
    assert_eq!(
        change(&base, &evict).on(Release::V1_5).action(),
        Action::NextStart
    );
}

#[test]
fn one_preference_reaches_many_machines() {
    let names = ["a", "b", "c"];
    let vms: String = names
        .iter()
        .map(|name| {
            format!(
                "---\n{}",
                typed("large", "shared").replace("name: web", &format!("name: {name}"))
            )
        })
        .collect();
    let side = |topology: &str| {
        format!(
            "{TYPES}---\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterPreference\nmetadata: {{name: shared}}\nspec: {{cpu: {{preferredCPUTopology: {topology}}}}}\n"
        )
    };
    let plan = files(
        &[("vms.yaml", &vms), ("types.yaml", &side("sockets"))],
        &[("vms.yaml", &vms), ("types.yaml", &side("cores"))],
    )
    .plan();
    assert_eq!(plan.counts(), [(Action::Restart, 3)]);
    let summary = plan.summary();
    assert_eq!(
        (summary.restarts, summary.condition_only, summary.down),
        (0, 3, 0)
    );
    assert_eq!(
        summary.sentence,
        "3 show RestartRequired and change nothing"
    );
    assert_eq!(plan.groups.len(), 1);
    assert_eq!(
        plan.groups[0].cause,
        "types.yaml: preference `shared` changed"
    );
    assert_eq!(plan.groups[0].vms, [0, 1, 2]);
    assert!(
        plan.virtual_machines
            .iter()
            .all(|vm| files_of(vm) == ["types.yaml"])
    );
}

#[test]
fn pl17_memory_over_its_maximum_is_refused_whether_the_configuration_is_assumed_or_given() {
    let with = |guest: &str| {
        vm(
            &format!(
                "cpu: {{sockets: 1, cores: 1, threads: 1}}\nmemory: {{guest: {guest}, maxGuest: 8Gi}}"
            ),
            "",
        )
    };
    let edit = || change(&with("4Gi"), &with("16Gi"));
    let given = edit().with(json!({})).vm();
    let assumed = edit().vm();
    for plan in [&given, &assumed] {
        assert_eq!(
            (plan.action, plan.rejected),
            (Action::Rejected, Some(Rejection::Admission))
        );
        assert!(says(plan, "greater than the configured maxGuest"));
    }
    assert!(says(&assumed, "--cluster-config"));
    let stage = json!({"vmRolloutStrategy": "Stage"});
    assert_eq!(edit().with(stage).action(), Action::Restart);
    // A base that is stored as it is tells of another strategy.
    let stored = change(&with("16Gi"), &with("17Gi")).vm();
    assert_ne!(stored.action, Action::Rejected, "{:#?}", stored.reasons);
}

#[test]
fn one_refused_change_of_the_guest_leaves_the_others_live() {
    let base = cpu(1);
    let head = cpu(2)
        .replace("bus: virtio}}]", "bus: virtio}}, {name: more, disk: {bus: sata}}]")
        .replace(
            "volumes: [",
            "volumes: [{name: more, persistentVolumeClaim: {claimName: more, hotpluggable: true}}, ",
        );
    let plan = change(&base, &head).vm();
    let told: Vec<(&str, String)> = plan
        .reasons
        .iter()
        .map(|reason| {
            let field = reason.field.as_ref().map(ToString::to_string);
            (reason.message.as_str(), field.unwrap_or_default())
        })
        .collect();
    assert_eq!(plan.action, Action::Rejected, "{told:#?}");
    assert!(
        says(&plan, "apply volumes to the running guest"),
        "{told:#?}"
    );
    assert!(!says(&plan, "volumes reach"), "{told:#?}");
    let live: Vec<&(&str, String)> = told
        .iter()
        .filter(|(message, _)| message.contains("reach the running guest"))
        .collect();
    let sockets = "spec.template.spec.domain.cpu.sockets".to_owned();
    assert_eq!(live, [&("CPU sockets reach the running guest", sockets)]);
}

#[test]
fn what_forces_a_restart_is_told_once() {
    let base = vm(
        "cpu: {sockets: 1, cores: 1, threads: 1}\nmemory: {guest: 2Gi}",
        "nodeSelector: {zone: a}",
    );
    let head = vm(
        "cpu: {sockets: 5, cores: 1, threads: 1}\nmemory: {guest: 2Gi}",
        "nodeSelector: {zone: b}\nhostname: other",
    );
    let plan = change(&base, &head).vm();
    assert_eq!(plan.action, Action::Restart);
    for field in [
        "spec.template.spec.domain.cpu.sockets",
        "spec.template.spec.hostname",
    ] {
        let told = plan
            .reasons
            .iter()
            .filter(|reason| {
                reason
                    .field
                    .as_ref()
                    .is_some_and(|path| path.to_string() == field)
            })
            .count();
        assert_eq!(told, 1, "{field}: {:#?}", plan.reasons);
    }
}
