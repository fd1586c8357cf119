//! One test a behaviour of the log that `check` can see, named after its id. It is long because there are many.

use driftless::config::{Config, Profile, Target};
use driftless::finding::{Applicability, Finding};
use driftless::release::Release;
use driftless::rule::Severity;

use crate::checked::Checked;

/// A VM with these keys under `spec` and under `spec.template.spec.domain`, and volumes.
fn vm(name: &str, spec: &str, domain: &str, volumes: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: {name}}}\nspec:\n{spec}  template:\n    spec:\n      domain:\n{domain}        devices: {{}}\n{volumes}"
    )
}

const RUNS: &str = "  runStrategy: Always\n";
const MEMORY: &str = "        memory: {guest: 1Gi}\n";

fn plain() -> String {
    vm("web", RUNS, MEMORY, "")
}

fn for_release(text: &str, release: Release) -> Checked {
    let target = Target {
        release,
        ..Target::default()
    };
    Checked::new(&[("vm.yaml", text)], &target, &Config::default())
}

fn complete(text: &str) -> Checked {
    let target = Target {
        complete: true,
        ..Target::default()
    };
    Checked::new(&[("vm.yaml", text)], &target, &Config::default())
}

fn strict(text: &str) -> Checked {
    let config = Config {
        profiles: vec![Profile::Strict],
        ..Config::default()
    };
    Checked::new(&[("vm.yaml", text)], &Target::default(), &config)
}

fn field(finding: &Finding) -> String {
    finding
        .field
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default()
}

#[track_caller]
fn help(finding: &Finding, part: &str) {
    let help = finding.help.as_deref().unwrap_or_default();
    assert!(help.contains(part), "{help}");
}

const TYPE: &str = "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineInstancetype\nmetadata: {name: small}\nspec: {cpu: {guest: 1}, memory: {guest: 1Gi}}\n";

fn pinned() -> String {
    vm(
        "web",
        "  runStrategy: Always\n  instancetype: {name: small, kind: VirtualMachineInstancetype, revisionName: web-small-1}\n",
        "",
        "",
    )
}

fn revision(version: &str, vcpus: u32, of: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: ControllerRevision\nmetadata:\n  name: web-small-1\n  labels: {{instancetype.kubevirt.io/object-name: {of}, instancetype.kubevirt.io/object-version: v1beta1}}\ndata:\n  apiVersion: instancetype.kubevirt.io/{version}\n  kind: VirtualMachineInstancetype\n  metadata: {{name: {of}}}\n  spec: {{cpu: {{guest: {vcpus}}}, memory: {{guest: 1Gi}}}}\nrevision: 0\n"
    )
}

#[test]
fn a_revision_name_goes_where_the_revision_is_equal_or_absent_and_stays_where_it_differs() {
    let absent = Checked::one(&format!("{}---\n{TYPE}", pinned()));
    let finding = absent.only("revision-name-in-spec");
    assert_eq!(field(finding), "spec.instancetype.revisionName");
    assert_eq!(
        finding.fix.as_ref().unwrap().applicability,
        Applicability::Safe
    );
    let equal = Checked::one(&format!(
        "{}---\n{TYPE}---\n{}",
        pinned(),
        revision("v1beta1", 1, "small")
    ));
    equal.only("revision-name-in-spec");
    let differs = Checked::one(&format!(
        "{}---\n{TYPE}---\n{}",
        pinned(),
        revision("v1beta1", 2, "small")
    ));
    assert!(differs.of("revision-name-in-spec").is_empty());
    assert!(
        differs
            .only("pinned-revision-differs")
            .message
            .contains("cpu.guest")
    );
    let before = for_release(&format!("{}---\n{TYPE}", pinned()), Release::V1_4);
    let fix = before.only("revision-name-in-spec").fix.as_ref().unwrap();
    assert_eq!(fix.applicability, Applicability::Unsafe);
}

