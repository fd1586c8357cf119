//! What a target sees: its own paths, what no target holds, what its kustomizations and the context name; and what only
//! its overlays make of a base.

use crate::support::{Repository, actions, reason_for, unjudged, vm};

const TARGETS: &str = "targets:\n- {name: west, paths: [west], kubevirt: \"1.9\"}\n- {name: east, paths: [east], kubevirt: \"1.9\"}\n";

fn typed(name: &str) -> String {
    vm(name, "2Gi")
        .replace(
            "spec:\n  runStrategy",
            "spec:\n  instancetype: {name: it}\n  preference: {name: linux}\n  runStrategy",
        )
        .replace("        memory: {guest: 2Gi}\n", "")
        .replace("        cpu: {sockets: 1, cores: 1, threads: 1}\n", "")
}

fn types(guest: u32, bus: &str) -> String {
    format!(
        "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {{name: it}}\nspec: {{cpu: {{guest: {guest}}}, memory: {{guest: 2Gi}}}}\n---\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterPreference\nmetadata: {{name: linux}}\nspec: {{devices: {{preferredInputBus: {bus}}}}}\n"
    )
}

/// `target/name: action` of every row.
fn rows(repository: &Repository, more: &[&str]) -> Vec<String> {
    let all = [&["plan", "--base", "main", "--format", "json"], more].concat();
    let plan = repository.run(&all).json();
    let rows = plan["virtualMachines"].as_array().unwrap().iter();
    rows.map(|vm| {
        let text = |key: &str| vm[key].as_str().unwrap_or_default().to_owned();
        format!("{}/{}: {}", text("target"), text("name"), text("action"))
    })
    .collect()
}

#[test]
fn an_edited_type_reaches_the_machines_of_its_own_target() {
    let repository = Repository::new();
    repository.write("driftless.yaml", TARGETS);
    for target in ["east", "west"] {
        repository
            .write(&format!("{target}/vm.yaml"), &typed("a"))
            .write(&format!("{target}/types.yaml"), &types(1, "usb"));
    }
    repository.commit("one");
    repository.write("west/types.yaml", &types(2, "usb"));
    assert_eq!(rows(&repository, &[]), ["west/a: none"]);
    // The other one too, and a preference.
    repository
        .write("west/types.yaml", &types(1, "usb"))
        .write("east/types.yaml", &types(1, "virtio"));
    assert_eq!(rows(&repository, &[]), ["east/a: none"]);
    // One path given alone sees as much.
    assert_eq!(rows(&repository, &["east"]), ["east/a: none"]);
    assert_eq!(rows(&repository, &["west"]), [""; 0]);
}

#[test]
fn a_type_that_no_target_holds_reaches_every_target_that_has_none_of_its_own() {
    let repository = Repository::new();
    repository
        .write("driftless.yaml", TARGETS)
        .write("types.yaml", &types(1, "usb"))
        .write("west/types.yaml", &types(4, "usb"));
    for target in ["east", "west"] {
        repository.write(&format!("{target}/vm.yaml"), &typed("a"));
    }
    repository.commit("one");
    repository.write("types.yaml", &types(2, "usb"));
    assert_eq!(rows(&repository, &[]), ["east/a: none"]);
    repository.remove("west/types.yaml");
    let both = ["east/a: none", "west/a: none"];
    assert_eq!(rows(&repository, &[]), both);
}

#[test]
fn a_target_sees_what_its_kustomization_or_the_context_names_of_another() {
    let by_kustomization = "resources: [vm.yaml, ../west/types]\n";
    for (kustomization, context) in [(Some(by_kustomization), false), (None, true)] {
        let repository = Repository::new();
        let settings = if context {
            format!("{TARGETS}context: [west/types]\n")
        } else {
            TARGETS.to_owned()
        };
        repository
            .write("driftless.yaml", &settings)
            .write("east/vm.yaml", &typed("a"))
            .write("west/vm.yaml", &vm("b", "1Gi"))
            .write("west/types/types.yaml", &types(1, "usb"));
        if let Some(kustomization) = kustomization {
            repository
                .write("east/kustomization.yaml", kustomization)
                .write("west/types/kustomization.yaml", "resources: [types.yaml]\n");
        }
        repository.commit("one");
        repository.write("west/types/types.yaml", &types(2, "usb"));
        assert_eq!(
            rows(&repository, &[]),
            ["east/a: none"],
            "{kustomization:?}"
        );
    }
}

