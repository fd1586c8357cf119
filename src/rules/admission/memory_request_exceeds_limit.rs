//! The memory request is larger than the limit.

use super::cpu_request_exceeds_limit::refuse_excess;
use super::prelude::*;
use crate::resource::quantity::Quantity;

rule! {
    /// ## What it does
    ///
    /// Reports `resources.requests.memory` above `resources.limits.memory`.
    ///
    /// ## Why it matters
    ///
    /// Kubernetes does not schedule a pod that asks for more than it may have, so the webhook refuses the VM.
    ///
    /// KubeVirt's check: [`validateMemoryLimitsNegativeOrNull`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory:
    ///           guest: 1Gi
    ///         resources:
    ///           requests:
    ///             memory: 4Gi
    ///           limits:
    ///             memory: 2Gi
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.resources.requests.memory: spec.template.spec.domain.resources.requests.memory '4Gi' is greater than spec.template.spec.domain.resources.limits.memory '2Gi'
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
    ///           requests:
    ///             memory: 2Gi
    ///           limits:
    ///             memory: 2Gi
    /// ```
    "memory-request-exceeds-limit": "the memory request is larger than the limit"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    refuse_excess(&RULE, guest, "memory", Quantity::value, causes);
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::edges;

    #[test]
    fn a_request_may_equal_the_limit() {
        edges(
            &RULE,
            "domain: {memory: null, resources: {requests: {memory: $}, limits: {memory: 2Gi}}}",
            &[
                ("2Gi", false),
                ("2048Mi", false),
                ("'2147483649'", true),
                ("'2147483647'", false),
            ],
        );
    }
}
