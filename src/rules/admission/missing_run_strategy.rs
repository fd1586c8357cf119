//! The VM has no run strategy.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a VM with neither `runStrategy` nor `running`.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt does not guess whether the guest is to run.
    ///
    /// KubeVirt's check: [`validateRunStrategy`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   runStrategy: null
    /// ```
    ///
    /// ```text
    /// spec.running: RunStrategy must be specified
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   runStrategy: Halted
    /// ```
    "missing-run-strategy": "the VM has no run strategy"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if guest.vm.get("running").is_none() && guest.vm.get("runStrategy").is_none() {
        RULE.refuse(causes, "spec.running")
            .because("RunStrategy must be specified")
            .at("spec.runStrategy")
            .help(
                "set `runStrategy`: `Always` for a guest that runs, `Halted` for one that does not",
            );
    }
}
