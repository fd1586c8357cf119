//! The number of dedicated CPUs is not whole.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a CPU request or limit that is not a whole number on a guest with `cpu.dedicatedCpuPlacement`.
    ///
    /// ## Why it matters
    ///
    /// A guest cannot have part of a dedicated CPU.
    ///
    /// KubeVirt's check: [`validateCPULimitIsInteger`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         cpu:
    ///           dedicatedCpuPlacement: true
    ///         memory:
    ///           guest: 1Gi
    ///         resources:
    ///           requests:
    ///             cpu: 1500m
    ///           limits:
    ///             cpu: '2'
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.resources.requests.cpu: provided resources CPU requests must be an interger
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         cpu:
    ///           dedicatedCpuPlacement: true
    ///         memory:
    ///           guest: 1Gi
    ///         resources:
    ///           requests:
    ///             cpu: '2'
    ///           limits:
    ///             cpu: '2'
    /// ```
    "fractional-dedicated-cpu": "the number of dedicated CPUs is not whole"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    for kind in ["requests", "limits"] {
        let path = format!("domain.resources.{kind}.cpu");
        let cpu = guest.amount(&path);
        if cpu.value() > 0 && cpu.value().wrapping_mul(1000) != cpu.milli_value() {
            RULE.refuse(causes, guest.at(&path))
                .because(format!("provided resources CPU {kind} must be an interger"))
                .help(format!("ask for whole CPUs, such as `{}`", cpu.value()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::edges;

    #[test]
    fn a_request_is_whole() {
        edges(
            &RULE,
            "domain: {cpu: {dedicatedCpuPlacement: true}, resources: {requests: {cpu: $}, limits: {cpu: $}}}",
            &[
                ("'1'", false),
                ("1000m", false),
                ("1001m", true),
                ("1999m", true),
                ("2000m", false),
            ],
        );
    }
}
