//! A CPU request or limit is negative.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::AdmittedGuest;

rule! {
    /// ## What it does
    ///
    /// Reports `resources.requests.cpu` and `resources.limits.cpu` under zero.
    ///
    /// ## Why it matters
    ///
    /// A negative amount means nothing, and the webhook refuses it.
    ///
    /// KubeVirt's check: [`validateCPULimitNotNegative`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         resources:
    ///           requests:
    ///             cpu: '-1'
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         resources:
    ///           requests:
    ///             cpu: '1'
    /// ```
    ///
    /// ## Limits
    ///
    /// None: everything it looks at is in the manifest.
    "negative-cpu-resource": "a CPU request or limit is negative"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    for kind in ["requests", "limits"] {
        let path = format!("domain.resources.{kind}.cpu");
        let cpu = guest.amount(&path);
        if cpu.milli_value() < 0 {
            let field = guest.at(&path);
            let message = format!("{field} '{cpu}': must be greater than or equal to 0.");
            causes.push(&RULE, field, message);
        }
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
        let bad = json!({"spec": {"template": {"spec": {"domain": {"resources": {"requests": {"cpu": "-1"}}}}}}});
        assert_eq!(
            words(&RULE, Release::V1_9, &bad, &json!({})),
            [(
                "spec.template.spec.domain.resources.requests.cpu",
                "spec.template.spec.domain.resources.requests.cpu '-1': must be greater than or equal to 0."
            ),]
        );
        let good = json!({"spec": {"template": {"spec": {"domain": {"resources": {"requests": {"cpu": "1"}}}}}}});
        assert!(words(&RULE, Release::V1_9, &good, &json!({})).is_empty());
    }
}
