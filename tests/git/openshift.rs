//! An upgrade of OpenShift's operator in Git, and edits of its object.

use crate::support::{Repository, actions, vm};

fn subscription(version: &str) -> String {
    format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {{name: hco-operatorhub, namespace: openshift-cnv}}\nspec: {{name: kubevirt-hyperconverged, startingCSV: kubevirt-hyperconverged-operator.{version}, installPlanApproval: Manual}}\n"
    )
}

fn deployment(tag: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: hyperconverged-cluster-operator, namespace: openshift-cnv}}\nspec: {{template: {{spec: {{containers: [{{name: a, image: \"quay.io/kubevirt/hyperconverged-cluster-operator:{tag}\"}}]}}}}}}\n"
    )
}

fn hyperconverged(spec: &str) -> String {
    format!(
        "apiVersion: hco.kubevirt.io/v1beta1\nkind: HyperConverged\nmetadata: {{name: kubevirt-hyperconverged, namespace: openshift-cnv}}\nspec: {spec}\n"
    )
}

/// A VM pinned to a revision that holds an instance type of an old version, which KubeVirt decodes up to 1.6.
fn pinned() -> String {
    let vm = vm("a", "2Gi")
        .replace(
            "spec:\n  runStrategy",
            "spec:\n  instancetype: {name: it, revisionName: rev}\n  runStrategy",
        )
        .replace("        memory: {guest: 2Gi}\n", "")
        .replace("        cpu: {sockets: 1, cores: 1, threads: 1}\n", "");
    format!(
        "{vm}---\napiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {{name: rev, namespace: vms}}\nrevision: 1\ndata: {{apiVersion: instancetype.kubevirt.io/v1alpha2, kind: VirtualMachineClusterInstancetype, metadata: {{name: it}}, spec: {{cpu: {{guest: 1}}, memory: {{guest: 2Gi}}}}}}\n"
    )
}

#[test]
fn an_operator_upgrade_in_git_previews_the_cluster_upgrade() {
    for operator in [subscription as fn(&str) -> String, deployment] {
        let repository = Repository::new();
        repository
            .write("operator.yaml", &operator("v4.18.3"))
            .write("hco.yaml", &hyperconverged("{}"))
            .write("a.yaml", &pinned())
            .write("b.yaml", &vm("b", "2Gi"))
            .commit("one");
        repository.write("operator.yaml", &operator("v4.20.1"));
        let upgrade = repository
            .run(&["plan", "--format", "json", "--base", "main"])
            .json();
        assert_eq!(upgrade["kubevirt"]["base"], "1.4");
        assert_eq!(upgrade["kubevirt"]["head"], "1.6");
        assert_eq!(upgrade["kubevirt"]["openshift"]["base"], "4.18");
        assert_eq!(upgrade["kubevirt"]["openshift"]["head"], "4.20");
        // 1.6 still decodes the revision, and the operator sets LiveUpdate on both sides.
        assert_eq!(actions(&upgrade), [""; 0], "{upgrade:#}");
        let text = repository.run(&["plan", "--base", "main"]);
        assert!(
            text.out
                .contains("KubeVirt 1.4 → 1.6 (OpenShift 4.18 → 4.20)"),
            "{}",
            text.out
        );
        // What the newer release does to each VM is told by name.
        repository.write("operator.yaml", &operator("v4.21.0"));
        let upgrade = repository
            .run(&["plan", "--format", "json", "--base", "main"])
            .json();
        assert_eq!(actions(&upgrade), ["a: unchanged rejected"], "{upgrade:#}");
        let notes = upgrade["notes"].to_string();
        assert!(notes.contains("from KubeVirt 1.7 on"), "{notes}");
        // One release for both hides it, and says so.
        let hidden = repository.run(&["plan", "--base", "main", "--openshift", "4.18"]);
        assert!(hidden.out.contains("hides 1.4 → 1.7"), "{}", hidden.out);
    }
}

#[test]
fn sockets_are_plugged_live_on_openshift_alone() {
    for (openshift, kubevirt) in [("4.18", "1.4"), ("4.19", "1.5")] {
        let repository = Repository::new();
        let two = vm("a", "2Gi").replace("sockets: 1", "sockets: 1, maxSockets: 4");
        repository.write("a.yaml", &two).commit("one");
        repository.write("a.yaml", &two.replace("sockets: 1,", "sockets: 2,"));
        let plan = |option: &str, release: &str| {
            let arguments = [
                "plan", "--format", "json", "--base", "main", option, release,
            ];
            actions(&repository.run(&arguments).json())
        };
        assert_eq!(plan("--openshift", openshift), ["a: modified live"]);
        assert_eq!(plan("--kubevirt", kubevirt), ["a: modified restart"]);
    }
}