#[test]
fn identities_are_shared_whatever_their_spelling() {
    let guest = |name: &str, uuid: &str| {
        vm(
            name,
            RUNS,
            &format!("{MEMORY}        firmware: {{uuid: {uuid}}}\n"),
            "",
        )
    };
    let upper = "5D307CA9-B3EF-428C-8861-06E72D69F223";
    let both = format!(
        "{}---\n{}",
        guest("a", &upper.to_lowercase()),
        guest("b", upper)
    );
    let checked = Checked::one(&both);
    let finding = checked.only("duplicate-firmware-uuid");
    assert_eq!(finding.related.len(), 1);
    assert!(finding.fix.is_none());
}

#[test]
fn null_timestamps_are_a_note_wherever_they_are() {
    let text = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web, creationTimestamp: null}\nspec:\n  runStrategy: Always\n  dataVolumeTemplates: [{metadata: {creationTimestamp: null, name: root}, spec: {source: {blank: {}}, storage: {resources: {requests: {storage: 1Gi}}}}}]\n  template:\n    metadata: {creationTimestamp: null}\n    spec:\n      domain: {devices: {disks: [{name: root, disk: {}}]}, memory: {guest: 1Gi}}\n      volumes: [{name: root, dataVolume: {name: root}}]\nstatus: {}\n";
    let checked = Checked::one(text);
    let finding = checked.only("runtime-data");
    assert_eq!(finding.severity, Severity::Note);
    assert_eq!(finding.fix.as_ref().unwrap().steps.len(), 4);
    assert_eq!(checked.outcome.summary.errors, 0, "{:?}", checked.said());
}

#[test]
fn quantities_are_respelled_at_typed_paths_only() {
    let text = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web, annotations: {size: 1024Mi}}\nspec:\n  runStrategy: Always\n  template:\n    spec:\n      domain:\n        devices: {autoattachPodInterface: false}\n        memory: {hugepages: {pageSize: 2Mi}}\n        resources: {requests: {memory: 3072Mi, cpu: 0.5}, limits: {cpu: 1000m, memory: 3072Mi}}\n";
    let checked = strict(text);
    let mut fields: Vec<String> = checked
        .of("noncanonical-quantity")
        .into_iter()
        .map(field)
        .collect();
    fields.sort();
    let base = "spec.template.spec.domain.resources";
    assert_eq!(
        fields,
        [
            format!("{base}.limits.cpu"),
            format!("{base}.limits.memory"),
            format!("{base}.requests.cpu"),
            format!("{base}.requests.memory"),
        ]
    );
    assert!(Checked::one(text).of("noncanonical-quantity").is_empty());
}

#[test]
fn decimal_and_binary_suffixes_are_two_values() {
    let text = vm("web", RUNS, "        memory: {guest: 1024M}\n", "");
    assert!(
        strict(&text)
            .of("noncanonical-quantity")
            .iter()
            .all(|finding| !finding.message.contains("Gi"))
    );
}

#[test]
fn the_default_network_is_implicit_unless_declared_or_off() {
    strict(&plain()).only("implicit-default-network");
    let off = plain().replace("devices: {}", "devices: {autoattachPodInterface: false}");
    assert!(strict(&off).of("implicit-default-network").is_empty());
    assert!(Checked::one(&plain()).outcome.findings.is_empty());
}

#[test]
fn keys_of_controllers_are_runtime_data_and_keys_of_people_are_not() {
    let text = plain().replace(
        "metadata: {name: web}",
        "metadata:\n  name: web\n  annotations: {kubevirt.io/latest-observed-api-version: v1, vm.kubevirt.io/os: fedora, description: x}\n  finalizers: [kubevirt.io/virtualMachineControllerFinalize]",
    );
    let checked = Checked::one(&text);
    let finding = checked.only("runtime-data");
    assert_eq!(finding.fix.as_ref().unwrap().steps.len(), 2);
    let kept = plain().replace(
        "{name: web}",
        "{name: web, annotations: {vm.kubevirt.io/os: fedora, description: x}}",
    );
    assert!(Checked::one(&kept).of("runtime-data").is_empty());
}

