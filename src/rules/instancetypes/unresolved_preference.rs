//! The VM names a preference that cannot be found.

use crate::rules::instancetypes::unresolved;
use crate::rules::{Context, Findings, Vm};
use crate::stored::Matcher;

rule! {
    /// ## What it does
    ///
    /// Reports a `spec.preference` that leads to no preference: nothing of that name in the repository, its context or
    /// the built-in bundle of the target release, a kind that does not exist, or a revision that is not there.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt up to 1.5 refuses such a VM when it is written. From 1.6 on it accepts it and does not start the guest.
    ///
    /// KubeVirt's check: [`ApplyToVM`](https://github.com/kubevirt/kubevirt/blob/v1.5.3/pkg/instancetype/webhooks/vm/admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   preference:
    ///     name: nope
    /// ```
    ///
    /// ```text
    /// spec.preference.name: there is no VirtualMachineClusterPreference `nope` in the tree
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   preference:
    ///     name: fedora
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory:
    ///           guest: 2Gi
    /// ```
    ///
    /// ## Limits
    ///
    /// "Not in this repository" is not "does not exist": it is an error only where the repository is declared complete
    /// (`complete: true`), else a note. `kind` left out means the cluster-scoped kind; where only a namespaced object has
    /// the name, it is a warning. `--context DIR` adds manifests to look in.
    "unresolved-preference": "the VM names a preference that cannot be found",
    level: Error,
    check: Vm(check),
}

fn check(vm: &Vm<'_>, context: &Context<'_>, findings: &mut Findings) {
    if let Err(error) = context
        .resolver
        .resolve_preference(&vm.decoded.node, vm.namespace)
    {
        unresolved::report(Matcher::Preference, &error, vm, context, findings);
    }
}
