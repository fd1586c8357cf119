//! OpenShift: its release, the configuration its operator writes, and what both make of verdicts.

use std::path::Path;

use driftless::openshift::OpenShift;

use crate::support::{VM, Workspace};

/// A HyperConverged object with a `spec`, in YAML's short form.
fn hyperconverged(spec: &str) -> String {
    format!(
        "apiVersion: hco.kubevirt.io/v1beta1\nkind: HyperConverged\nmetadata: {{name: kubevirt-hyperconverged, namespace: openshift-cnv}}\nspec: {spec}\n"
    )
}

fn subscription(spec: &str) -> String {
    format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {{name: hco-operatorhub, namespace: openshift-cnv}}\nspec: {{name: kubevirt-hyperconverged, channel: stable, {spec}}}\n"
    )
}

/// A VM without an instance type and with `devices` in YAML's short form.
fn with_devices(devices: &str) -> String {
    VM.replace("  instancetype:\n    name: u1.small\n", "")
        .replace("domain:\n", "domain:\n        memory: {guest: 1Gi}\n")
        .replace("devices: {}", &format!("devices: {devices}"))
}

/// A cluster of the same KubeVirt release with nothing configured.
const UPSTREAM: &str = "apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {name: kubevirt, namespace: kubevirt}\nspec: {configuration: {}}\n";

#[test]
fn verdicts_differ_from_upstream_release_by_release() {
    let workspace = Workspace::with(&[
        (
            "gpu/vm.yaml",
            &with_devices("{hostDevices: [{name: a, deviceName: example.com/a}]}"),
        ),
        ("tpm/vm.yaml", &with_devices("{tpm: {persistent: true}}")),
        ("upstream.txt", UPSTREAM),
        (
            "openshift.txt",
            &hyperconverged(
                "{permittedHostDevices: {pciHostDevices: [{pciDeviceSelector: '10DE:1DB0', resourceName: example.com/a}]}}",
            ),
        ),
    ]);
    for release in OpenShift::TARGETS {
        let (openshift, kubevirt) = (release.as_str(), release.kubevirt().as_str());
        let on_openshift = |path: &str, status: i32| {
            workspace
                .run(&[
                    "check",
                    path,
                    "--openshift",
                    openshift,
                    "--cluster-config",
                    "openshift.txt",
                ])
                .exits(status)
        };
        let on_upstream = |path: &str, status: i32| {
            workspace
                .run(&[
                    "check",
                    path,
                    "--kubevirt",
                    kubevirt,
                    "--cluster-config",
                    "upstream.txt",
                ])
                .exits(status)
        };
        // Host devices need a gate that the operator always lists.
        on_openshift("gpu", 0);
        on_upstream("gpu", 1).prints(&["HostDevices"]);
        // A TPM that keeps its state needs a gate up to KubeVirt 1.5, which the operator lists.
        on_openshift("tpm", 0);
        on_upstream("tpm", i32::from(*release <= OpenShift::V4_19));
    }
}

#[test]
fn a_vm_without_interfaces_gets_masquerade() {
    let workspace = Workspace::with(&[("vm.yaml", VM)]);
    for release in OpenShift::TARGETS {
        let (openshift, kubevirt) = (release.as_str(), release.kubevirt().as_str());
        workspace
            .run(&["expand", "--openshift", openshift])
            .exits(0)
            .prints(&["masquerade: {}", "evictionStrategy: LiveMigrate"]);
        workspace
            .run(&["expand", "--kubevirt", kubevirt])
            .exits(0)
            .prints(&["bridge: {}"]);
    }
}

#[test]
fn a_hyperconverged_object_is_the_configuration_wherever_one_is_taken() {
    let vm = VM;
    let object = hyperconverged("{evictionStrategy: External}");
    let workspace = Workspace::with(&[
        ("a/vm.yaml", vm),
        ("b/vm.yaml", vm),
        ("b/hco.yaml", &object),
        ("c/vm.yaml", vm),
        (
            "c/driftless.yaml",
            "clusterConfig: hco.txt\nopenshift: '4.20'\n",
        ),
        ("c/hco.txt", &object),
        ("context/hco.yaml", &object),
    ]);
    for arguments in [
        &[
            "expand",
            "a",
            "--cluster-config",
            "context/hco.yaml",
            "--openshift",
            "4.20",
        ][..],
        &["expand", "a", "--context", "context", "--openshift", "4.20"],
        &["expand", "b", "--openshift", "4.20"],
        &["expand", "b", "--kubevirt", "1.6"],
        &["expand", "c"],
    ] {
        let run = workspace.run(arguments).exits(0);
        assert!(
            run.stdout.contains("evictionStrategy: External"),
            "{arguments:?} {}",
            run.stdout
        );
        assert!(
            run.stdout.contains("masquerade: {}"),
            "{arguments:?} {}",
            run.stdout
        );
        assert_eq!(run.stderr, "", "{arguments:?}");
    }
}

