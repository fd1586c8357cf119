//! Hyper-V features stand beside their passthrough.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `features.hyperv` beside `features.hypervPassthrough`, also where either is empty or switched off.
    ///
    /// ## Why it matters
    ///
    /// Passthrough takes every Hyper-V feature of the host; KubeVirt starts no guest that also lists some. The features
    /// may come from a preference: `preferredHyperv`.
    ///
    /// KubeVirt's check: [`ValidateVirtualMachineInstanceHypervMode`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/hyperv.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.3..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         features:
    ///           hyperv:
    ///             relaxed: {}
    ///           hypervPassthrough: {}
    /// ```
    ///
    /// ```text
    /// spec.domain.features.hyperv: Cannot explicitly set hyperV features if HypervPassthrough is being used. Please use either HyperV or HypervPassthrough.
    /// ```
    ///
    /// ```yaml,good,kubevirt=1.3..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         features:
    ///           hypervPassthrough: {}
    /// ```
    "hyperv-with-passthrough": "Hyper-V features stand beside their passthrough"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if guest.has("domain.features.hyperv") && guest.has("domain.features.hypervPassthrough") {
        RULE.refuse(causes, guest.at("domain.features.hyperv"))
            .because("Cannot explicitly set hyperV features if HypervPassthrough is being used. Please use either HyperV or HypervPassthrough.")
            .help("remove `hyperv`, or `hypervPassthrough`");
    }
}