#[test]
fn server_owned_metadata_is_reported_once() {
    let text = plain().replace(
        "{name: web}",
        "{name: web, generation: 7, resourceVersion: \"12\"}",
    );
    let checked = Checked::one(&text);
    assert_eq!(checked.only("runtime-data").severity, Severity::Warning);
}

#[test]
fn a_pinned_machine_type_is_told_from_a_floating_one() {
    let machine = |of: &str| {
        vm(
            "web",
            RUNS,
            &format!("{MEMORY}        machine: {{type: {of}}}\n"),
            "",
        )
    };
    help(
        strict(&machine("pc-q35-9.2")).only("pinned-machine-type"),
        "`q35`",
    );
    assert!(strict(&machine("q35")).of("pinned-machine-type").is_empty());
}

#[test]
fn inference_is_rewritten_on_admission() {
    let text = vm(
        "web",
        "  runStrategy: Always\n  preference: {inferFromVolume: root}\n",
        MEMORY,
        "      volumes: [{name: root, persistentVolumeClaim: {claimName: root}}]\n",
    );
    assert!(!Checked::one(&text).of("inferred-matcher").is_empty());
}

#[test]
fn mistyped_fields_of_data_volume_templates_are_found() {
    let text = vm(
        "web",
        "  runStrategy: Always\n  dataVolumeTemplates: [{metadata: {name: d}, spec: {accessModes: ReadWriteMany, storage: {}}}]\n",
        MEMORY,
        "",
    );
    let checked = Checked::one(&text);
    help(checked.only("unknown-field"), "one level down");
}

#[test]
fn running_and_run_strategy_exclude_each_other() {
    let both = vm(
        "web",
        "  running: true\n  runStrategy: Halted\n",
        MEMORY,
        "",
    );
    assert_eq!(
        Checked::one(&both).only("run-strategy-conflict").severity,
        Severity::Error
    );
    let none = vm("web", "", MEMORY, "");
    assert_eq!(
        Checked::one(&none).only("missing-run-strategy").severity,
        Severity::Error
    );
}

#[test]
fn running_is_deprecated_and_its_fix_safe() {
    let text = vm("web", "  running: true\n", MEMORY, "");
    let checked = Checked::one(&text);
    let finding = checked.only("deprecated-running");
    assert_eq!(finding.severity, Severity::Note);
    assert_eq!(
        finding.fix.as_ref().unwrap().applicability,
        Applicability::Safe
    );
}

#[test]
fn run_strategies_are_case_sensitive() {
    let text = vm("web", "  runStrategy: always\n", MEMORY, "");
    assert_eq!(
        Checked::one(&text).only("invalid-run-strategy").severity,
        Severity::Error
    );
}

#[test]
fn a_cloud_init_module_beside_the_user_data_is_explained() {
    let text = vm(
        "web",
        RUNS,
        MEMORY,
        "      volumes: [{name: ci, cloudInitNoCloud: {write_files: []}}]\n",
    );
    help(Checked::one(&text).only("unknown-field"), "`userData`");
    let near = vm("web", RUNS, "        memroy: {guest: 1Gi}\n", "");
    help(
        Checked::one(&near).only("unknown-field"),
        "did you mean `memory`?",
    );
}

#[test]
fn user_data_needs_a_first_line_that_cloud_init_knows() {
    for (key, value, found) in [
        ("userData", "\"users: []\\n\"", true),
        ("userDataBase64", "dXNlcnM6IFtdCg==", true),
        ("userData", "\"#cloud-config\\nusers: []\"", false),
        ("userData", "\"## template: jinja\\n#cloud-config\"", false),
        ("userData", "\"#!/bin/sh\"", false),
    ] {
        let volumes =
            format!("      volumes: [{{name: ci, cloudInitNoCloud: {{{key}: {value}}}}}]\n");
        let checked = Checked::one(&vm("web", RUNS, MEMORY, &volumes));
        assert_eq!(
            !checked.of("cloud-init-header").is_empty(),
            found,
            "{value}"
        );
    }
}

