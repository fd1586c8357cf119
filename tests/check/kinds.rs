//! One test a kind of fault that trying `check` showed, named after the kind, with what lies beside it. It is long because
//! there are many.

use driftless::config::external::External;
use driftless::config::{Config, Target};
use driftless::report::Format;
use driftless::rule::Severity;

use crate::checked::Checked;

/// A running VM of this guest, given as one line of YAML.
fn vm(name: &str, spec: &str) -> String {
    machine(name, "", spec)
}

/// As [`vm`], with keys beside the template.
fn machine(name: &str, keys: &str, spec: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: {name}, namespace: vms}}\nspec:\n  runStrategy: Always\n{keys}  template:\n    spec: {spec}\n"
    )
}

/// The guest of a VM with these volumes, each with a disk of its name.
fn volumes(volumes: &str) -> String {
    let names = volumes.split("name: ").skip(1).step_by(2);
    let disks: Vec<String> = names
        .map(|rest| rest.split([',', '}']).next().unwrap_or_default())
        .map(|name| format!("{{name: {name}, disk: {{bus: virtio}}}}"))
        .collect();
    format!(
        "{{domain: {{memory: {{guest: 1Gi}}, devices: {{disks: [{}]}}}}, volumes: [{volumes}]}}",
        disks.join(", ")
    )
}

fn object(api_version: &str, kind: &str, name: &str, rest: &str) -> String {
    format!(
        "apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: {name}, namespace: vms}}\n{rest}"
    )
}

fn files(documents: &[String]) -> Checked {
    Checked::one(&documents.join("---\n"))
}

fn in_complete_tree(documents: &[String], external: Vec<External>) -> Checked {
    let target = Target {
        complete: true,
        external,
        ..Target::default()
    };
    let text = documents.join("---\n");
    Checked::new(&[("vm.yaml", text)], &target, &Config::default())
}

#[track_caller]
fn ids(checked: &Checked) -> Vec<&'static str> {
    let findings = checked.outcome.findings.iter();
    findings.map(|finding| finding.rule.id).collect()
}

/// CK01: KubeVirt stores it and refuses every start. Beside it: the kinds that make guests without a VM.
#[test]
fn accepted_and_never_started() {
    let refused = |spec: &str| {
        let checked = Checked::one(&vm("web", spec));
        let found: Vec<&str> = ids(&checked);
        let words = checked.report(Format::Text).replace("\n    ", " ");
        assert!(words.contains("refuses every start"), "{spec}: {words}");
        found
    };
    assert_eq!(refused("{domain: {devices: {}}}"), ["guest-without-memory"]);
    assert_eq!(
        refused(
            "{architecture: arm64, domain: {memory: {guest: 1Gi}, firmware: {bootloader: {bios: {}}}, devices: {}}}"
        ),
        ["bios-on-arm64"]
    );
    assert_eq!(
        refused(
            "{domain: {memory: {guest: 1Gi}, features: {hyperv: {synictimer: {enabled: true}, vpindex: {enabled: false}}}, devices: {}}}"
        ),
        ["hyperv-requirement-disabled"]
    );
    let bare = "apiVersion: kubevirt.io/v1\nkind: VirtualMachineInstance\nmetadata: {name: a}\nspec: {domain: {memory: {guest: 1Gi}, devices: {disks: [{name: root, disk: {}}]}}}\n";
    assert_eq!(ids(&Checked::one(bare)), ["disk-without-volume"]);
}

