//! A revision name that belongs to the cluster.

use crate::finding::{Applicability, FixAction};
use crate::rules::revisions::pin::{State, pins};
use crate::rules::{Context, Findings, Vm};

rule! {
    /// ## What it does
    ///
    /// Reports `revisionName` in a matcher where the revision is not in the tree, or is there and holds exactly what the instance
    /// type or preference in the tree says.
    ///
    /// ## Why it matters
    ///
    /// The controller made that name, from a UID of one cluster. From KubeVirt 1.5 on it keeps it in `status`; in `spec` it only
    /// makes Git and cluster differ, and in a new cluster it names nothing, so that the VM cannot start.
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
    ///     name: u1.small
    ///     revisionName: web-u1.small-v1beta1-00000000-0000-4000-8000-000000000001-1
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    /// ```
    ///
    /// ```text
    /// spec.instancetype.revisionName: `revisionName` pins `web-u1.small-v1beta1-00000000-0000-4000-8000-000000000001-1`, which is not in the tree
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: web}
    /// spec:
    ///   runStrategy: Always
    ///   instancetype:
    ///     name: u1.small
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    /// ```
    ///
    /// ## Fix safety
    ///
    /// Safe from KubeVirt 1.5 on: the pin stays in `status` while name and kind stay. Unsafe before: taking out a value that Git
    /// used to own makes the controller capture the instance type of today.
    ///
    /// ## Limits
    ///
    /// A revision in the tree that says something else is `pinned-revision-differs`; a missing one, where the tree is declared
    /// complete, `dangling-revision`.
    "revision-name-in-spec": "`revisionName` in Git pins a revision that the cluster made",
    level: Warning,
    check: Vm(check),
}

fn check(vm: &Vm<'_>, context: &Context<'_>, findings: &mut Findings) {
    for pin in pins(vm) {
        if pin.in_status {
            continue;
        }
        let message = match pin.state {
            State::Missing
                if !context
                    .target
                    .holds("ControllerRevision", Some(vm.namespace), &pin.name) =>
            {
                format!(
                    "`revisionName` pins `{}`, which is not in the tree",
                    pin.name
                )
            }
            State::Equal => format!(
                "`revisionName` pins `{}`, which says the same as `{}`",
                pin.name, pin.object
            ),
            _ => continue,
        };
        let in_spec = context.target.release.keeps_revisions_in_spec();
        let applicability = if in_spec {
            Applicability::Unsafe
        } else {
            Applicability::Safe
        };
        let help = if in_spec {
            "remove it and have your GitOps tool ignore the field: the controller writes it there in this release"
        } else {
            "remove it: the controller keeps the revision in `status`"
        };
        findings
            .report(vm.resource, pin.field.clone(), message)
            .help(help)
            .fix(
                applicability,
                "remove `revisionName`",
                [(pin.field, FixAction::Remove)],
            );
    }
}
