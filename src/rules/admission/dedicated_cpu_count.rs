//! The number of dedicated CPUs is missing or contradictory.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports three cases of `cpu.dedicatedCpuPlacement`: no CPU count is given; the CPU request and limit differ; a request
    /// or limit is given, and neither equals the number of virtual CPUs (sockets × cores × threads).
    ///
    /// ## Why it matters
    ///
    /// Each virtual CPU of such a guest is pinned to one CPU of its own, so the counts must agree.
    ///
    /// KubeVirt's check: [`validateRequestOrLimitWithCoresProvidedOnDedicatedCPUPlacement`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
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
    ///         memory:
    ///           guest: 1Gi
    ///         resources:
    ///           requests:
    ///             cpu: '4'
    ///           limits:
    ///             cpu: '4'
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.cpu.dedicatedCpuPlacement: spec.template.spec.domain.resources.requests.cpu or spec.template.spec.domain.resources.limits.cpu must not be provided at the same time with spec.template.spec.domain.cpu.cores when DedicatedCPUPlacement is true
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         cpu:
    ///           cores: 4
    ///           dedicatedCpuPlacement: true
    ///         memory:
    ///           guest: 1Gi
    ///         resources:
    ///           requests:
    ///             cpu: '4'
    ///           limits:
    ///             cpu: '4'
    /// ```
    "dedicated-cpu-count": "the number of dedicated CPUs is missing or contradictory"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let request = guest.amount("domain.resources.requests.cpu").value();
    let limit = guest.amount("domain.resources.limits.cpu").value();
    let vcpus = vcpus(guest);
    let requests = guest.at("domain.resources.requests.cpu");
    let limits = guest.at("domain.resources.limits.cpu");
    let cores = guest.at("domain.cpu.cores");
    let mut push = |message: String| {
        RULE.refuse(causes, guest.at("domain.cpu.dedicatedCpuPlacement"))
            .because(message)
            .help("leave the CPU request and limit out; KubeVirt derives them from the topology");
    };
    if request == 0 && limit == 0 && vcpus == 0 {
        push(format!(
            "either {requests} or {limits} or {cores} must be provided when DedicatedCPUPlacement is true "
        ));
    }
    if request > 0 && limit > 0 && request != limit {
        push(format!(
            "{requests} or {limits} must be equal when DedicatedCPUPlacement is true "
        ));
    }
    if (request > 0 || limit > 0) && vcpus > 0 && request != vcpus && limit != vcpus {
        push(format!(
            "{requests} or {limits} must not be provided at the same time with {cores} when DedicatedCPUPlacement is true "
        ));
    }
}

/// The product of the sockets, cores and threads that are given. It wraps at 32 bits, as in KubeVirt.
fn vcpus(guest: AdmittedGuest<'_>) -> i64 {
    let product = ["cores", "sockets", "threads"]
        .into_iter()
        .filter_map(|part| u32::try_from(guest.int(&format!("domain.cpu.{part}"))).ok())
        .filter(|count| *count != 0)
        .reduce(u32::wrapping_mul);
    i64::from(product.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::edges;

    #[test]
    fn the_limit_equals_the_virtual_cpus() {
        edges(
            &RULE,
            "domain: {cpu: {cores: 4, dedicatedCpuPlacement: true}, resources: {limits: {cpu: $}}}",
            &[("'3'", true), ("'4'", false), ("'5'", true)],
        );
    }

    #[test]
    fn the_request_equals_the_limit() {
        edges(
            &RULE,
            "domain: {cpu: {cores: 4, dedicatedCpuPlacement: true}, resources: {requests: {cpu: $}, limits: {cpu: '4'}}}",
            &[("'3'", true), ("'4'", false)],
        );
    }
}
