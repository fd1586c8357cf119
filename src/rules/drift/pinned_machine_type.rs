//! A machine type with a version in it.

use crate::rules::{Context, Findings, Vm};

rule! {
    /// ## What it does
    ///
    /// Reports a machine type such as `pc-q35-rhel9.4.0` where `q35` would follow the cluster.
    ///
    /// ## Why it matters
    ///
    /// A pinned machine type is refused or unschedulable once the cluster's QEMU no longer has it, and changing it is a change of
    /// the guest's hardware that needs a restart. It is usually a value that the cluster filled in and an export kept.
    ///
    /// ## Example
    ///
    /// ```yaml,bad,strict
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         machine:
    ///           type: pc-q35-9.2
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.machine.type: `pc-q35-9.2` pins one version of the machine type
    /// ```
    ///
    /// ```yaml,good,strict
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         machine:
    ///           type: q35
    /// ```
    ///
    /// ## Limits
    ///
    /// Off unless `profile: strict` or a level turns it on: pinning is right for guests that must not see new hardware.
    "pinned-machine-type": "the machine type is pinned to one version",
    level: Off,
    strict: Note,
    check: Vm(check),
}

fn check(vm: &Vm<'_>, _: &Context<'_>, findings: &mut Findings) {
    const PATH: &str = "spec.template.spec.domain.machine.type";
    let machine = vm.decoded.node.str_at(PATH);
    let alias = [
        ("pc-q35-", "q35"),
        ("pc-i440fx-", "pc"),
        ("s390-ccw-virtio-", "s390-ccw-virtio"),
        ("virt-", "virt"),
    ]
    .into_iter()
    .find(|(prefix, _)| machine.starts_with(prefix));
    if let Some((_, alias)) = alias {
        findings
            .report(vm.resource, PATH, format!("`{machine}` pins one version of the machine type"))
            .help(format!("write `{alias}` to follow the cluster; the guest sees new hardware at its next start"));
    }
}