#[test]
fn a_target_sees_nothing_of_another_that_the_context_only_encloses() {
    let repository = Repository::new();
    repository
        .write("driftless.yaml", TARGETS)
        .write("east/vm.yaml", &typed("a"))
        .write("west/types.yaml", &types(1, "usb"))
        .commit("one");
    repository.write("west/types.yaml", &types(2, "usb"));
    assert_eq!(rows(&repository, &["east", "--context", "."]), [""; 0]);
}

#[test]
fn check_keeps_targets_apart() {
    let repository = Repository::new();
    let mac = |name: &str| {
        vm(name, "2Gi").replace(
            "masquerade: {}",
            "masquerade: {}, macAddress: \"02:00:00:00:00:01\"",
        )
    };
    repository.write("driftless.yaml", TARGETS);
    for (target, guest) in [("east", 1), ("west", 2)] {
        repository
            .write(&format!("{target}/vm.yaml"), &mac("a"))
            .write(&format!("{target}/types.yaml"), &types(guest, "usb"));
    }
    // Only one of them has what `b` names.
    repository
        .write(
            "east/b.yaml",
            &typed("b").replace("name: it", "name: eastern"),
        )
        .write(
            "west/b.yaml",
            &typed("b").replace("name: it", "name: eastern"),
        )
        .write(
            "east/eastern.yaml",
            &types(3, "usb")
                .replace("name: it", "name: eastern")
                .replace("name: linux", "name: other"),
        );
    let check = || {
        let run = repository.run(&["check", "--format", "json"]);
        let found = run.json();
        let findings = found["findings"].as_array().unwrap().iter();
        findings
            .filter(|finding| finding["rule"] != "implicit-default-network")
            .map(|finding| {
                format!(
                    "{} {}",
                    finding["start"]["file"]
                        .as_str()
                        .or(finding["file"].as_str())
                        .unwrap_or_default(),
                    finding["rule"].as_str().unwrap()
                )
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(check(), ["west/b.yaml unresolved-instancetype"]);
    // Within a target both are told.
    repository
        .write("west/copy.yaml", &mac("copy"))
        .write("west/again.yaml", &types(7, "usb"));
    let found = check();
    assert!(
        found
            .iter()
            .any(|found| found.ends_with("duplicate-resource")),
        "{found:?}"
    );
    assert!(
        found
            .iter()
            .any(|found| found.ends_with("duplicate-mac-address")),
        "{found:?}"
    );
    assert!(
        found.iter().all(|found| found.starts_with("west/")),
        "{found:?}"
    );
}

#[test]
fn the_namespace_of_a_target_tells_its_duplicates() {
    let repository = Repository::new();
    let claim = |namespace: &str, size: &str| {
        format!(
            "apiVersion: cdi.kubevirt.io/v1beta1\nkind: DataVolume\nmetadata: {{name: d{namespace}}}\nspec: {{source: {{blank: {{}}}}, storage: {{resources: {{requests: {{storage: {size}}}}}}}}}\n"
        )
    };
    repository
        .write(
            "driftless.yaml",
            "targets:\n- {name: west, paths: [west], namespace: prod, kubevirt: \"1.9\"}\n",
        )
        .write("west/a.yaml", &claim("", "1Gi"))
        .write("west/b.yaml", &claim(", namespace: prod", "2Gi"));
    let run = repository.run(&["check", "--format", "json"]);
    assert!(run.out.contains("duplicate-resource"), "{}", run.out);
    repository.write("west/b.yaml", &claim(", namespace: default", "2Gi"));
    let run = repository.run(&["check", "--format", "json"]);
    assert!(!run.out.contains("duplicate-resource"), "{}", run.out);
}

/// A base outside of both targets, with the VM `a`, and an overlay in each.
fn overlaid() -> Repository {
    let repository = Repository::new();
    repository
        .write("driftless.yaml", TARGETS)
        .write(
            "base/kustomization.yaml",
            "resources: [vm.yaml, types.yaml]\n",
        )
        .write("base/vm.yaml", &typed("a"))
        .write("base/types.yaml", &types(1, "usb"));
    for target in ["east", "west"] {
        repository
            .write(&format!("{target}/own.yaml"), &typed("own"))
            .write(
                &format!("{target}/kustomization.yaml"),
                "resources: [../base, own.yaml]\n",
            );
    }
    repository.commit("one");
    repository
}

#[test]
fn a_base_of_overlays_in_targets_is_not_judged_as_it_is_written() {
    let repository = overlaid();
    let edited = typed("a").replace("bus: virtio", "bus: sata");
    repository.write("base/vm.yaml", &edited);
    let plan = repository.plan(&["--base", "main"]);
    assert_eq!(actions(&plan), [""; 0]);
    assert_eq!(unjudged(&plan), ["base/vm.yaml VirtualMachine"]);
    let reason = reason_for(&plan, "base/vm.yaml");
    assert!(reason.contains("`a` (east, west)"), "{reason}");
    let text = repository.run(&["plan", "--base", "main", "--fail-on", "unknown"]);
    assert_eq!(text.code, 1);
    assert!(
        !text.out.contains("touches no virtual machine"),
        "{}",
        text.out
    );
    // Neither is one that comes or goes.
    repository.write("base/vm.yaml", &format!("{edited}---\n{}", vm("b", "1Gi")));
    repository.commit("two").remove("base/vm.yaml");
    let plan = repository.plan(&["--base", "HEAD"]);
    assert_eq!(actions(&plan), [""; 0]);
    assert!(
        unjudged(&plan).contains(&"base/vm.yaml VirtualMachine".to_owned()),
        "{plan:#}"
    );
}

#[test]
fn a_type_of_a_base_reaches_the_machines_of_its_overlays_and_leaves_those_of_the_base_unjudged() {
    let repository = overlaid();
    repository.write("base/types.yaml", &types(2, "usb"));
    assert_eq!(rows(&repository, &[]), ["east/own: none", "west/own: none"]);
    let plan = repository.plan(&["--base", "main"]);
    assert_eq!(unjudged(&plan), ["base/types.yaml"]);
    // Nothing of the base is for a cluster, so nothing has to be assumed of one.
    let run = repository.run(&["plan", "--base", "main"]);
    assert!(!run.err.contains("assuming"), "{}", run.err);
    assert!(!run.out.contains("assumed: `--kubevirt`"), "{}", run.out);
}

#[test]
fn a_base_without_a_target_above_it_is_judged_as_ever() {
    let repository = Repository::new();
    repository
        .write("driftless.yaml", TARGETS)
        .write("base/kustomization.yaml", "resources: [vm.yaml]\n")
        .write("base/vm.yaml", &vm("a", "2Gi"))
        .write("other/kustomization.yaml", "resources: [../base]\n")
        .write("east/vm.yaml", &vm("b", "2Gi"))
        .commit("one");
    repository.write(
        "base/vm.yaml",
        &vm("a", "2Gi").replace("bus: virtio", "bus: sata"),
    );
    assert_eq!(rows(&repository, &[]), ["/a: restart"]);
}

#[test]
fn a_base_is_told_of_where_an_aggregate_stands_above_its_overlays() {
    let repository = overlaid();
    repository
        .write("kustomization.yaml", "resources: [east, west]\n")
        .commit("two");
    repository.write(
        "base/vm.yaml",
        &typed("a").replace("bus: virtio", "bus: sata"),
    );
    let plan = repository.plan(&["--base", "HEAD"]);
    assert_eq!(actions(&plan), [""; 0]);
    assert_eq!(unjudged(&plan), ["base/vm.yaml VirtualMachine"]);
}

#[test]
fn an_upgrade_preview_tells_what_overlays_make_of_as_not_judged() {
    let repository = overlaid();
    repository.write(
        "base/vm.yaml",
        &typed("a").replace("name: it", "name: it, revisionName: rev"),
    );
    repository.write("base/types.yaml", &format!("{}---\napiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {{name: rev, namespace: vms}}\nrevision: 1\ndata: {{apiVersion: instancetype.kubevirt.io/v1alpha2, kind: VirtualMachineClusterInstancetype, metadata: {{name: it}}, spec: {{cpu: {{guest: 1}}, memory: {{guest: 2Gi}}}}}}\n", types(1, "usb")));
    let run = repository.run(&[
        "plan",
        "--kubevirt-from",
        "1.6",
        "--kubevirt-to",
        "1.7",
        "--format",
        "json",
    ]);
    let plan = run.json();
    assert_eq!(actions(&plan), [""; 0]);
    // The revision it is pinned to is what the new release cannot read.
    assert_eq!(unjudged(&plan), ["base/types.yaml"]);
}
