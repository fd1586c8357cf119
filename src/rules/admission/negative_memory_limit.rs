//! The memory limit is negative.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::AdmittedGuest;

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
    /// ```yaml,bad
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
    ///
    /// ## Limits
    ///
    /// None: everything it looks at is in the manifest.
    "negative-memory-limit": "the memory limit is negative"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let limit = guest.amount("domain.resources.limits.memory");
    if limit.value() < 0 {
        let field = guest.at("domain.resources.limits.memory");
        let message = format!("{field} '{limit}': must be greater than or equal to 0.");
        causes.push(&RULE, field, message);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::words;

    #[test]
    fn the_bad_is_refused_and_the_good_is_not() {
        let bad = json!({"spec": {"template": {"spec": {"domain": {"memory": {"guest": "1Gi"}, "resources": {"limits": {"memory": "-2Gi"}}}}}}});
        assert_eq!(
            words(&RULE, Release::V1_9, &bad, &json!({})),
            [(
                "spec.template.spec.domain.resources.limits.memory",
                "spec.template.spec.domain.resources.limits.memory '-2Gi': must be greater than or equal to 0."
            ),]
        );
        let good = json!({"spec": {"template": {"spec": {"domain": {"memory": {"guest": "1Gi"}, "resources": {"limits": {"memory": "2Gi"}}}}}}});
        assert!(words(&RULE, Release::V1_9, &good, &json!({})).is_empty());
    }
}
