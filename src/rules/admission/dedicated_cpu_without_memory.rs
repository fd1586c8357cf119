//! Dedicated CPUs need a memory size.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `cpu.dedicatedCpuPlacement` on a guest that has neither a memory request, a memory limit, huge pages nor
    /// guest memory. KubeVirt 1.6 crashes on it, which is reported as `kubevirt-would-crash`.
    ///
    /// ## Why it matters
    ///
    /// A pod gets dedicated CPUs only in the Guaranteed quality class, and for that its memory must be known.
    ///
    /// KubeVirt's check: [`validateMemoryIsProvided`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=..=1.5,kubevirt=1.7..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         cpu:
    ///           cores: 2
    ///           dedicatedCpuPlacement: true
    ///         memory: null
    /// ```
    ///
    /// ```text,kubevirt=..=1.5
    /// spec.template.spec.domain.resources.limits.memory: spec.template.spec.domain.resources.requests.memory or spec.template.spec.domain.resources.limits.memory should be provided
    /// ```
    ///
    /// ```text,kubevirt=1.7..
    /// spec.template.spec.domain.resources.limits.memory: spec.template.spec.domain.resources.requests.memory, spec.template.spec.domain.resources.limits.memory, spec.template.spec.domain.memory.hugepages or spec.template.spec.domain.memory.guest should be provided
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
    ///         memory:
    ///           guest: 1Gi
    /// ```
    "dedicated-cpu-without-memory": "dedicated CPUs need a memory size"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let requests = guest.at("domain.resources.requests.memory");
    let limits = guest.at("domain.resources.limits.memory");
    let absent = |path| guest.amount(path).value() == 0;
    if !absent("domain.resources.limits.memory") || !absent("domain.resources.requests.memory") {
        return;
    }
    let message = if guest.does(Behaviour::DedicatedCpuNeedsMemoryResource) {
        format!("{requests} or {limits} should be provided")
    } else {
        if guest.has("domain.memory.hugepages") {
            return;
        }
        if guest.does(Behaviour::CrashesWithoutGuestMemory) && !guest.has("domain.memory.guest") {
            causes.crash("dedicated CPUs are asked for and there is no memory to read");
            return;
        }
        if !absent("domain.memory.guest") {
            return;
        }
        format!(
            "{requests}, {limits}, {} or {} should be provided",
            guest.at("domain.memory.hugepages"),
            guest.at("domain.memory.guest")
        )
    };
    RULE.refuse(causes, limits)
        .because(message)
        .at(guest.at("domain.cpu.dedicatedCpuPlacement"))
        .help("set `memory.guest`");
}
