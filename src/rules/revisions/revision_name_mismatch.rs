//! A revision of another object than the matcher names.

use crate::field_path::FieldPath;
use crate::finding::Location;
use crate::rules::revisions::pin::{State, pins};
use crate::rules::{Context, Findings, Vm};

rule! {
    /// ## What it does
    ///
    /// Reports a matcher whose `revisionName` leads to a revision of an object with another name.
    ///
    /// ## Why it matters
    ///
    /// The revision wins and `name` is ignored: the VM runs on the old instance type although Git names a new one. This
    /// happens when someone changes `name` but not `revisionName`.
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
    /// spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
    /// ---
    /// apiVersion: apps/v1
    /// kind: ControllerRevision
    /// metadata:
    ///   name: web-small-1
    ///   labels: {instancetype.kubevirt.io/object-name: large}
    /// data:
    ///   apiVersion: instancetype.kubevirt.io/v1beta1
    ///   kind: VirtualMachineInstancetype
    ///   metadata: {name: large}
    ///   spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
    /// revision: 0
    /// ```
    ///
    /// ```text
    /// spec.instancetype.revisionName: the revision is one of `large`, so `name: small` is ignored
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
    /// spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
    /// ```
    ///
    /// ## Limits
    ///
    /// The rule reads the revision's label `instancetype.kubevirt.io/object-name`; a revision without it is not judged.
    "revision-name-mismatch": "the pinned revision belongs to another object than the matcher names",
    level: Warning,
    check: Vm(check),
}

fn check(vm: &Vm<'_>, _: &Context<'_>, findings: &mut Findings) {
    for pin in pins(vm) {
        let State::Foreign(revision, held) = pin.state else {
            continue;
        };
        findings
            .report(
                vm.resource,
                pin.field.clone(),
                format!(
                    "the revision is one of `{held}`, so `name: {}` is ignored",
                    pin.object
                ),
            )
            .help("remove `revisionName` together with the change of `name`")
            .related(
                Location::at(revision, &FieldPath::parse("metadata.name")).note("the revision"),
            );
    }
}