/// CK02: one disk, two owners. Beside it: one machine that names a claim twice, and what is shared on purpose.
#[test]
fn one_disk_with_two_owners() {
    let claim =
        |name: &str| format!("{{name: {name}, persistentVolumeClaim: {{claimName: data}}}}");
    let a = vm("a", &volumes(&claim("root")));
    let b = vm("b", &volumes("{name: root, dataVolume: {name: data}}"));
    let checked = files(&[a.clone(), b]);
    assert_eq!(checked.of("claim-used-twice").len(), 2);
    let twice = vm(
        "a",
        &volumes(&format!("{}, {}", claim("root"), claim("more"))),
    );
    assert_eq!(files(&[twice]).of("claim-used-twice").len(), 2);
    let template = "  dataVolumeTemplates: [{metadata: {name: data}, spec: {source: {blank: {}}, storage: {resources: {requests: {storage: 1Gi}}}}}]\n";
    let own = machine(
        "c",
        template,
        &volumes("{name: root, dataVolume: {name: data}}"),
    );
    let volume = object(
        "cdi.kubevirt.io/v1beta1",
        "DataVolume",
        "data",
        "spec: {source: {blank: {}}, storage: {resources: {requests: {storage: 1Gi}}}}\n",
    );
    assert!(
        !files(&[own, volume])
            .of("data-volume-owned-twice")
            .is_empty()
    );
    let shared = a.replace(
        "disk: {bus: virtio}",
        "shareable: true, cache: none, disk: {bus: virtio}",
    );
    let other = shared.replace("name: a,", "name: d,");
    assert!(files(&[shared, other]).of("claim-used-twice").is_empty());
}

/// CK03: where the API server keeps what it does not know, KubeVirt's own OpenAPI refuses it.
#[test]
fn what_preserve_unknown_fields_keeps() {
    let with = |metadata: &str| {
        vm("web", "{domain: {memory: {guest: 1Gi}, devices: {}}}").replace(
            "    spec: {domain",
            &format!("    metadata: {metadata}\n    spec: {{domain"),
        )
    };
    let checked = Checked::one(&with("{app: web}"));
    let forbidden = checked.only("forbidden-field");
    assert_eq!(forbidden.severity, Severity::Error);
    assert!(checked.of("unknown-field").is_empty());
    assert!(
        Checked::one(&with("{labels: {app: web}}"))
            .outcome
            .findings
            .is_empty()
    );
    // Beside it: a field of a part that the API server prunes is dropped.
    let pruned = vm(
        "web",
        "{domain: {memory: {guest: 1Gi}, devices: {}, app: web}}",
    );
    assert_eq!(ids(&Checked::one(&pruned)), ["unknown-field"]);
}

/// CK04: a null is dropped on creation and refused under server-side apply; the note says both.
#[test]
fn a_null_under_server_side_apply() {
    let checked = Checked::one(&vm(
        "web",
        "{domain: {memory: {guest: 1Gi}, devices: {rng: null}}}",
    ));
    let finding = checked.only("dropped-null");
    assert_eq!(finding.severity, Severity::Note);
    assert!(finding.message.contains("dropped"));
    assert!(
        finding
            .help
            .as_deref()
            .unwrap_or_default()
            .contains("server-side apply")
    );
}

