//! What is stored beside what Git says: an apply merges, a replace does not (AD12 to AD16).

use driftless::plan::{Action, Rejection};
use serde_json::json;

use crate::support::{Change, change, files, says};

/// A VM with these lines in the template's spec, and these in the VM's.
fn vm(spec: &str, domain: &str, beside: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: web, namespace: vms}}\nspec:\n  runStrategy: Always\n  {spec}\n  template:\n    spec:\n      {beside}\n      domain:\n        devices: {{disks: [{{name: root, disk: {{bus: virtio}}}}]}}\n        {domain}\n      volumes: [{{name: root, containerDisk: {{image: \"quay.io/x/y:1\"}}}}]\n"
    )
}

const MEMORY: &str = "memory: {guest: 2Gi}";

fn preference(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterPreference\nmetadata: {{name: {name}}}\nspec: {spec}\n"
    )
}

/// AD12: the machine type that was stored at creation stays, and does not fit the architecture that comes.
#[test]
fn what_was_stored_at_creation_stays_under_apply() {
    let arm = vm("", MEMORY, "architecture: arm64");
    let applied = change(&vm("", MEMORY, ""), &arm).with(json!({})).vm();
    assert_eq!(applied.action, Action::Rejected, "{:?}", applied.reasons);
    assert_eq!(applied.rejected, Some(Rejection::Admission));
    let replaced = change(&vm("", MEMORY, ""), &arm)
        .with(json!({}))
        .replaced()
        .vm();
    assert_eq!(replaced.action, Action::Restart, "{:?}", replaced.reasons);
}

/// The plan of a VM of which the sides differ, beside other files that they share.
fn beside(shared: &[(&str, &str)], base: &str, head: &str) -> Change {
    let side = |vm| {
        let mut files = vec![("vm.yaml", vm)];
        files.extend(shared);
        files
    };
    files(&side(base), &side(head))
}

/// AD12: the machine type that a preference gave at creation stays; another preference changes nothing.
#[test]
fn another_preferred_machine_type_changes_nothing() {
    let of = |name: &str| vm(&format!("preference: {{name: {name}}}"), MEMORY, "");
    let first = preference(
        "first",
        "{machine: {preferredMachineType: pc-q35-rhel9.4.0}}",
    );
    let second = preference("second", "{machine: {preferredMachineType: q35}}");
    let shared = [("a.yaml", first.as_str()), ("b.yaml", second.as_str())];
    let plan = || beside(&shared, &of("first"), &of("second"));
    let applied = plan().vm();
    assert_eq!(applied.action, Action::None, "{:?}", applied.reasons);
    let field = "`spec.template.spec.domain.machine.type`";
    assert!(says(&applied, field), "{:?}", applied.assumptions);
    assert!(says(&applied, "`--apply replace`"));
    let replaced = plan().replaced().vm();
    assert_eq!(replaced.action, Action::Restart, "{:?}", replaced.reasons);
    assert!(!says(&replaced, "--apply"));
}

/// AD13: `inferFromVolume` in Git meets the name that was stored in its place: every later apply is refused.
#[test]
fn a_matcher_that_infers_is_refused_on_the_next_apply() {
    let of = |grace: &str| {
        let vm = vm("preference: {inferFromVolume: data}", MEMORY, grace);
        let data = "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}, ";
        vm.replace("volumes: [", data)
    };
    let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: vms, labels: {instancetype.kubevirt.io/default-preference: first}}\n";
    let first = preference("first", "{}");
    let shared = [("claim.yaml", claim), ("p.yaml", first.as_str())];
    let plan = || beside(&shared, &of(""), &of("terminationGracePeriodSeconds: 5"));
    let applied = plan().vm();
    assert_eq!(applied.action, Action::Rejected, "{:?}", applied.reasons);
    assert!(
        says(&applied, "should not be provided") || says(&applied, "already set"),
        "{:?}",
        applied.reasons
    );
    assert_eq!(plan().replaced().vm().action, Action::Restart);
}

/// AD14: the guest was started without a count of sockets, for which the controller's patch tests.
#[test]
fn sockets_where_none_were_written_fail_every_sync() {
    let of = |cpu: &str| vm("", &format!("{MEMORY}\n        cpu: {{{cpu}}}"), "");
    let added = change(
        &of("cores: 2, maxSockets: 8"),
        &of("cores: 2, maxSockets: 8, sockets: 2"),
    )
    .vm();
    assert_eq!(added.action, Action::Rejected, "{:?}", added.reasons);
    assert_eq!(added.rejected, Some(Rejection::Sync));
    assert!(says(
        &added,
        "testing value /spec/domain/cpu/sockets failed"
    ));
    let raised = change(
        &of("cores: 2, maxSockets: 8, sockets: 1"),
        &of("cores: 2, maxSockets: 8, sockets: 2"),
    );
    assert_eq!(raised.action(), Action::Live);
}

/// AD15: an empty serial overwrites the one that was made at random.
#[test]
fn an_empty_serial_takes_the_stored_one_away() {
    let of = |firmware: &str| {
        vm(
            "",
            &format!("{MEMORY}\n        firmware: {{{firmware}}}"),
            "",
        )
    };
    let (base, head) = (
        of("bootloader: {bios: {}}"),
        of("bootloader: {bios: {}}, serial: \"\""),
    );
    assert_eq!(change(&base, &head).action(), Action::Restart);
    assert_eq!(change(&base, &head).replaced().action(), Action::None);
    assert_eq!(change(&base, &base).action(), Action::None);
}

/// AD16: an empty strategy is admitted, and no strategy that the controller knows.
#[test]
fn an_empty_volume_strategy_fails_every_sync() {
    let added = change(
        &vm("", MEMORY, ""),
        &vm("updateVolumesStrategy: \"\"", MEMORY, ""),
    )
    .vm();
    assert_eq!(added.action, Action::Rejected, "{:?}", added.reasons);
    assert_eq!(added.rejected, Some(Rejection::Sync));
    assert!(says(&added, "updateVolumes strategy not recognized"));
    let known = vm("updateVolumesStrategy: Replacement", MEMORY, "");
    assert_eq!(change(&vm("", MEMORY, ""), &known).action(), Action::None);
}

/// AD02: an apply that the API server refuses for its metadata is no change without effect.
#[test]
fn metadata_that_is_refused_is_rejected() {
    let base = vm("", MEMORY, "");
    let head = base.replace("namespace: vms", "namespace: vms, labels: {a: \"b c\"}");
    let refused = change(&base, &head).vm();
    assert_eq!(refused.action, Action::Rejected, "{:?}", refused.reasons);
    let head = base.replace("namespace: vms", "namespace: vms, labels: {a: b-c}");
    assert_eq!(change(&base, &head).action(), Action::None);
}