#[test]
fn old_api_versions_are_deprecated_or_gone() {
    let old = plain().replace("kubevirt.io/v1", "kubevirt.io/v1alpha3");
    assert!(
        Checked::one(&old)
            .only("deprecated-api-version")
            .fix
            .is_some()
    );
    let gone = plain().replace("kubevirt.io/v1", "kubevirt.io/v1alpha2");
    assert_eq!(
        Checked::one(&gone).only("removed-api-version").severity,
        Severity::Error
    );
}

#[test]
fn the_live_update_opt_in_is_gone() {
    let text = vm(
        "web",
        "  runStrategy: Always\n  liveUpdateFeatures: {cpu: {}}\n",
        MEMORY,
        "",
    );
    let checked = Checked::one(&text);
    assert!(checked.only("removed-field").fix.is_some());
}

#[test]
fn secure_boot_needs_smm() {
    let text = vm(
        "web",
        RUNS,
        &format!(
            "{MEMORY}        firmware: {{bootloader: {{efi: {{}}}}}}\n        features: {{acpi: {{}}}}\n"
        ),
        "",
    );
    assert_eq!(
        Checked::one(&text).only("secure-boot-without-smm").severity,
        Severity::Error
    );
}

#[test]
fn two_objects_in_one_document_are_one_mistake() {
    let checked = Checked::one(&format!("{}{}", plain(), vm("other", RUNS, MEMORY, "")));
    let finding = checked.only("duplicate-key");
    assert_eq!(finding.related.len(), 1);
    help(finding, "---");
}

