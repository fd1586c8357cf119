//! Reserved memory overhead needs a feature gate.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `memory.reservedOverhead` (1.8 and later) where the feature gate `ReservedOverheadMemlock` is off.
    ///
    /// ## Why it matters
    ///
    /// The overhead is locked on the node beside the guest's memory, which a cluster has to allow.
    ///
    /// KubeVirt's check: [`validateReservedOverheadMemlock`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.8..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory:
    ///           guest: 1Gi
    ///           reservedOverhead:
    ///             addedOverhead: 64Mi
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.memory.reservedOverhead: Reserved overhead memlock feature gate is not enabled in kubevirt-config
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory:
    ///           guest: 1Gi
    /// ```
    ///
    /// ## Limits
    ///
    /// Without a known configuration the finding is `depends-on-configuration`.
    "reserved-overhead-without-gate": "reserved memory overhead needs a feature gate"
}

const GATE: &str = "ReservedOverheadMemlock";

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if guest.has("domain.memory.reservedOverhead") && !guest.gate(GATE) {
        RULE.refuse(causes, guest.at("domain.memory.reservedOverhead"))
            .because("Reserved overhead memlock feature gate is not enabled in kubevirt-config")
            .gate(GATE);
    }
}
