//! One test a form of stored revision and a way to upgrade it. Past 500 lines because the cases share one set of builders.

use base64::Engine as _;
use serde_json::{Value as Json, json};

use super::*;
use crate::catalog::Catalog;
use crate::config::Target;
use crate::transform::expand::expand;

const UID: &str = "aaaaaaaa-0000-4000-8000-000000000001";

fn vm(name: &str, revision: &str) -> Json {
    json!({
        "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": "vms", "uid": format!("uid-of-{name}")},
        "spec": {
            "instancetype": {"kind": "VirtualMachineInstancetype", "name": "small", "revisionName": revision},
            "template": {"spec": {"domain": {"devices": {}}}},
        },
    })
}

fn revision(name: &str, version: &str) -> Json {
    json!({
        "apiVersion": "apps/v1", "kind": "ControllerRevision",
        "metadata": {"name": name, "namespace": "vms"},
        "data": {
            "apiVersion": format!("instancetype.kubevirt.io/{version}"), "kind": "VirtualMachineInstancetype",
            "metadata": {"name": "small", "namespace": "vms", "uid": UID, "generation": 1, "labels": {"a": "b"}},
            "spec": {"cpu": {"guest": 2}, "memory": {"guest": "1Gi"}},
        },
        "revision": 0,
    })
}

fn upgraded_name(vm: &str) -> String {
    format!("{vm}-small-v1beta1-{UID}-1")
}

fn judged<'a, 'r>(catalog: &'a Catalog, resolver: &'r Resolver<'a>) -> Vec<ToUpgrade<'a, 'r>> {
    let resources = catalog.resources().iter();
    resources.map(|resource| (resolver, resource)).collect()
}

fn catalog(objects: &[Json]) -> Catalog {
    let resources = objects.iter().map(|object| {
        Resource::from_node(Node::from_json(object), None, 0, FieldPath::root()).unwrap()
    });
    Catalog::new(resources.collect())
}

/// What an upgrade does, in a shape that is easy to compare.
struct UpgradeOutcome {
    created: Vec<Json>,
    changed: Vec<Json>,
    removed: Vec<String>,
    rows: Vec<UpgradeRow>,
    remarks: Vec<String>,
    blocked: bool,
}

impl UpgradeOutcome {
    fn messages(&self) -> String {
        self.remarks.join("\n")
    }
}

fn run(objects: &[Json], options: Options) -> UpgradeOutcome {
    let catalog = catalog(objects);
    let target = Target::default();
    let resolver = Resolver::new(&target, vec![&catalog]);
    let done = upgrade(&judged(&catalog, &resolver), options);
    UpgradeOutcome {
        created: done.created.iter().map(|one| one.node.to_json()).collect(),
        changed: done.changed.iter().map(|one| one.node.to_json()).collect(),
        removed: done
            .removed
            .iter()
            .map(|one| one.id.name.to_string())
            .collect(),
        blocked: done.is_blocked(),
        rows: done.rows,
        remarks: done
            .remarks
            .iter()
            .map(|remark| format!("{}: {}", remark.severity, remark.message))
            .collect(),
    }
}

/// The tree after an upgrade.
fn after(objects: &[Json], outcome: &UpgradeOutcome) -> Vec<Json> {
    let name = |object: &Json| (object["kind"].clone(), object["metadata"]["name"].clone());
    let mut tree: Vec<Json> = objects
        .iter()
        .filter(|object| {
            object["kind"] != "ControllerRevision"
                || !outcome
                    .removed
                    .iter()
                    .any(|gone| object["metadata"]["name"] == **gone)
        })
        .map(|object| {
            let changed = outcome.changed.iter().find(|one| name(one) == name(object));
            changed.unwrap_or(object).clone()
        })
        .collect();
    tree.extend(outcome.created.iter().cloned());
    tree
}

fn plain(objects: &[Json]) -> UpgradeOutcome {
    run(objects, Options::default())
}

fn pruned(objects: &[Json]) -> UpgradeOutcome {
    run(
        objects,
        Options {
            prune: true,
            ..Options::default()
        },
    )
}

