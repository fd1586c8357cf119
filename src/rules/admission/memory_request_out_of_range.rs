//! The memory request is negative or less than 1M.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `resources.requests.memory` that is negative, or above zero but under `1M`.
    ///
    /// ## Why it matters
    ///
    /// Such a request is nearly always a slip of the unit (`512` for `512Mi`), and the webhook refuses it.
    ///
    /// KubeVirt's check: [`validateMemoryRequestsNegativeOrNull`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
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
    ///             memory: '512'
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.resources.requests.memory: spec.template.spec.domain.resources.requests.memory '512': must be greater than or equal to 1M.
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
    ///             memory: 512Mi
    /// ```
    "memory-request-out-of-range": "the memory request is negative or less than 1M"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let request = guest.amount("domain.resources.requests.memory");
    let field = guest.at("domain.resources.requests.memory");
    let message = if request.value() < 0 {
        format!("{field} '{request}': must be greater than or equal to 0.")
    } else if request.value() > 0 && against(&request, 1_000_000).is_lt() {
        format!("{field} '{request}': must be greater than or equal to 1M.")
    } else {
        return;
    };
    RULE.refuse(causes, field)
        .because(message)
        .help("give the amount with its unit, such as `512Mi`");
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::edges;

    #[test]
    fn a_request_is_a_megabyte_or_more() {
        edges(
            &RULE,
            "domain: {memory: null, resources: {requests: {memory: $}}}",
            &[
                ("'999999'", true),
                ("1M", false),
                ("'-1'", true),
                ("999k", true),
            ],
        );
    }
}
