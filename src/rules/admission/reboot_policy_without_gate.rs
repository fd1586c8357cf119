//! A reboot policy needs a feature gate.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `domain.rebootPolicy` (1.8 and later) where the feature gate `RebootPolicy` is off. It is on by default
    /// from 1.9.
    ///
    /// ## Why it matters
    ///
    /// The policy says what a reboot inside the guest does to it.
    ///
    /// KubeVirt's check: [`validateRebootPolicy`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.8
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         rebootPolicy: Terminate
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.rebootPolicy: RebootPolicy is specified but the RebootPolicy feature gate is not enabled
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain: {}
    /// ```
    ///
    /// ## Limits
    ///
    /// Without a known configuration the finding is `depends-on-configuration`.
    "reboot-policy-without-gate": "a reboot policy needs a feature gate"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if guest.has("domain.rebootPolicy") && !guest.gate("RebootPolicy") {
        RULE.refuse(causes, guest.at("domain.rebootPolicy"))
            .because("RebootPolicy is specified but the RebootPolicy feature gate is not enabled")
            .gate("RebootPolicy");
    }
}
