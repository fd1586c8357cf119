//! A core of dedicated CPUs has too many threads.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports more than two threads a core on a guest with `cpu.dedicatedCpuPlacement`, and more than one on arm64.
    ///
    /// ## Why it matters
    ///
    /// The guest's threads are pinned to the threads of real cores, which have two at most, on arm64 one.
    ///
    /// KubeVirt's check: [`validateThreadCountOnArchitecture`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         cpu:
    ///           cores: 1
    ///           threads: 4
    ///           dedicatedCpuPlacement: true
    ///         memory:
    ///           guest: 1Gi
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.cpu.dedicatedCpuPlacement: Not more than two threads must be provided at spec.template.spec.domain.cpu.threads (got 4) when DedicatedCPUPlacement is true
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         cpu:
    ///           cores: 2
    ///           threads: 2
    ///           dedicatedCpuPlacement: true
    ///         memory:
    ///           guest: 1Gi
    /// ```
    "dedicated-cpu-threads": "a core of dedicated CPUs has too many threads"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let threads = guest.int("domain.cpu.threads");
    let field = guest.at("domain.cpu.threads");
    if threads > 1 && guest.architecture() == "arm64" {
        let architecture = guest.at("architecture");
        RULE.refuse(causes, &architecture)
            .because(format!("threads must not be greater than 1 at {field} (got {threads}) when {architecture} is arm64"))
            .at(&field)
            .help("use one thread a core");
    }
    if threads > 2 {
        RULE.refuse(causes, guest.at("domain.cpu.dedicatedCpuPlacement"))
            .because(format!("Not more than two threads must be provided at {field} (got {threads}) when DedicatedCPUPlacement is true"))
            .at(&field)
            .help("use at most two threads a core");
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::edges;

    #[test]
    fn a_core_has_two_threads_at_most() {
        edges(
            &RULE,
            "domain: {cpu: {cores: 1, threads: $, dedicatedCpuPlacement: true}}",
            &[("1", false), ("2", false), ("3", true)],
        );
    }
}
