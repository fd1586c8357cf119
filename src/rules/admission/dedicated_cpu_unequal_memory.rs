//! Dedicated CPUs need a memory request that equals the limit.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a memory request that differs from the memory limit on a guest with `cpu.dedicatedCpuPlacement`.
    ///
    /// ## Why it matters
    ///
    /// A pod gets dedicated CPUs only in the Guaranteed quality class: requests equal limits.
    ///
    /// KubeVirt's check: [`validateMemoryRequestsAndLimits`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         cpu:
    ///           cores: 2
    ///           dedicatedCpuPlacement: true
    ///         resources:
    ///           requests:
    ///             memory: 1Gi
    ///           limits:
    ///             memory: 2Gi
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.resources.requests.memory: spec.template.spec.domain.resources.requests.memory must be equal to spec.template.spec.domain.resources.limits.memory
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         cpu:
    ///           cores: 2
    ///           dedicatedCpuPlacement: true
    ///         resources:
    ///           requests:
    ///             memory: 2Gi
    ///           limits:
    ///             memory: 2Gi
    /// ```
    "dedicated-cpu-unequal-memory": "dedicated CPUs need a memory request that equals the limit"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let request = guest.amount("domain.resources.requests.memory").value();
    let limit = guest.amount("domain.resources.limits.memory").value();
    if request > 0 && limit > 0 && request != limit {
        RULE.refuse(causes, guest.at("domain.resources.requests.memory"))
            .because_it(format!(
                "must be equal to {}",
                guest.at("domain.resources.limits.memory")
            ))
            .help("set request and limit to the same amount");
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::edges;

    #[test]
    fn the_request_equals_the_limit() {
        edges(
            &RULE,
            "domain: {cpu: {cores: 1, dedicatedCpuPlacement: true}, resources: {requests: {memory: $}, limits: {memory: 2Gi}}}",
            &[("2Gi", false), ("2048Mi", false), ("'2147483647'", true)],
        );
    }
}
