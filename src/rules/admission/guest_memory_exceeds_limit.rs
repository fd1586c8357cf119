//! The guest has more memory than the memory limit.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `memory.guest` above `resources.limits.memory`, where the cluster's rollout strategy is `Stage`.
    ///
    /// ## Why it matters
    ///
    /// The guest would be killed as soon as it used its memory. Where the rollout strategy is `LiveUpdate` (the default
    /// from 1.6 on) KubeVirt does not check it, because limits of running guests move.
    ///
    /// KubeVirt's check: [`validateGuestMemoryLimit`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=..=1.5
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory:
    ///           guest: 4Gi
    ///         resources:
    ///           limits:
    ///             memory: 2Gi
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.memory.guest: spec.template.spec.domain.memory.guest '4Gi' must be equal to or less than the memory limit spec.template.spec.domain.resources.limits.memory '2Gi'
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory:
    ///           guest: 2Gi
    ///         resources:
    ///           limits:
    ///             memory: 2Gi
    /// ```
    ///
    /// ## Limits
    ///
    /// Depends on `vmRolloutStrategy`; without a known configuration the finding is `depends-on-configuration`.
    "guest-memory-exceeds-limit": "the guest has more memory than the memory limit"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if guest.live_update() || !guest.has("domain.memory.guest") {
        return;
    }
    let memory = guest.amount("domain.memory.guest");
    let limit = guest.amount("domain.resources.limits.memory");
    if limit.value() < memory.value() && limit.value() != 0 {
        RULE.refuse(causes, guest.at("domain.memory.guest"))
            .because_it(format!(
                "'{memory}' must be equal to or less than the memory limit {} '{limit}'",
                guest.at("domain.resources.limits.memory")
            ))
            .by_rollout()
            .help("raise the limit or lower the guest's memory");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::edges_on;

    #[test]
    fn guest_memory_may_equal_the_limit() {
        edges_on(
            &RULE,
            Release::V1_5,
            &json!({}),
            "domain: {memory: {guest: $}, resources: {limits: {memory: 2Gi}}}",
            &[("2Gi", false), ("2048Mi", false), ("'2147483649'", true)],
        );
    }
}