#[test]
fn a_broken_file_does_not_stop_the_others() {
    let broken =
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\ntemplate:\n ...\n   spec\n x: [\n";
    let files = [
        ("bad.yaml", broken.to_owned()),
        ("good.yaml", vm("web", "  running: true\n", MEMORY, "")),
    ];
    let checked = Checked::new(&files, &Target::default(), &Config::default());
    assert!(
        !checked.of("invalid-yaml").is_empty(),
        "{:?}",
        checked.said()
    );
    checked.only("deprecated-running");
}

#[test]
fn data_volume_templates_are_held_to_the_webhooks_rules() {
    let template = |metadata: &str, spec: &str| {
        vm(
            "web",
            &format!("  runStrategy: Always\n  dataVolumeTemplates: [{{metadata: {metadata}, spec: {spec}}}]\n"),
            MEMORY,
            "      volumes: [{name: d, dataVolume: {name: d}}]\n",
        )
        .replace("devices: {}", "devices: {disks: [{name: d, disk: {}}]}")
    };
    for (metadata, spec) in [
        ("{}", "{source: {blank: {}}, storage: {}}"),
        ("{name: d}", "{source: {blank: {}}, storage: {}, pvc: {}}"),
        ("{name: d}", "{source: {blank: {}}}"),
        ("{name: d}", "{storage: {}}"),
        ("{name: other}", "{source: {blank: {}}, storage: {}}"),
    ] {
        let checked = Checked::one(&template(metadata, spec));
        assert!(
            checked.outcome.summary.errors >= 1,
            "{metadata} {spec}: {:?}",
            checked.said()
        );
    }
}

#[test]
fn conflicts_are_found_one_a_field() {
    let text = vm(
        "web",
        "  runStrategy: Always\n  instancetype: {name: u1.small}\n",
        "        cpu: {cores: 2, sockets: 2}\n        resources: {requests: {memory: 1Gi}}\n",
        "",
    );
    let checked = Checked::one(&text);
    let mut fields: Vec<String> = checked
        .of("instancetype-conflict")
        .into_iter()
        .map(field)
        .collect();
    fields.sort();
    assert_eq!(
        fields,
        [
            "spec.template.spec.domain.cpu.cores",
            "spec.template.spec.domain.cpu.sockets",
            "spec.template.spec.domain.resources.requests.memory"
        ]
    );
}

#[test]
fn hugepages_beside_a_type_without_are_no_conflict() {
    let text = vm(
        "web",
        "  runStrategy: Always\n  instancetype: {name: u1.small}\n",
        "        memory: {hugepages: {pageSize: 2Mi}}\n",
        "",
    );
    assert!(Checked::one(&text).of("instancetype-conflict").is_empty());
    assert!(
        !for_release(&text, Release::V1_6)
            .of("instancetype-conflict")
            .is_empty()
    );
}

#[test]
fn a_kind_left_out_is_cluster_scoped_and_any_case_and_plural_will_do() {
    let matcher = |of: &str| {
        vm(
            "web",
            &format!("  runStrategy: Always\n  instancetype: {of}\n"),
            "",
            "",
        )
    };
    assert!(
        Checked::one(&matcher("{name: u1.small}"))
            .outcome
            .findings
            .is_empty()
    );
    assert!(
        Checked::one(&matcher(
            "{name: u1.small, kind: virtualMachineClusterInstancetypes}"
        ))
        .outcome
        .findings
        .is_empty()
    );
    let unknown = Checked::one(&matcher(
        "{name: u1.small, kind: VirtualMachineClusterInstanceType5}",
    ));
    assert_eq!(
        unknown.only("unresolved-instancetype").severity,
        Severity::Error
    );
    let namespaced = Checked::one(&format!("{}---\n{TYPE}", matcher("{name: small}")));
    help(
        namespaced.only("unresolved-instancetype"),
        "set `kind: VirtualMachineInstancetype`",
    );
}

#[test]
fn a_reference_that_is_not_in_the_tree_is_an_error_only_where_the_tree_is_complete() {
    let text = vm(
        "web",
        "  runStrategy: Always\n  instancetype: {name: mine}\n",
        "",
        "",
    );
    assert_eq!(
        Checked::one(&text).only("unresolved-instancetype").severity,
        Severity::Note
    );
    assert_eq!(
        complete(&text).only("unresolved-instancetype").severity,
        Severity::Error
    );
}

#[test]
fn a_registry_import_cannot_be_inferred_from() {
    let text = vm(
        "web",
        "  runStrategy: Always\n  preference: {inferFromVolume: root}\n  dataVolumeTemplates: [{metadata: {name: r}, spec: {source: {registry: {url: \"docker://example.test/img:1\"}}, storage: {resources: {requests: {storage: 1Gi}}}}}]\n",
        MEMORY,
        "      volumes: [{name: root, dataVolume: {name: r}}]\n",
    );
    assert_eq!(
        Checked::one(&text).only("inference-failed").severity,
        Severity::Error
    );
}

#[test]
fn a_claim_stands_for_the_data_volume_that_was_collected() {
    let text = vm(
        "web",
        "  runStrategy: Always\n  preference: {inferFromVolume: root}\n",
        MEMORY,
        "      volumes: [{name: root, dataVolume: {name: r}}]\n",
    );
    let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: r\n  labels: {instancetype.kubevirt.io/default-preference: alpine}\nspec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}\n";
    let satisfied = complete(&format!("{text}---\n{claim}"));
    assert_eq!(satisfied.only("inferred-matcher").severity, Severity::Note);
    assert_eq!(
        complete(&text).only("inference-failed").severity,
        Severity::Error
    );
}

fn preference(spec: &str) -> String {
    format!(
        "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachinePreference\nmetadata: {{name: app}}\nspec: {spec}\n"
    )
}

fn preferring(domain: &str, spec: &str) -> String {
    let matcher =
        "  runStrategy: Always\n  preference: {name: app, kind: VirtualMachinePreference}\n";
    format!(
        "{}---\n{}",
        vm("web", matcher, domain, ""),
        preference(spec)
    )
}

#[test]
fn deprecated_preference_fields_have_successors() {
    let text = preference(
        "{firmware: {preferredUseEfi: true, preferredUseSecureBoot: false}, cpu: {preferredCPUTopology: preferCores}}",
    );
    let checked = Checked::one(&text);
    let found = checked.of("deprecated-preference-field");
    assert_eq!(found.len(), 3);
    assert!(found.iter().any(|finding| finding.fix.is_some()));
}

