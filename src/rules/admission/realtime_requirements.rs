//! A realtime guest needs dedicated CPUs and NUMA passthrough.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `cpu.realtime` without `cpu.dedicatedCpuPlacement` or without `cpu.numa.guestMappingPassthrough`.
    ///
    /// ## Why it matters
    ///
    /// A guest that shares CPUs or memory cannot meet its deadlines.
    ///
    /// KubeVirt's check: [`validateCPURealtime`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
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
    ///           realtime: {}
    ///         memory:
    ///           guest: 1Gi
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.cpu.numa.guestMappingPassthrough: spec.template.spec.domain.cpu.numa.guestMappingPassthrough must be defined when spec.template.spec.domain.cpu.realtime is used
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
    ///           realtime: {}
    ///           numa:
    ///             guestMappingPassthrough: {}
    ///         memory:
    ///           guest: 1Gi
    ///           hugepages:
    ///             pageSize: 2Mi
    /// ```
    "realtime-requirements": "a realtime guest needs dedicated CPUs and NUMA passthrough"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if !guest.has("domain.cpu.realtime") {
        return;
    }
    let realtime = guest.at("domain.cpu.realtime");
    if !guest.is("domain.cpu.dedicatedCpuPlacement") {
        RULE.refuse(causes, guest.at("domain.cpu.dedicatedCpuPlacement"))
            .because_it(format!("must be set to true when {realtime} is used"))
            .at(&realtime)
            .help("set `dedicatedCpuPlacement: true`");
    }
    if !guest.has("domain.cpu.numa.guestMappingPassthrough") {
        RULE.refuse(causes, guest.at("domain.cpu.numa.guestMappingPassthrough"))
            .because_it(format!("must be defined when {realtime} is used"))
            .at(&realtime)
            .help("set `numa.guestMappingPassthrough: {}`");
    }
}
