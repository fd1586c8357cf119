//! What the cluster refuses or drops before KubeVirt acts (PL15, PL18), and what an update takes for granted (PL11).

use driftless::plan::{Action, Rejection};

use crate::support::{blames, change, says};

const VM: &str = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web, namespace: vms}\nspec:\n  runStrategy: Always\n  template:\n    spec:\n      domain: {devices: {}, cpu: {sockets: 1, cores: 1, threads: 1}, memory: {guest: 2Gi}}\n";

#[test]
fn pl15_a_version_that_is_not_served_is_refused() {
    let old = VM.replace("kubevirt.io/v1\n", "kubevirt.io/v1alpha2\n");
    let more = old.replace("2Gi", "4Gi");
    for (base, head) in [
        (VM, more.as_str()),
        (&old, more.as_str()),
        ("", old.as_str()),
    ] {
        let plan = change(base, head).vm();
        assert_eq!(plan.action, Action::Rejected);
        assert_eq!(plan.rejected, Some(Rejection::Admission));
        assert!(blames(&plan, "apiVersion"), "{:#?}", plan.reasons);
    }
    let v1alpha3 = VM.replace("kubevirt.io/v1\n", "kubevirt.io/v1alpha3\n");
    assert_eq!(
        change(VM, &v1alpha3.replace("2Gi", "4Gi")).action(),
        Action::Live
    );
}

#[test]
fn pl18_an_edit_that_the_cluster_drops_is_told() {
    let misplaced = format!("{VM}  tolerations: [{{key: a, operator: Exists}}]\n");
    let plan = change(VM, &misplaced).vm();
    assert_eq!(plan.action, Action::None, "{:#?}", plan.reasons);
    assert!(blames(&plan, "spec.tolerations"), "{:#?}", plan.reasons);
    assert!(says(&plan, "the edit does nothing"));
    // One that was there before is no edit.
    let plan = change(&misplaced, &misplaced.replace("2Gi", "4Gi")).vm();
    assert!(!says(&plan, "the edit does nothing"));
}

#[test]
fn pl11_what_a_migration_carries_out_takes_its_method_for_granted() {
    let words = "taken to hold `LiveMigrate`";
    assert!(says(&change(VM, &VM.replace("2Gi", "4Gi")).vm(), words));
    assert!(says(
        &change(VM, &VM.replace("sockets: 1", "sockets: 2")).vm(),
        words
    ));
    let selector = format!("{VM}      nodeSelector: {{a: b}}\n");
    assert!(!says(&change(VM, &selector).vm(), words));
}
