//! The CPU request is larger than the limit.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::AdmittedGuest;

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
    let request = guest.amount("domain.resources.requests.cpu");
    let limit = guest.amount("domain.resources.limits.cpu");
    if limit.milli_value() > 0 && request.milli_value() > limit.milli_value() {
        let field = guest.at("domain.resources.requests.cpu");
        let message = format!(
            "{field} '{request}' is greater than {} '{limit}'",
            guest.at("domain.resources.limits.cpu")
        );
        causes
            .push(&RULE, field, message)
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