#[test]
fn vcpus_must_divide_by_the_spread() {
    for (vcpus, found) in [(3, true), (1, true), (4, false)] {
        let matcher = "  runStrategy: Always\n  instancetype: {name: small, kind: VirtualMachineInstancetype}\n  preference: {name: app, kind: VirtualMachinePreference}\n";
        let text = format!(
            "{}---\n{}---\n{}",
            vm("web", matcher, "", ""),
            TYPE.replace("cpu: {guest: 1}", &format!("cpu: {{guest: {vcpus}}}")),
            preference("{cpu: {preferredCPUTopology: spread}}")
        );
        assert_eq!(
            !Checked::one(&text).of("spread-not-divisible").is_empty(),
            found,
            "{vcpus}"
        );
    }
}

#[test]
fn a_type_that_is_no_longer_shipped_has_a_nearest_one() {
    let text = vm(
        "web",
        "  runStrategy: Always\n  instancetype: {name: highperformance.large}\n",
        "",
        "",
    );
    help(
        Checked::one(&text).only("removed-common-instancetype"),
        "nearest",
    );
}

#[test]
fn requirements_are_checked_with_and_without_an_instance_type() {
    let requires = "{requirements: {cpu: {guest: 4}}, cpu: {preferredCPUTopology: cores}}";
    let unmet = preferring(&format!("{MEMORY}        cpu: {{cores: 2}}\n"), requires);
    assert_eq!(
        Checked::one(&unmet)
            .only("preference-requirement-unmet")
            .severity,
        Severity::Error
    );
    let met = preferring(&format!("{MEMORY}        cpu: {{cores: 4}}\n"), requires);
    assert!(
        Checked::one(&met)
            .of("preference-requirement-unmet")
            .is_empty()
    );
}

#[test]
fn two_preference_fields_override_the_vm() {
    let text = preferring(MEMORY, "{devices: {preferredDisableHotplug: true}}").replacen(
        "devices: {}",
        "devices: {disableHotplug: false}",
        1,
    );
    Checked::one(&text).only("preference-overrides-vm");
}

#[test]
fn the_long_form_of_the_failure_policy_is_refused() {
    let text = vm(
        "web",
        "  runStrategy: Always\n  preference: {inferFromVolume: root, inferFromVolumeFailurePolicy: IgnoreInferFromVolumeFailure}\n",
        MEMORY,
        "      volumes: [{name: root, persistentVolumeClaim: {claimName: root}}]\n",
    );
    assert_eq!(
        Checked::one(&text).only("invalid-matcher").severity,
        Severity::Error
    );
}

#[test]
fn a_revision_that_the_release_cannot_read_is_an_error_where_a_vm_uses_it() {
    let text = format!(
        "{}---\n{TYPE}---\n{}",
        pinned(),
        revision("v1alpha2", 1, "small")
    );
    assert_eq!(
        Checked::one(&text).only("outdated-revision").severity,
        Severity::Error
    );
    assert_eq!(
        for_release(&text, Release::V1_6)
            .only("outdated-revision")
            .severity,
        Severity::Warning
    );
    let bare = "apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {name: r}\ndata: {apiVersion: \"\", spec: eyJjcHUiOnsiZ3Vlc3QiOjJ9LCJtZW1vcnkiOnsiZ3Vlc3QiOiIxR2kifX0=}\n";
    let mine = format!("{bare}---\n{}", plain());
    Checked::one(&mine).only("outdated-revision");
}

#[test]
fn a_label_that_lies_is_found() {
    let text = format!("{}---\n{}", revision("v1alpha2", 1, "small"), plain());
    Checked::one(&text).only("mislabelled-revision");
}

#[test]
fn a_name_changed_without_its_revision_is_ignored_by_kubevirt() {
    let text = format!(
        "{}---\n{TYPE}---\n{}",
        pinned(),
        revision("v1beta1", 1, "large")
    );
    let checked = Checked::one(&text);
    assert!(
        checked
            .only("revision-name-mismatch")
            .message
            .contains("`large`")
    );
}

