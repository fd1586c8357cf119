//! The CPU request is larger than the limit.

use super::prelude::*;
use crate::resource::quantity::Quantity;
use crate::rules::Rule;

rule! {
    /// ## What it does
    ///
    /// Reports `resources.requests.cpu` above `resources.limits.cpu`.
    ///
    /// ## Why it matters
    ///
    /// Kubernetes does not schedule a pod that asks for more than it may have, so the webhook refuses the VM.
    ///
    /// KubeVirt's check: [`validateCpuRequestDoesNotExceedLimit`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
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
    ///             cpu: '2'
    ///           limits:
    ///             cpu: 1500m
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.resources.requests.cpu: spec.template.spec.domain.resources.requests.cpu '2' is greater than spec.template.spec.domain.resources.limits.cpu '1500m'
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
    ///           limits:
    ///             cpu: 1500m
    /// ```
    "cpu-request-exceeds-limit": "the CPU request is larger than the limit"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    refuse_excess(&RULE, guest, "cpu", Quantity::milli_value, causes);
}

/// Refuses a request that is larger than a limit above zero, both in the unit the webhook compares.
pub(super) fn refuse_excess(
    rule: &'static Rule,
    guest: AdmittedGuest<'_>,
    resource: &str,
    unit: fn(&Quantity) -> i64,
    causes: &mut Causes,
) {
    let [request, limit] = ["requests", "limits"].map(|kind| {
        let path = format!("domain.resources.{kind}.{resource}");
        let amount = guest.amount(&path);
        (path, amount)
    });
    if unit(&limit.1) > 0 && unit(&request.1) > unit(&limit.1) {
        let field = guest.at(&request.0);
        let message = format!(
            "{field} '{}' is greater than {} '{}'",
            request.1,
            guest.at(&limit.0),
            limit.1
        );
        rule.refuse(causes, field)
            .because(message)
            .help("raise the limit or lower the request");
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::edges;

    #[test]
    fn a_request_may_equal_the_limit() {
        edges(
            &RULE,
            "domain: {resources: {requests: {cpu: $}, limits: {cpu: '2'}}}",
            &[
                ("'2'", false),
                ("2000m", false),
                ("2001m", true),
                ("1999m", false),
            ],
        );
    }
}