/// CK05: in a tree that is complete every name leads to something. Beside it: names that another object of the tree makes,
/// and what lives elsewhere.
#[test]
fn a_name_that_leads_nowhere_in_a_complete_tree() {
    let names = [
        ("dataVolume: {name: x}", "DataVolume"),
        (
            "persistentVolumeClaim: {claimName: x}",
            "PersistentVolumeClaim",
        ),
        (
            "ephemeral: {persistentVolumeClaim: {claimName: x}}",
            "PersistentVolumeClaim",
        ),
        ("secret: {secretName: x}", "Secret"),
        ("configMap: {name: x}", "ConfigMap"),
        ("cloudInitNoCloud: {secretRef: {name: x}}", "Secret"),
        ("sysprep: {configMap: {name: x}}", "ConfigMap"),
        ("serviceAccount: {serviceAccountName: x}", "ServiceAccount"),
        ("containerDisk: {image: i, imagePullSecret: x}", "Secret"),
    ];
    for (source, kind) in names {
        let machine = vm("web", &volumes(&format!("{{name: root, {source}}}")));
        let checked = in_complete_tree(std::slice::from_ref(&machine), Vec::new());
        let finding = checked.only("unresolved-reference");
        assert_eq!(finding.severity, Severity::Error, "{source}");
        assert!(
            finding.message.contains(&format!("no {kind} `x`")),
            "{source}: {}",
            finding.message
        );
        assert!(
            files(std::slice::from_ref(&machine))
                .of("unresolved-reference")
                .is_empty(),
            "{source}"
        );
        let elsewhere = External::new(vec![kind.to_owned()], &[], &["x".to_owned()]).unwrap();
        let excused = in_complete_tree(std::slice::from_ref(&machine), vec![elsewhere]);
        assert!(excused.of("unresolved-reference").is_empty(), "{source}");
        let api_version = if kind == "DataVolume" {
            "cdi.kubevirt.io/v1beta1"
        } else {
            "v1"
        };
        let there = object(api_version, kind, "x", "");
        let found = in_complete_tree(&[machine, there], Vec::new());
        assert!(found.of("unresolved-reference").is_empty(), "{source}");
    }
    let network = vm(
        "web",
        "{domain: {memory: {guest: 1Gi}, devices: {interfaces: [{name: lan, bridge: {}}]}}, networks: [{name: lan, multus: {networkName: lan}}]}",
    );
    let checked = in_complete_tree(&[network], Vec::new());
    let message = &checked.only("unresolved-reference").message;
    assert!(
        message.contains("no NetworkAttachmentDefinition `lan`"),
        "{message}"
    );
    let typed = |kind: &str| {
        machine(
            "web",
            &format!("  {kind}: {{name: x}}\n"),
            "{domain: {devices: {}}}",
        )
    };
    for kind in ["instancetype", "preference"] {
        let rule = format!("unresolved-{kind}");
        let checked = in_complete_tree(&[typed(kind)], Vec::new());
        assert_eq!(checked.only(&rule).severity, Severity::Error);
        let elsewhere = External::new(Vec::new(), &[], &["x".to_owned()]).unwrap();
        let excused = in_complete_tree(&[typed(kind)], vec![elsewhere]);
        assert!(excused.of(&rule).is_empty(), "{:?}", excused.said());
    }
}

/// CK06: the API server's own rules for names, labels and annotations hold for every kind that is judged.
#[test]
fn names_and_labels_of_every_kind() {
    for (api_version, kind, spec) in [
        (
            "kubevirt.io/v1",
            "VirtualMachine",
            "spec: {runStrategy: Always, template: {spec: {domain: {memory: {guest: 1Gi}, devices: {}}}}}",
        ),
        (
            "instancetype.kubevirt.io/v1beta1",
            "VirtualMachineInstancetype",
            "spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}",
        ),
        (
            "instancetype.kubevirt.io/v1beta1",
            "VirtualMachinePreference",
            "spec: {}",
        ),
        (
            "v1",
            "PersistentVolumeClaim",
            "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}",
        ),
    ] {
        let named = |metadata: &str| {
            format!("apiVersion: {api_version}\nkind: {kind}\nmetadata: {metadata}\n{spec}\n")
        };
        let plain = vm("beside", "{domain: {memory: {guest: 1Gi}, devices: {}}}");
        let of = |metadata: &str| files(&[named(metadata), plain.clone()]);
        for metadata in [
            "{name: Web_1}",
            "{name: a, namespace: No.Dots}",
            "{name: a, labels: {\"a b\": c}}",
            "{name: a, labels: {a: \"b c\"}}",
            "{name: a, annotations: {\"/x\": y}}",
            "{name: a, finalizers: [\"x y\"]}",
        ] {
            assert!(
                !of(metadata).of("invalid-metadata").is_empty(),
                "{kind} {metadata}"
            );
        }
        assert!(
            of("{name: a.b-1, labels: {a: B}}")
                .of("invalid-metadata")
                .is_empty(),
            "{kind}"
        );
    }
}

