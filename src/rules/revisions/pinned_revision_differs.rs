//! A pinned revision that says something else than the tree.

use crate::field_path::FieldPath;
use crate::finding::Location;
use crate::rules::revisions::pin::{State, pins};
use crate::rules::{Context, Findings, Vm};

rule! {
    /// ## What it does
    ///
    /// Reports a VM whose revision, named in the matcher or in an exported `status`, holds another spec than the instance type
    /// or preference of that name in the tree, and names the fields that differ.
    ///
    /// ## Why it matters
    ///
    /// The revision wins: what Git says about the instance type has no effect on this VM. A new VM, or this one without its
    /// revision, gets other hardware.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: web}
    /// spec:
    ///   runStrategy: Always
    ///   instancetype:
    ///     name: small
    ///     kind: VirtualMachineInstancetype
    ///     revisionName: web-small-1
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    /// ---
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachineInstancetype
    /// metadata: {name: small}
    /// spec: {cpu: {guest: 2}, memory: {guest: 1Gi}}
    /// ---
    /// apiVersion: apps/v1
    /// kind: ControllerRevision
    /// metadata:
    ///   name: web-small-1
    ///   labels: {instancetype.kubevirt.io/object-name: small}
    /// data:
    ///   apiVersion: instancetype.kubevirt.io/v1beta1
    ///   kind: VirtualMachineInstancetype
    ///   metadata: {name: small}
    ///   spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
    /// revision: 0
    /// ```
    ///
    /// ```text
    /// spec.instancetype.revisionName: the revision pins another `small` than the tree has: `cpu.guest`
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: web}
    /// spec:
    ///   runStrategy: Always
    ///   instancetype:
    ///     name: small
    ///     kind: VirtualMachineInstancetype
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    /// ---
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachineInstancetype
    /// metadata: {name: small}
    /// spec: {cpu: {guest: 2}, memory: {guest: 1Gi}}
    /// ```
    ///
    /// ## Limits
    ///
    /// The rule compares what KubeVirt would use, not the text: equal quantities and defaults do not differ.
    "pinned-revision-differs": "the pinned revision differs from the instance type or preference in the tree",
    level: Warning,
    check: Vm(check),
}

fn check(vm: &Vm<'_>, _: &Context<'_>, findings: &mut Findings) {
    for pin in pins(vm) {
        let State::Differs(revision, fields) = &pin.state else {
            continue;
        };
        let names: Vec<String> = fields
            .iter()
            .take(3)
            .map(|field| format!("`{field}`"))
            .collect();
        let more = match fields.len().saturating_sub(3) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let place = Location::at(revision, &FieldPath::parse("metadata.name"));
        findings
            .report(
                vm.resource,
                pin.field.clone(),
                format!("the revision pins another `{}` than the tree has: {}{more}", pin.object, names.join(", ")),
            )
            .help("remove the name to take what the tree says, at the next start; keep it to keep the hardware")
            .related(place.note("the revision"));
    }
}
