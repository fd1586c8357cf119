//! A revision name that leads nowhere.

use crate::cause::Cause;
use crate::rules::revisions::pin::{State, pins};
use crate::rules::{Context, Findings, Vm};

rule! {
    /// ## What it does
    ///
    /// Reports a `revisionName` whose ControllerRevision is not in the tree, where the tree is declared complete.
    ///
    /// ## Why it matters
    ///
    /// A named revision wins over everything else. Where it is missing, the VM neither starts nor is synced: the controller
    /// answers `controllerrevisions.apps "…" not found`. It happens to VMs restored into a new cluster without their revisions.
    ///
    /// ## Example
    ///
    /// ```yaml,bad,complete
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
    /// ```
    ///
    /// ```text
    /// spec.instancetype.revisionName: there is no ControllerRevision `web-small-1`
    /// ```
    ///
    /// ```yaml,good,complete
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
    /// Where the tree is not declared complete (`complete: true`), the name is `revision-name-in-spec` instead.
    "dangling-revision": "the matcher names a revision that does not exist",
    level: Error,
    check: Vm(check),
}

fn check(vm: &Vm<'_>, context: &Context<'_>, findings: &mut Findings) {
    let target = context.target;
    for pin in pins(vm) {
        if matches!(pin.state, State::Missing)
            && target.holds("ControllerRevision", Some(vm.namespace), &pin.name)
        {
            findings
                .report(
                    vm.resource,
                    pin.field,
                    format!("there is no ControllerRevision `{}`", pin.name),
                )
                .kubevirt(Cause::new(
                    "",
                    format!("controllerrevisions.apps \"{}\" not found", pin.name),
                ))
                .help("remove the name, or add the revision");
        }
    }
}
