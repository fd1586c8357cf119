//! NUMA passthrough needs dedicated CPUs and huge pages.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `cpu.numa.guestMappingPassthrough` without `cpu.dedicatedCpuPlacement` or without `memory.hugepages`.
    ///
    /// ## Why it matters
    ///
    /// The host's NUMA layout can only be passed on for CPUs and memory that belong to the guest alone.
    ///
    /// KubeVirt's check: [`validateNUMA`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
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
    ///           numa:
    ///             guestMappingPassthrough: {}
    ///         memory:
    ///           guest: 1Gi
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.cpu.numa.guestMappingPassthrough: spec.template.spec.domain.memory.hugepages must be requested when NUMA topology strategy is set in spec.template.spec.domain.cpu.numa.guestMappingPassthrough
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
    ///           numa:
    ///             guestMappingPassthrough: {}
    ///         memory:
    ///           guest: 1Gi
    ///           hugepages:
    ///             pageSize: 2Mi
    /// ```
    "numa-passthrough-requirements": "NUMA passthrough needs dedicated CPUs and huge pages"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if !guest.has("domain.cpu.numa.guestMappingPassthrough") {
        return;
    }
    let field = guest.at("domain.cpu.numa.guestMappingPassthrough");
    if !guest.is("domain.cpu.dedicatedCpuPlacement") {
        RULE.refuse(causes, &field)
            .because(format!(
                "{} must be set to true when NUMA topology strategy is set in {field}",
                guest.at("domain.cpu.dedicatedCpuPlacement")
            ))
            .help("set `dedicatedCpuPlacement: true`");
    }
    if !guest.has("domain.memory.hugepages") {
        RULE.refuse(causes, &field)
            .because(format!(
                "{} must be requested when NUMA topology strategy is set in {field}",
                guest.at("domain.memory.hugepages")
            ))
            .help("set `memory.hugepages.pageSize`");
    }
}