#[test]
fn the_header_says_openshift() {
    let workspace = Workspace::with(&[("vm.yaml", VM)]);
    workspace
        .run(&["check", "--openshift", "4.20"])
        .exits(0)
        .prints(&["judged as KubeVirt 1.6", "(OpenShift 4.20)"])
        .prints(&["HyperConverged's defaults are assumed"]);
    workspace
        .run(&["check", "--openshift", "4.16"])
        .exits(0)
        .prints(&["KubeVirt 1.2 is judged by the rules of 1.4"]);
    let json = workspace
        .run(&["check", "--openshift", "4.20", "--format", "json"])
        .exits(0);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["kubevirt"]["release"], "1.6");
    assert_eq!(json["kubevirt"]["openshift"], "4.20");
}

#[test]
fn releases_that_cannot_be_judged_are_refused() {
    let workspace = Workspace::with(&[("vm.yaml", VM)]);
    workspace
        .run(&["check", "--openshift", "4.14"])
        .exits(2)
        .says(&["older than 1.1", "from OpenShift 4.15 on"]);
    workspace
        .run(&["check", "--openshift", "4.20", "--kubevirt", "1.6"])
        .exits(2)
        .says(&["--openshift", "--kubevirt", "cannot be used with"]);
    workspace.write("driftless.yaml", b"openshift: '4.20'\nkubevirt: '1.6'\n");
    workspace
        .run(&["check"])
        .exits(2)
        .says(&["driftless.yaml:2", "both say the release"]);
    workspace.write("driftless.yaml", b"openshift: 4.2\n");
    workspace
        .run(&["check"])
        .exits(2)
        .says(&["put the release in quotes"]);
}

#[test]
fn what_installs_the_operator_shows_the_release() {
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: hco-operator, namespace: openshift-cnv}\nspec: {template: {spec: {containers: [{name: a, image: 'registry.example/hco@sha256:0', env: [{name: HCO_KV_IO_VERSION, value: 4.20.1}]}]}}}\n";
    let upstream = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: hyperconverged-cluster-operator, namespace: kubevirt-hyperconverged}\nspec: {template: {spec: {containers: [{name: a, image: 'quay.io/kubevirt/hyperconverged-cluster-operator:1.16.0'}]}}}\n";
    let version = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: kubevirt-hyperconverged-operator.v4.20.3, namespace: openshift-cnv}\nspec: {}\n";
    let status = format!(
        "{}status: {{versions: [{{name: operator, version: 4.20.3}}]}}\n",
        hyperconverged("{}")
    );
    let by_hand = subscription(
        "startingCSV: kubevirt-hyperconverged-operator.v4.20.3, installPlanApproval: Manual",
    );
    for (text, words) in [
        (deployment, "(OpenShift 4.20)"),
        (upstream, "judged as KubeVirt 1.6\n"),
        (version, "(OpenShift 4.20)"),
        (&status, "4.20)"),
        (&by_hand, "(OpenShift 4.20)"),
    ] {
        let workspace = Workspace::with(&[("vm.yaml", VM), ("cluster/operator.yaml", text)]);
        let run = workspace.run(&["check"]).exits(0).prints(&[words]);
        assert_eq!(run.stderr, "", "{text}");
    }
}

#[test]
fn a_subscription_that_upgrades_by_itself_is_a_lower_bound_and_a_channel_says_nothing() {
    let starting = subscription("startingCSV: kubevirt-hyperconverged-operator.v4.18.3");
    let workspace = Workspace::with(&[("vm.yaml", VM), ("subscription.yaml", &starting)]);
    workspace
        .run(&["check"])
        .exits(0)
        .prints(&["(OpenShift 4.18)"])
        .says(&[
            "OpenShift 4.18 (KubeVirt 1.4) is what a Subscription starts with",
            "--openshift",
        ]);
    // What an export says to run is later, and certain.
    let status = format!(
        "{}status: {{versions: [{{name: operator, version: 4.20.3}}]}}\n",
        hyperconverged("{}")
    );
    workspace.write("export.yaml", status.as_bytes());
    let run = workspace.run(&["check"]).exits(0).prints(&["4.20)"]);
    assert_eq!(run.stderr, "");
    let channel = subscription("source: redhat-operators");
    let workspace = Workspace::with(&[("vm.yaml", VM), ("subscription.yaml", &channel)]);
    workspace
        .run(&["check"])
        .exits(0)
        .says(&["assuming OpenShift 4.22 (KubeVirt 1.8), the newest known: --openshift"]);
}

#[test]
fn an_object_that_the_operator_refuses_is_said_and_not_applied() {
    let object = "apiVersion: hco.kubevirt.io/v1beta1\nkind: HyperConverged\nmetadata: {name: kubevirt-hyperconverged, namespace: openshift-cnv, annotations: {kubevirt.kubevirt.io/jsonpatch: '[{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {}}]'}}\nspec: {evictionStrategy: External}\n";
    let workspace = Workspace::with(&[("vm.yaml", VM), ("hco.yaml", object)]);
    let run = workspace
        .run(&["expand", "--openshift", "4.20"])
        .exits(0)
        .says(&[
            "the operator refuses the HyperConverged object",
            "may change `/spec/` only",
        ]);
    assert!(!run.stdout.contains("External"), "{}", run.stdout);
}

