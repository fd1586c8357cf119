//! A CPU request or limit is negative.

use super::prelude::*;

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
    /// ```text
    /// spec.template.spec.domain.resources.requests.cpu: spec.template.spec.domain.resources.requests.cpu '-1': must be greater than or equal to 0.
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
    "negative-cpu-resource": "a CPU request or limit is negative"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    for kind in ["requests", "limits"] {
        let path = format!("domain.resources.{kind}.cpu");
        let cpu = guest.amount(&path);
        if cpu.milli_value() < 0 {
            RULE.refuse(causes, guest.at(&path))
                .because_it(format!("'{cpu}': must be greater than or equal to 0."));
        }
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
            "domain: {resources: {limits: {cpu: $}}}",
            &[("'0'", false), ("-1m", true), ("1m", false)],
        );
    }
}