/// D01: a bare spec becomes a whole object under the name its VM knows it by.
#[test]
fn a_bare_spec_takes_the_name_the_matcher_gives_it() {
    let spec = base64::engine::general_purpose::STANDARD
        .encode(r#"{"cpu":{"guest":2},"memory":{"guest":"1Gi"}}"#);
    let mut old = revision("old", "v1alpha1");
    old["data"] = json!({"apiVersion": "", "spec": spec});
    let objects = [vm("web", "old"), old];
    let outcome = plain(&objects);
    assert_eq!(
        outcome.created[0]["metadata"]["name"],
        "web-small-v1beta1--0"
    );
    assert_eq!(
        outcome.created[0]["metadata"]["labels"]["instancetype.kubevirt.io/object-name"],
        "small"
    );
    assert_eq!(
        outcome.changed[0]["spec"]["instancetype"]["revisionName"],
        "web-small-v1beta1--0"
    );
    let literal = run(
        &objects,
        Options {
            bug_compatible: true,
            ..Options::default()
        },
    );
    assert_eq!(
        literal.created[0]["metadata"]["name"],
        "web-old-version-of-instancetype-object-v1beta1--0"
    );
}

/// D03: a VM with its own cpu model stays free of conflicts.
#[test]
fn a_vm_with_its_own_cpu_model_does_not_start_to_conflict() {
    let mut own_model = vm("web", "old");
    own_model["spec"]["template"]["spec"]["domain"]["cpu"] = json!({"model": "Haswell"});
    let objects = [own_model, revision("old", "v1alpha2")];
    for (bug_compatible, expands) in [(false, true), (true, false)] {
        let outcome = run(
            &objects,
            Options {
                bug_compatible,
                prune: false,
            },
        );
        assert_eq!(outcome.rows[0].meaning.is_empty(), !bug_compatible);
        let catalog = catalog(&after(&objects, &outcome));
        let target = Target::default();
        let resolver = Resolver::new(&target, vec![&catalog]);
        let expanded = expand(&catalog.resources()[0].node, "vms", &resolver);
        assert_eq!(expanded.is_ok(), expands, "{expanded:?}");
    }
}

/// D04: the version is what the data says; a label that claims more is an error of its own.
#[test]
fn a_label_that_lies_about_the_version_is_said() {
    let mut old = revision("old", "v1alpha2");
    let outcome = plain(&[vm("web", "old"), old.clone()]);
    let labels: Vec<_> = outcome.created[0]["metadata"]["labels"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(labels.len(), 5, "{labels:?}");

    old["metadata"]["labels"] = json!({"instancetype.kubevirt.io/object-version": "v1beta1"});
    let outcome = plain(&[vm("web", "old"), old.clone()]);
    assert!(outcome.blocked && outcome.created.is_empty() && outcome.changed.is_empty());
    assert!(
        outcome
            .messages()
            .contains("the label of revision `old` says v1beta1, and its data is v1alpha2"),
        "{}",
        outcome.messages()
    );

    let same = Options {
        bug_compatible: true,
        ..Options::default()
    };
    let outcome = run(&[vm("web", "old"), old.clone()], same);
    assert!(!outcome.blocked && outcome.created.is_empty() && outcome.changed.is_empty());
    assert!(outcome.messages().contains(
        "labelled v1beta1 and stores v1alpha2: KubeVirt goes by the label and leaves it"
    ));

    old["metadata"]["labels"] = json!({"instancetype.kubevirt.io/object-version": "v1alpha1"});
    let outcome = plain(&[vm("web", "old"), old]);
    assert!(!outcome.blocked && outcome.created.len() == 1);
    assert!(outcome.messages().contains("the data counts"));
}

/// D05: the new name, and every pointer to the old one rewritten in the same output; the old revision stays.
#[test]
fn names_and_pointers_move_together() {
    let old = format!("web-small-{UID}-1");
    let mut web = vm("web", &old);
    web["status"] =
        json!({"instancetypeRef": {"name": "small", "controllerRevisionRef": {"name": old}}});
    let objects = [web, revision(&old, "v1alpha2")];
    let outcome = plain(&objects);
    let new = upgraded_name("web");
    assert_eq!(outcome.created[0]["metadata"]["name"], new.as_str());
    assert_eq!(outcome.created[0]["data"]["metadata"].get("labels"), None);
    let vm = &outcome.changed[0];
    assert_eq!(vm["spec"]["instancetype"]["revisionName"], new.as_str());
    assert_eq!(
        vm["status"]["instancetypeRef"]["controllerRevisionRef"]["name"],
        new.as_str()
    );
    assert!(outcome.removed.is_empty());
    assert_eq!(outcome.rows.len(), 1);
    assert_eq!(pruned(&objects).removed, [old.as_str()]);
}

/// D05: a name no API server takes is an error, and nothing is half done.
#[test]
fn a_name_too_long_is_an_error() {
    let long = "v".repeat(240);
    let outcome = pruned(&[vm(&long, "old"), revision("old", "v1alpha2")]);
    assert!(outcome.blocked && outcome.created.is_empty() && outcome.changed.is_empty());
    assert!(outcome.removed.is_empty());
    assert!(
        outcome
            .messages()
            .contains("characters, and 253 are allowed")
    );
    let outcome = plain(&[vm("Web", "old"), revision("old", "v1alpha2")]);
    assert!(
        outcome.messages().contains("is not a DNS subdomain"),
        "{}",
        outcome.messages()
    );
}

/// D06: the revision wins over a name that was changed beside it.
#[test]
fn a_name_that_the_revision_overrules_is_said() {
    let mut web = vm("web", "old");
    web["spec"]["instancetype"]["name"] = json!("large");
    let outcome = plain(&[web.clone(), revision("old", "v1alpha2")]);
    assert!(!outcome.blocked);
    assert!(
        outcome
            .messages()
            .contains("revision `old` stores `small`: the revision wins"),
        "{}",
        outcome.messages()
    );
    let mut current = revision("old", "v1beta1");
    current["metadata"]["labels"] = json!({
        "instancetype.kubevirt.io/object-version": "v1beta1", "instancetype.kubevirt.io/object-name": "small",
    });
    let outcome = plain(&[web, current]);
    assert!(outcome.messages().contains("the revision wins") && outcome.created.is_empty());
    for objects in [
        [vm("web", "old"), revision("old", "v1alpha2")],
        [vm("web", "current"), revision("current", "v1beta1")],
    ] {
        let quiet = plain(&objects);
        assert!(!quiet.messages().contains("the revision wins"));
    }
}

/// D07: a revision that is not in the tree.
#[test]
fn a_missing_revision_is_said_and_nothing_is_guessed() {
    let outcome = plain(&[vm("web", "gone")]);
    assert!(outcome.blocked && outcome.changed.is_empty());
    assert!(
        outcome
            .messages()
            .contains("warning: revision `gone` is not in this repository"),
        "{}",
        outcome.messages()
    );
    let outcome = plain(&[vm("web", &upgraded_name("web"))]);
    assert!(!outcome.blocked, "{}", outcome.messages());
}

/// D09: an owner is named only by uid, and revisions of others pass untouched, unless a VM names one.
#[test]
fn owners_by_uid_only_and_foreign_revisions_untouched() {
    let mut web = vm("web", "old");
    let outcome = plain(&[web.clone(), revision("old", "v1alpha2")]);
    assert_eq!(
        outcome.created[0]["metadata"]["ownerReferences"][0]["uid"],
        "uid-of-web"
    );
    web["metadata"].as_object_mut().unwrap().remove("uid");
    let outcome = plain(&[web, revision("old", "v1alpha2")]);
    assert_eq!(outcome.created[0]["metadata"].get("ownerReferences"), None);
    assert!(outcome.messages().contains("name no owner"));

    let mut start = revision("revision-start-vm-x-1", "v1alpha1");
    start["data"] = json!({"spec": {"template": {"spec": {"domain": {}}}}});
    let outcome = pruned(std::slice::from_ref(&start));
    assert!(outcome.created.is_empty() && outcome.removed.is_empty() && outcome.remarks.is_empty());
    let outcome = pruned(&[vm("web", "revision-start-vm-x-1"), start]);
    assert!(outcome.blocked && outcome.removed.is_empty());
    assert!(
        outcome
            .messages()
            .contains("names revision `revision-start-vm-x-1` as its instance type, and the revision does not store one"),
        "{}",
        outcome.messages()
    );
}

#[test]
fn two_vms_that_share_a_revision_get_one_each() {
    let objects = [vm("a", "old"), vm("b", "old"), revision("old", "v1alpha1")];
    let outcome = pruned(&objects);
    let names: Vec<_> = outcome
        .created
        .iter()
        .map(|one| one["metadata"]["name"].clone())
        .collect();
    assert_eq!(names, [upgraded_name("a"), upgraded_name("b")]);
    assert!(
        outcome
            .messages()
            .contains("shared with VirtualMachine vms/b")
    );
    assert_eq!(outcome.removed, ["old"]);

    // One that cannot move keeps the old revision.
    let long = "v".repeat(240);
    let outcome = pruned(&[
        vm("a", "old"),
        vm(&long, "old"),
        revision("old", "v1alpha1"),
    ]);
    assert_eq!((outcome.created.len(), outcome.removed.len()), (1, 0));
}

#[test]
fn a_reference_to_a_revision_of_another_kind_moves_nothing_of_the_vm() {
    let mut web = vm("web", "old");
    web["spec"]["preference"] = json!({"name": "small", "revisionName": "old"});
    let outcome = plain(&[web, revision("old", "v1alpha2")]);
    assert!(outcome.blocked && outcome.created.is_empty() && outcome.changed.is_empty());
    assert!(
        outcome
            .messages()
            .contains("stores an instance type, and the VM names it as its preference"),
        "{}",
        outcome.messages()
    );
}

#[test]
fn running_it_twice_changes_nothing() {
    let objects = [vm("web", "old"), revision("old", "v1alpha2")];
    for prune in [false, true] {
        let options = Options {
            prune,
            ..Options::default()
        };
        let once = run(&objects, options);
        let tree = after(&objects, &once);
        let twice = run(&tree, options);
        assert!(
            twice.created.is_empty() && twice.changed.is_empty() && twice.removed.is_empty(),
            "{}",
            twice.messages()
        );
        assert!(
            !twice.blocked && twice.remarks.is_empty(),
            "{}",
            twice.messages()
        );
        // What an earlier run left is pruned by a later one.
        assert_eq!(pruned(&tree).removed.len(), usize::from(!prune));
    }
}

#[test]
fn a_run_that_stopped_half_way_is_completed() {
    let objects = [vm("web", "old"), revision("old", "v1alpha2")];
    let once = plain(&objects);
    let mut half = objects.to_vec();
    half.extend(once.created.iter().cloned());
    let rest = plain(&half);
    assert!(rest.created.is_empty() && !rest.blocked);
    assert_eq!(rest.changed, once.changed);
    let by_kubevirt = "as KubeVirt's own upgrade wrote it";
    assert!(!rest.messages().contains(by_kubevirt), "it is ours");

    // KubeVirt's own upgrade may have been there.
    half[2]["data"]["spec"]["cpu"] = json!({"guest": 2, "model": "", "dedicatedCPUPlacement": false, "isolateEmulatorThread": false});
    let own = plain(&half);
    assert!(own.created.is_empty() && !own.blocked && own.changed == once.changed);
    assert!(own.messages().contains(by_kubevirt));
    let same = Options {
        bug_compatible: true,
        ..Options::default()
    };
    let asked = run(&half, same);
    assert!(!asked.blocked && !asked.messages().contains(by_kubevirt));

    half[2]["data"]["spec"]["cpu"]["guest"] = json!(9);
    let wrong = plain(&half);
    assert!(wrong.blocked && wrong.changed.is_empty());
    assert!(
        wrong
            .messages()
            .contains("already in this repository with other data")
    );
}

#[test]
fn a_revision_alone_says_whose_it_is_or_is_left() {
    let named = revision(&format!("web-small-{UID}-1"), "v1alpha2");
    let outcome = plain(std::slice::from_ref(&named));
    assert_eq!(
        outcome.created[0]["metadata"]["name"],
        upgraded_name("web").as_str()
    );
    let outcome = plain(&[revision("whose", "v1alpha2")]);
    assert!(outcome.blocked && outcome.created.is_empty());
    assert!(outcome.messages().contains("which VM it belongs to"));
}

#[test]
fn raw_objects_keep_their_meaning() {
    let object = json!({
        "apiVersion": "instancetype.kubevirt.io/v1alpha2", "kind": "VirtualMachineInstancetype",
        "metadata": {"name": "it", "namespace": "vms"},
        "spec": {
            "cpu": {"guest": 2, "isolateEmulatorThread": false}, "memory": {"guest": "1Gi"},
            "nodeSelector": {"a": "b"},
        },
    });
    let outcome = plain(&[object]);
    assert_eq!(
        outcome.changed[0],
        json!({
            "apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "VirtualMachineInstancetype",
            "metadata": {"name": "it", "namespace": "vms"},
            "spec": {"cpu": {"guest": 2}, "memory": {"guest": "1Gi"}},
        })
    );
    assert!(outcome.rows[0].meaning[0].contains("drops spec.nodeSelector"));
}

#[test]
fn an_old_vm_version_is_lifted() {
    let mut old = vm("web", "");
    old["apiVersion"] = json!("kubevirt.io/v1alpha3");
    let outcome = plain(&[old]);
    assert_eq!(outcome.changed[0]["apiVersion"], "kubevirt.io/v1");
}

fn preference(spec: &Json) -> Json {
    json!({
        "apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "VirtualMachinePreference",
        "metadata": {"name": "pr", "namespace": "vms"}, "spec": spec,
    })
}

fn user(firmware: &Json) -> Json {
    let mut vm = vm("web", "");
    vm["spec"].as_object_mut().unwrap().remove("instancetype");
    vm["spec"]["preference"] = json!({"kind": "VirtualMachinePreference", "name": "pr"});
    vm["spec"]["template"]["spec"]["domain"]["firmware"] = firmware.clone();
    vm
}

#[test]
fn deprecated_preference_fields_go_where_every_expansion_stays() {
    let old = preference(&json!({
        "cpu": {"preferredCPUTopology": "preferCores"}, "firmware": {"preferredUseEfi": true},
    }));
    let outcome = plain(&[old]);
    assert_eq!(
        outcome.changed[0]["spec"],
        json!({"cpu": {"preferredCPUTopology": "cores"}, "firmware": {"preferredEfi": {}}})
    );
    assert!(outcome.remarks.is_empty(), "{}", outcome.messages());

    for (before, after) in [
        ("preferSockets", "sockets"),
        ("preferCores", "cores"),
        ("preferThreads", "threads"),
        ("preferSpread", "spread"),
        ("preferAny", "any"),
    ] {
        let old = preference(&json!({"cpu": {"preferredCPUTopology": before}}));
        assert_eq!(
            plain(&[old]).changed[0]["spec"],
            json!({"cpu": {"preferredCPUTopology": after}})
        );
    }
    let today = preference(&json!({"cpu": {"preferredCPUTopology": "any"}}));
    assert!(plain(&[today]).changed.is_empty());

    let off = preference(&json!({"firmware": {"preferredUseEfi": false}}));
    assert_eq!(plain(&[off]).changed[0]["spec"], json!({"firmware": {}}));
}

#[test]
fn secure_boot_is_lifted_only_where_the_vms_here_prove_it() {
    let old =
        preference(&json!({"firmware": {"preferredUseEfi": true, "preferredUseSecureBoot": true}}));
    let alone = plain(std::slice::from_ref(&old));
    assert!(alone.changed.is_empty() && alone.messages().contains("with `efi: {}`"));
    let outcome = plain(&[old.clone(), user(&json!({}))]);
    assert_eq!(
        outcome.changed[0]["spec"],
        json!({"firmware": {"preferredEfi": {"secureBoot": true}}})
    );
    let outcome = plain(&[old, user(&json!({"bootloader": {"efi": {}}}))]);
    assert!(outcome.changed.is_empty());
    assert!(
        outcome
            .messages()
            .contains("VirtualMachine vms/web would change")
    );
}

#[test]
fn a_word_of_a_shell_is_quoted_where_it_must_be() {
    for (text, word) in [
        ("web-small_1.yaml", "web-small_1.yaml"),
        ("a/b:c=d@e%f+g,h", "a/b:c=d@e%f+g,h"),
        ("", "''"),
        ("a b", "'a b'"),
        ("$x", "'$x'"),
        ("it's", r"'it'\''s'"),
    ] {
        assert_eq!(shell_word(text), word);
    }
}

#[test]
fn a_revision_that_only_lacks_labels_gets_those_it_lacks() {
    let label = |name: &str| format!("instancetype.kubevirt.io/{name}");
    let mut bare = revision(&upgraded_name("web"), "v1beta1");
    bare["metadata"]["labels"] = json!({label("object-name"): "small", "own": "kept"});
    let outcome = plain(&[vm("web", &upgraded_name("web")), bare]);
    assert!(!outcome.blocked && outcome.created.is_empty());
    assert_eq!(
        outcome.changed[0]["metadata"]["labels"],
        json!({
            label("object-name"): "small", "own": "kept",
            label("object-generation"): "1",
            label("object-kind"): "VirtualMachineInstancetype",
            label("object-uid"): UID,
            label("object-version"): "v1beta1",
        })
    );
}