#[test]
fn without_its_deployment_there_is_no_catalogue() {
    let object = hyperconverged("{CommonInstancetypesDeployment: {enabled: false}}");
    let workspace = Workspace::with(&[("vm.yaml", VM), ("hco.yaml", &object)]);
    workspace
        .run(&["expand", "--openshift", "4.20"])
        .exits(1)
        .says(&["u1.small", "commonInstancetypesDeployment"]);
    workspace
        .run(&["check", "--openshift", "4.20"])
        .exits(0)
        .prints(&["u1.small", "commonInstancetypesDeployment"]);
    workspace.write("hco.yaml", hyperconverged("{}").as_bytes());
    workspace.run(&["expand", "--openshift", "4.20"]).exits(0);
}

/// The files of a repository of `fixtures/repos`.
fn fixture(name: &str) -> Workspace {
    let workspace = Workspace::new();
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/repos")
        .join(name);
    for entry in walkdir::WalkDir::new(&repository) {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            let inside = entry.path().strip_prefix(&repository).unwrap();
            workspace.write(
                inside.to_str().unwrap(),
                &std::fs::read(entry.path()).unwrap(),
            );
        }
    }
    workspace
}

#[test]
fn a_repository_as_openshift_users_keep_it_is_judged_without_a_flag() {
    let workspace = fixture("openshift");
    let run = workspace
        .run(&["check"])
        .exits(0)
        // What is inferred from a boot source that the cluster imports is assumed, and said.
        .prints(&[
            "2 notes in 11 files with 5 virtual machines",
            "KubeVirt 1.5 (OpenShift",
        ])
        .prints(&["`u1.medium` is assumed, as OpenShift's boot source `rhel9`"]);
    assert_eq!(run.stderr, "");
    for noise in ["error", "warning"] {
        assert!(!run.stdout.contains(noise), "{}", run.stdout);
    }
    // The object's own settings, and the operator's.
    workspace
        .run(&["expand", "--as", "vmi"])
        .exits(0)
        .prints(&[
            "model: Cascadelake-Server",
            "evictionStrategy: LiveMigrate",
            "masquerade: {}",
        ])
        .prints(&["name: l2bridge"]);
    workspace.run(&["render"]).exits(0);
    // Upstream's defaults of the same release refuse two of the five.
    workspace.write("upstream.txt", UPSTREAM.as_bytes());
    workspace
        .run(&["check", "--cluster-config", "upstream.txt"])
        .exits(1)
        .prints(&["HostDevices", "VMPersistentState"]);
}

#[test]
fn what_a_data_source_elsewhere_gives_is_no_shortfall() {
    let vm = with_devices("{}")
        .replace("spec:\n  runStrategy", "spec:\n  instancetype: {inferFromVolume: root}\n  preference: {name: windows.11.virtio}\n  dataVolumeTemplates: [{metadata: {name: root}, spec: {sourceRef: {kind: DataSource, name: win11, namespace: openshift-virtualization-os-images}, storage: {resources: {requests: {storage: 30Gi}}}}}]\n  runStrategy")
        .replace("        memory: {guest: 1Gi}\n", "")
        .replace("devices: {}", "devices: {}\n      volumes: [{name: root, dataVolume: {name: root}}]");
    let workspace = Workspace::with(&[("vm.yaml", &vm)]);
    let run = workspace.run(&["check", "--openshift", "4.20"]).exits(0);
    assert!(
        !run.stdout.contains("preference-requirement-unmet"),
        "{}",
        run.stdout
    );
}

#[test]
fn boot_sources_are_assumed_on_openshift_alone() {
    let vm = VM
        .replace("    name: u1.small\n", "    inferFromVolume: root\n")
        .replace("spec:\n  runStrategy", "spec:\n  dataVolumeTemplates: [{metadata: {name: root}, spec: {sourceRef: {kind: DataSource, name: fedora, namespace: openshift-virtualization-os-images}, storage: {resources: {requests: {storage: 30Gi}}}}}]\n  runStrategy")
        .replace("devices: {}", "devices: {}\n      volumes: [{name: root, dataVolume: {name: root}}]");
    let workspace = Workspace::with(&[("vm.yaml", &vm)]);
    workspace
        .run(&["expand", "--explain", "--openshift", "4.20"])
        .exits(0)
        .prints(&["cpu"]);
    workspace
        .run(&["expand", "--kubevirt", "1.6"])
        .exits(1)
        .says(&["fedora"]);
    // What is stated wins.
    workspace.write(
        "driftless.yaml",
        b"infer: [{kind: DataSource, name: fedora, namespace: openshift-virtualization-os-images, instancetype: u1.2xlarge}]\n",
    );
    workspace
        .run(&["expand", "--openshift", "4.20"])
        .exits(0)
        .prints(&["sockets: 8"]);
}
