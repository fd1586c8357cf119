//! What `check` looks into beside the files of KubeVirt: Secrets and ConfigMaps that a virtual machine names, and in a tree
//! that is complete whatever bears a name.

use crate::support::Workspace;

fn vm(volumes: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: web, namespace: vms}}\nspec:\n  runStrategy: Always\n  template:\n    spec:\n      domain: {{memory: {{guest: 1Gi}}, devices: {{disks: [{{name: a, disk: {{bus: virtio}}}}]}}}}\n      volumes: [{{name: a, {volumes}}}]\n"
    )
}

fn object(kind: &str, name: &str, rest: &str) -> String {
    format!("apiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}, namespace: vms}}\n{rest}\n")
}

#[test]
fn a_secret_of_a_file_of_its_own_is_looked_into_where_it_is_named() {
    let machine = vm("cloudInitNoCloud: {secretRef: {name: web-init}}");
    let workspace = Workspace::with(&[
        ("vms/web.yaml", &machine),
        (
            "secrets/init.yaml",
            &object("Secret", "web-init", "stringData: {user-data: a}"),
        ),
        (
            "secrets/other.yaml",
            "kind: Secret\nmetadata: {name: other\n",
        ),
    ]);
    let run = workspace.run(&["check", "--kubevirt", "1.9"]);
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("missing-key"), "{}", run.stdout);
    assert!(
        run.stdout.contains("secrets/init.yaml:4:1: the Secret"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("1 error in 1 file"), "{}", run.stdout);
    workspace.write(
        "secrets/init.yaml",
        object("Secret", "web-init", "stringData: {userdata: a}").as_bytes(),
    );
    let run = workspace.run(&["check", "--kubevirt", "1.9"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
}

#[test]
fn a_complete_tree_is_searched_whole() {
    let machine = vm("serviceAccount: {serviceAccountName: web}");
    let workspace = Workspace::with(&[
        ("driftless.yaml", "complete: true\nkubevirt: \"1.9\"\n"),
        ("vms/kustomization.yaml", "resources: [web.yaml]\n"),
        ("vms/web.yaml", &machine),
        ("rights/kustomization.yaml", "resources: [account.yaml]\n"),
        ("rights/account.yaml", &object("ServiceAccount", "web", "")),
    ]);
    let run = workspace.run(&["check"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    workspace.write(
        "rights/account.yaml",
        object("ServiceAccount", "db", "").as_bytes(),
    );
    let run = workspace.run(&["check"]);
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains("unresolved-reference"),
        "{}",
        run.stdout
    );
    workspace.write(
        "driftless.yaml",
        b"complete: true\nkubevirt: \"1.9\"\nexternal: [{kinds: [ServiceAccount], namespaces: [\"v*\"]}]\n",
    );
    let run = workspace.run(&["check"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
}

#[test]
fn what_a_kustomization_generates_is_there() {
    let machine = vm("secret: {secretName: web-settings}");
    let workspace = Workspace::with(&[
        ("driftless.yaml", "complete: true\nkubevirt: \"1.9\"\n"),
        (
            "kustomization.yaml",
            "resources: [web.yaml]\nsecretGenerator: [{name: web-settings, literals: [a=b]}]\n",
        ),
        ("web.yaml", &machine),
    ]);
    let run = workspace.run(&["check"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
}