#[test]
fn a_revision_that_is_nowhere_is_an_error_where_the_tree_is_complete() {
    let text = format!("{}---\n{TYPE}", pinned());
    assert_eq!(
        complete(&text).only("dangling-revision").severity,
        Severity::Error
    );
}

#[test]
fn the_revision_of_a_start_is_none_of_ours() {
    let text = format!(
        "apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {{name: revision-start-vm-x-1}}\ndata: {{spec: {{template: {{}}}}}}\n---\n{}",
        plain()
    );
    let checked = Checked::one(&text);
    assert!(checked.outcome.findings.is_empty(), "{:?}", checked.said());
}

#[test]
fn words_of_yaml_1_1_are_read_as_kubectl_reads_them() {
    let text = plain()
        .replace(
            "{name: web}",
            "{name: web, labels: {country: no, version: 1.10, build: 1e3}}",
        )
        .replace("runStrategy: Always", "running: yes");
    let checked = Checked::one(&text);
    assert_eq!(checked.of("wrong-type").len(), 3, "{:?}", checked.said());
    help(checked.of("wrong-type")[0], "quotes");
    checked.only("deprecated-running");
}

#[test]
fn lists_json_and_many_documents_are_read() {
    let json = "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [{\"apiVersion\": \"kubevirt.io/v1\", \"kind\": \"VirtualMachine\", \"metadata\": {\"name\": \"j\"}, \"spec\": {\"running\": true, \"template\": {\"spec\": {\"domain\": {\"devices\": {}, \"memory\": {\"guest\": \"1Gi\"}}}}}}]}";
    let text = format!(
        "# only a comment\n---\n---\n{}---\n{json}\n",
        vm("web", "  running: true\n", MEMORY, "")
    );
    let checked = Checked::one(&text);
    let found = checked.of("deprecated-running");
    assert_eq!(found.len(), 2, "{:?}", checked.said());
    assert_ne!(found[0].primary.document, found[1].primary.document);
}

#[test]
fn templates_are_left_out_and_counted_and_jinja_in_user_data_is_text() {
    for name in ["{{ .Values.x }}", "${NAME}", "\"{% x %}\""] {
        let checked = Checked::one(&plain().replace("{name: web}", &format!("\n  name: {name}")));
        checked.only("templated-file");
        assert_eq!(checked.outcome.summary.skipped.len(), 1);
    }
    let volumes = "      volumes:\n        - name: ci\n          cloudInitNoCloud:\n            userData: |\n              ## template: jinja\n              #cloud-config\n              hostname: {{ v1.local_hostname }}\n";
    assert!(
        Checked::one(&vm("web", RUNS, MEMORY, volumes))
            .of("templated-file")
            .is_empty()
    );
}

#[test]
fn secrets_in_user_data_are_found_once_a_vm_and_encrypted_files_are_not() {
    let volumes = "      volumes:\n        - name: ci\n          cloudInitNoCloud:\n            userData: |\n              #cloud-config\n              users: \n                - passwd: $6$a$bcdef\n                  activation-key: abcdefghijKLM1\n";
    let checked = Checked::one(&vm("web", RUNS, MEMORY, volumes));
    assert_eq!(
        checked.only("inline-cloud-init-secret").severity,
        Severity::Warning
    );
    let sealed = format!("{}sops: {{mac: x}}\n", vm("web", RUNS, MEMORY, volumes));
    assert!(
        Checked::one(&sealed)
            .of("inline-cloud-init-secret")
            .is_empty()
    );
}

