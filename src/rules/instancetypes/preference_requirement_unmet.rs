//! The VM has less than its preference requires.

use crate::rules::admission::causes::Causes;
use crate::transform::expand::requirements::Shortfall;

rule! {
    /// ## What it does
    ///
    /// Reports the first requirement of a preference that VM and instance type do not meet: vCPUs, then memory, then
    /// (from 1.7 on) architecture.
    ///
    /// ## Why it matters
    ///
    /// The preference's author says the guest does not run with less, and KubeVirt refuses the VM.
    ///
    /// KubeVirt's check: [`Admit`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.2..
    /// spec:
    ///   instancetype:
    ///     name: u1.nano
    ///   preference:
    ///     name: windows.11
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory: null
    /// ```
    ///
    /// ```text
    /// spec.instancetype: failure checking preference requirements: insufficient CPU resources of 1 vCPU provided by instance type, preference requires 2 vCPU
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   instancetype:
    ///     name: u1.large
    ///   preference:
    ///     name: fedora
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory: null
    /// ```
    ///
    /// ## Limits
    ///
    /// A preference that is not in the repository is not known.
    "preference-requirement-unmet": "the VM has less than its preference requires"
}

/// Puts a shortfall among the causes.
pub(crate) fn refused(shortfall: &Shortfall, causes: &mut Causes) {
    let first = shortfall.fields.first().map_or("", |field| field);
    let message = format!(
        "failure checking preference requirements: {}",
        shortfall.message
    );
    RULE.refuse(causes, first)
        .because(message)
        .named(shortfall.fields.join(", "))
        .help("give the guest what the preference requires, or use another preference");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::release::Release;
    use crate::rules::testing::{listed, reviewed_with};

    /// Behaviour C18: CPU before memory before architecture; with an instance type its vCPUs count, without one the topology.
    #[test]
    fn the_first_requirement_that_is_not_met_is_reported() {
        for (vm, objects, expected) in [
            (
                json!({"instancetype": {"name": "it", "kind": "VirtualMachineInstancetype"}}),
                json!({"cpu": {"guest": 4}, "memory": {"guest": "8Gi"}}),
                (
                    "spec.instancetype",
                    "failure checking preference requirements: insufficient CPU resources of 2 vCPU provided by instance type, preference requires 4 vCPU",
                ),
            ),
            (
                json!({"instancetype": {"name": "it", "kind": "VirtualMachineInstancetype"}}),
                json!({"cpu": {"guest": 2}, "memory": {"guest": "8Gi"}}),
                (
                    "spec.instancetype",
                    "failure checking preference requirements: insufficient Memory resources of 1Gi provided by instance type, preference requires 8Gi",
                ),
            ),
            (
                json!({"template": {"spec": {"domain": {"cpu": {"cores": 2}}}}}),
                json!({"cpu": {"guest": 4}}),
                (
                    "spec.template.spec.domain.cpu.cores",
                    "failure checking preference requirements: insufficient CPU resources of 2 vCPU provided by VirtualMachine, preference requires 4 vCPU provided as cores",
                ),
            ),
            (
                json!({"template": {"spec": {"domain": {"cpu": {"cores": 2}}}}}),
                json!({"architecture": "arm64"}),
                (
                    "spec.template.spec.architecture",
                    "failure checking preference requirements: preference requires architecture arm64 but amd64 is being requested",
                ),
            ),
        ] {
            let review = reviewed_with(
                Release::V1_9,
                &json!({"spec": vm}),
                json!({"cpu": {"guest": 2}, "memory": {"guest": "1Gi"}}),
                json!({"cpu": {"preferredCPUTopology": "cores"}, "requirements": objects}),
            );
            assert_eq!(listed(&RULE, review.hits), [expected]);
        }
    }
}
