//! The memory limit is negative.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `resources.limits.memory` under zero.
    ///
    /// ## Why it matters
    ///
    /// A limit under zero means nothing, and the webhook refuses it.
    ///
    /// KubeVirt's check: [`validateMemoryLimitsNegativeOrNull`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,with=guest-memory-exceeds-limit,with=memory-request-out-of-range
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory:
    ///           guest: 1Gi
    ///         resources:
    ///           limits:
    ///             memory: -2Gi
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.resources.limits.memory: spec.template.spec.domain.resources.limits.memory '-2Gi': must be greater than or equal to 0.
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory:
    ///           guest: 1Gi
    ///         resources:
    ///           limits:
    ///             memory: 2Gi
    /// ```
    "negative-memory-limit": "the memory limit is negative"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let limit = guest.amount("domain.resources.limits.memory");
    if limit.value() < 0 {
        RULE.refuse(causes, guest.at("domain.resources.limits.memory"))
            .because_it(format!("'{limit}': must be greater than or equal to 0."));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::edges;

    #[test]
    fn zero_is_not_negative() {
        edges(
            &RULE,
            "domain: {resources: {limits: {memory: $}}}",
            &[("'0'", false), ("'-1'", true)],
        );
    }
}