fn types(kind: &str, spec: &str) -> String {
    object(
        "instancetype.kubevirt.io/v1beta1",
        kind,
        "it",
        &format!("spec: {spec}\n"),
    )
}

/// CK07: what an instance type or a preference gives to several guests is one finding, at its line there, with the guests.
/// Beside it: one guest, a type that is not reported on, a type that is built in, a value of the guest's own.
#[test]
fn the_cause_is_elsewhere() {
    let secure = types(
        "VirtualMachinePreference",
        "\n  firmware:\n    preferredEfi: {secureBoot: true}",
    );
    let uses = "  preference: {name: it, kind: VirtualMachinePreference}\n";
    let guest = "{domain: {memory: {guest: 1Gi}, devices: {}}}";
    let many: Vec<String> = (0..12)
        .map(|at| machine(&format!("web-{at:02}"), uses, guest))
        .collect();
    let mut documents = vec![secure.clone()];
    documents.extend(many);
    let checked = files(&documents);
    let finding = checked.only("secure-boot-without-smm");
    let subject = finding.subject.as_ref().unwrap();
    assert_eq!(subject.id.kind, "VirtualMachinePreference");
    assert_eq!(
        finding.field.as_ref().unwrap().to_string(),
        "spec.firmware.preferredEfi"
    );
    assert_eq!(finding.related.len(), 12);
    assert!(
        finding
            .message
            .ends_with("KubeVirt refuses VirtualMachine vms/web-00 and 11 more"),
        "{}",
        finding.message
    );
    assert!(checked.report(Format::Text).contains("7 more places"));
    for format in [
        Format::Json,
        Format::Sarif,
        Format::Rdjson,
        Format::Junit,
        Format::Gitlab,
        Format::Github,
    ] {
        let text = checked.report(format);
        assert!(text.contains("web-00 and 11 more"), "{text}");
    }
    assert!(
        checked
            .report(Format::Json)
            .contains("in VirtualMachine vms/web-11")
    );

    let one = machine("web", uses, guest);
    let checked = files(&[secure.clone(), one.clone()]);
    let finding = checked.only("secure-boot-without-smm");
    assert!(
        finding
            .message
            .ends_with("KubeVirt refuses VirtualMachine vms/web"),
        "{}",
        finding.message
    );

    // A value of the guest's own is the guest's.
    let own = one.replace("domain: {", "domain: {firmware: {bootloader: {efi: {}}}, ");
    let checked = files(&[secure, own]);
    let finding = checked.only("secure-boot-without-smm");
    assert_eq!(finding.subject.as_ref().unwrap().id.kind, "VirtualMachine");

    // What is built in has no line in the tree; a default has none anywhere.
    let target = Target {
        configuration: driftless::resource::cluster::ClusterConfig::known(
            driftless::yaml::Node::from_json(&serde_json::json!({"emulatedMachines": ["virt*"]})),
        ),
        ..Target::default()
    };
    let checked = Checked::new(
        &[("vm.yaml", vm("web", guest))],
        &target,
        &Config::default(),
    );
    let message = &checked.only("unsupported-machine-type").message;
    assert!(message.contains("(from KubeVirt's defaults)"), "{message}");

    // An instance type gives values too.
    let isolated = types(
        "VirtualMachineInstancetype",
        "{cpu: {guest: 1, isolateEmulatorThread: true}, memory: {guest: 1Gi}}",
    );
    let uses = "  instancetype: {name: it, kind: VirtualMachineInstancetype}\n";
    let machine = machine("web", uses, "{domain: {devices: {}}}");
    let checked = files(&[isolated, machine]);
    let finding = checked.only("isolated-emulator-without-dedicated-cpu");
    assert_eq!(
        finding.field.as_ref().unwrap().to_string(),
        "spec.cpu.isolateEmulatorThread"
    );
}