#[test]
fn a_pool_is_served_in_the_versions_its_release_has() {
    let pool = |version: &str, release: Release| {
        let text = format!(
            "apiVersion: pool.kubevirt.io/{version}\nkind: VirtualMachinePool\nmetadata: {{name: web}}\nspec:\n  selector: {{matchLabels: {{a: b}}}}\n  virtualMachineTemplate:\n    metadata: {{labels: {{a: b}}}}\n    spec:\n      runStrategy: Always\n      template: {{spec: {{domain: {{devices: {{}}, memory: {{guest: 1Gi}}}}}}}}\n"
        );
        let target = Target {
            release,
            ..Target::default()
        };
        let checked = Checked::new(&[("pool.yaml", text.as_str())], &target, &Config::default());
        checked.said()
    };
    assert_eq!(pool("v1beta1", Release::V1_6).len(), 1);
    for (version, release) in [
        ("v1alpha1", Release::V1_5),
        ("v1alpha1", Release::V1_9),
        ("v1beta1", Release::V1_7),
    ] {
        let said = pool(version, release);
        assert!(said.is_empty(), "{version} on {release}: {said:?}");
    }
}

#[test]
fn a_field_of_a_block_below_is_said_to_belong_there() {
    let data_volume = "apiVersion: cdi.kubevirt.io/v1beta1\nkind: DataVolume\nmetadata: {name: d}\nspec:\n  source: {blank: {}}\n  resources: {requests: {storage: 1Gi}}\n";
    help(
        Checked::one(data_volume).only("unknown-field"),
        "`resources` is a field of `pvc` or `storage`, one level down",
    );
    let disk = vm(
        "web",
        RUNS,
        MEMORY,
        "      volumes: [{name: r, containerDisk: {image: a}}]\n",
    )
    .replace(
        "devices: {}",
        "devices: {disks: [{name: r, disk: , bus: virtio}]}",
    );
    help(
        Checked::one(&disk).only("unknown-field"),
        "`bus` is a field of `disk`, one level down",
    );
}

#[test]
fn a_copy_of_a_machine_in_another_file_does_not_share_its_identity() {
    let machine = |cores: u8| {
        vm(
            "web",
            RUNS,
            &format!(
                "{MEMORY}        cpu: {{cores: {cores}}}\n        firmware: {{uuid: 5d307ca9-b3ef-428c-8861-06e72d69f223}}\n"
            ),
            "      networks: [{name: default, pod: {}}]\n      volumes: [{name: r, persistentVolumeClaim: {claimName: data}}]\n",
        )
        .replace("devices: {}", "devices: {interfaces: [{name: default, masquerade: {}, macAddress: \"02:00:00:aa:bb:01\"}]}")
    };
    let checked = Checked::new(
        &[
            ("a/vm.yaml", machine(1).as_bytes()),
            ("b/vm.yaml", machine(2).as_bytes()),
        ],
        &Target::default(),
        &Config::default(),
    );
    checked.only("duplicate-resource");
    for rule in [
        "duplicate-firmware-uuid",
        "duplicate-mac-address",
        "claim-used-twice",
    ] {
        assert!(checked.of(rule).is_empty(), "{rule}");
    }
}

#[test]
fn what_a_user_tells_the_importer_is_no_runtime_data() {
    let text = "apiVersion: cdi.kubevirt.io/v1beta1\nkind: DataVolume\nmetadata: {name: d, annotations: {cdi.kubevirt.io/storage.usePopulator: \"false\"}}\nspec: {source: {blank: {}}, storage: {resources: {requests: {storage: 1Gi}}}}\n";
    assert!(Checked::one(text).of("runtime-data").is_empty());
}

#[test]
fn kinds_of_other_operators_in_the_group_are_left_alone() {
    let of = |api: &str, kind: &str| {
        let text = format!("apiVersion: {api}\nkind: {kind}\nmetadata: {{name: a}}\n");
        let checked = Checked::one(&text);
        let found = checked.of("removed-api-version");
        found
            .iter()
            .map(|finding| finding.message.clone())
            .collect::<Vec<_>>()
    };
    assert!(of("kubevirt.io/v1alpha1", "NodeMaintenance").is_empty());
    assert_eq!(of("kubevirt.io/v1alpha1", "KubeVirt").len(), 1);
    assert_eq!(
        of("cdi.kubevirt.io/v1alpha1", "DataVolume"),
        ["CDI no longer serves `cdi.kubevirt.io/v1alpha1`"]
    );
}