/// CK11: keys that are the user's word to CDI stay; a kind of another operator is no matter of KubeVirt's.
#[test]
fn keys_and_kinds_of_others() {
    let volume = "apiVersion: cdi.kubevirt.io/v1beta1\nkind: DataVolume\nmetadata: {name: a, annotations: {cdi.kubevirt.io/storage.usePopulator: \"false\"}}\nspec: {source: {blank: {}}, storage: {resources: {requests: {storage: 1Gi}}}}\n";
    assert!(Checked::one(volume).of("runtime-data").is_empty());
    let maintenance = "apiVersion: kubevirt.io/v1alpha1\nkind: NodeMaintenance\nmetadata: {name: a}\nspec: {nodeName: n}\n";
    assert!(Checked::one(maintenance).outcome.findings.is_empty());
}

/// CK12: what helps is said: the level where a field belongs, and the field that was begun.
#[test]
fn hints_lead_to_the_field() {
    let help = |text: &str, rule: &str| {
        let checked = Checked::one(text);
        checked.only(rule).help.clone().unwrap_or_default()
    };
    let volume = "apiVersion: cdi.kubevirt.io/v1beta1\nkind: DataVolume\nmetadata: {name: a}\nspec: {source: {blank: {}}, resources: {requests: {storage: 1Gi}}}\n";
    let told = help(volume, "unknown-field");
    assert!(
        told.contains("`pvc`") && told.contains("`storage`"),
        "{told}"
    );
    let disk = vm(
        "web",
        "{domain: {memory: {guest: 1Gi}, devices: {disks: [{name: r, disk: , bus: virtio}]}}, volumes: [{name: r, emptyDisk: {capacity: 1Gi}}]}",
    );
    let told = help(&disk, "unknown-field");
    assert!(told.contains("`disk`") && !told.contains("cdrom"), "{told}");
}

/// CK13: one identity in two directories is one finding, and a kind that is foreign to KubeVirt is none.
#[test]
fn one_identity_twice_is_told_once() {
    let guest = "{domain: {memory: {guest: 1Gi}, firmware: {uuid: 6a1a24a1-4061-4607-8bf4-a3963d0c5895}, devices: {interfaces: [{name: p, masquerade: {}, macAddress: \"02:00:00:00:00:01\"}]}}, networks: [{name: p, pod: {}}]}";
    let one = vm("web", guest);
    let other = one.replace("1Gi", "2Gi");
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: []}\n";
    let target = Target::default();
    let files = [
        ("a/vm.yaml", one),
        ("b/vm.yaml", other),
        ("a/service.yaml", service.to_owned()),
        ("b/service.yaml", service.replace("[]", "[1]")),
    ];
    let checked = Checked::new(&files, &target, &Config::default());
    let told: Vec<&str> = ids(&checked);
    assert!(
        told.iter().all(|id| *id == "duplicate-resource"),
        "{told:?}"
    );
    assert_eq!(told.len(), 1);
}

/// CK14: what the guest reads: cloud-init, network data, answer files, and the keys under which KubeVirt looks for them.
#[test]
fn traps_inside_the_guest() {
    let init = |data: &str| {
        vm(
            "web",
            &volumes(&format!("{{name: init, cloudInitNoCloud: {{{data}}}}}")),
        )
    };
    let found = |text: String| ids(&Checked::one(&text));
    assert_eq!(
        found(init("userData: \"#cloud-config\\nruncmd: [a\"")),
        ["invalid-cloud-config"]
    );
    assert_eq!(
        found(init("userData: \"#cloud-config\\npakages: [a]\"")),
        ["misspelt-cloud-config-key"]
    );
    assert_eq!(
        found(init(
            "userData: \"#cloud-config\", networkData: \"ethernets: {a: {match: {macaddress: 52:54:00:12:34:56}}}\""
        )),
        ["sexagesimal-network-data"]
    );
    for (source, kind, key, rule) in [
        (
            "cloudInitNoCloud: {secretRef: {name: x}}",
            "Secret",
            "user-data: a",
            Some("missing-key"),
        ),
        (
            "cloudInitNoCloud: {secretRef: {name: x}}",
            "Secret",
            "userData: \"#cloud-config\"",
            None,
        ),
        (
            "cloudInitConfigDrive: {networkDataSecretRef: {name: x}}",
            "Secret",
            "userdata: a",
            Some("missing-key"),
        ),
        (
            "cloudInitConfigDrive: {networkDataSecretRef: {name: x}}",
            "Secret",
            "networkdata: \"version: 2\"",
            None,
        ),
        (
            "sysprep: {secret: {name: x}}",
            "Secret",
            "answers.xml: <a/>",
            Some("missing-key"),
        ),
        (
            "sysprep: {secret: {name: x}}",
            "Secret",
            "Unattend.xml: <a/>",
            None,
        ),
        (
            "sysprep: {configMap: {name: x}}",
            "ConfigMap",
            "autounattend.xml: <a>",
            Some("invalid-answer-file"),
        ),
        (
            "sysprep: {configMap: {name: x}}",
            "ConfigMap",
            "autounattend.xml: <a/>",
            None,
        ),
    ] {
        let machine = vm("web", &volumes(&format!("{{name: init, {source}}}")));
        let field = if kind == "Secret" {
            "stringData"
        } else {
            "data"
        };
        let mounted = |more: &str| object("v1", kind, "x", &format!("{field}: {{{key}}}\n{more}"));
        let checked = files(&[machine.clone(), mounted("")]);
        assert_eq!(
            ids(&checked),
            rule.into_iter().collect::<Vec<_>>(),
            "{source} {key}"
        );
        // What is encrypted is not known.
        let encrypted = files(&[machine, mounted("sops: {mac: a}\n")]);
        assert!(encrypted.of("missing-key").is_empty(), "{source} {key}");
    }
    let credential = |secret: &str| {
        vm(
            "web",
            &format!(
                "{{domain: {{memory: {{guest: 1Gi}}, devices: {{}}}}, accessCredentials: [{{userPassword: {{source: {{secret: {{secretName: {secret}}}}}, propagationMethod: {{qemuGuestAgent: {{}}}}}}}}]}}"
            ),
        )
    };
    assert_eq!(
        found(credential(&"a".repeat(52))),
        ["unmountable-credential"]
    );
    assert!(found(credential(&"a".repeat(51))).is_empty());
    let bridged = "{evictionStrategy: LiveMigrate, domain: {memory: {guest: 1Gi}, devices: {interfaces: [{name: p, bridge: {}}]}}, networks: [{name: p, pod: {}}]}";
    assert_eq!(found(vm("web", bridged)), ["eviction-without-migration"]);
    assert!(found(vm("web", &bridged.replace("bridge", "masquerade"))).is_empty());
}

/// CK15: a regular expression of the cluster's settings is Go's.
#[test]
fn machine_types_by_regular_expression() {
    use driftless::release::Release;
    use driftless::resource::cluster::ClusterConfig;
    use driftless::yaml::Node;
    let configuration = serde_json::json!({"emulatedMachines": ["^pc-(q35|i440fx)-.*$"]});
    let target = Target {
        release: Release::V1_5,
        release_known: true,
        configuration: ClusterConfig::known(Node::from_json(&configuration)),
        ..Target::default()
    };
    for (machine, refused) in [
        ("pc-q35-9.2", false),
        ("pc-i440fx-9", false),
        ("q35", true),
        ("xpc-q35-1", true),
    ] {
        let text = vm(
            "web",
            &format!(
                "{{domain: {{memory: {{guest: 1Gi}}, machine: {{type: {machine}}}, devices: {{}}}}}}"
            ),
        );
        let checked = Checked::new(&[("vm.yaml", text)], &target, &Config::default());
        assert_eq!(
            !checked.of("unsupported-machine-type").is_empty(),
            refused,
            "{machine}"
        );
    }
}
