//! The instance type's vCPUs cannot be spread as the preference says.

use crate::resolve::preference::Spread;
use crate::rules::admission::causes::Causes;
use crate::yaml::Node;

rule! {
    /// ## What it does
    ///
    /// Reports an instance type whose vCPU count is not a multiple of what a preference with `spread` topology needs: the
    /// ratio, two threads a core, or both.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt refuses the VM rather than give it fewer vCPUs. One vCPU cannot be spread at all.
    ///
    /// KubeVirt's check: [`CheckSpreadCPUTopology`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/instancetype/preference/validation/cpu.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: web}
    /// spec:
    ///   runStrategy: Always
    ///   instancetype:
    ///     name: small
    ///     kind: VirtualMachineInstancetype
    ///   preference:
    ///     name: app
    ///     kind: VirtualMachinePreference
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    /// ---
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachineInstancetype
    /// metadata: {name: small}
    /// spec: {cpu: {guest: 3}, memory: {guest: 1Gi}}
    /// ---
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachinePreference
    /// metadata: {name: app}
    /// spec: {cpu: {preferredCPUTopology: spread}}
    /// ```
    ///
    /// ```text
    /// instancetype.spec.cpu.guest: 3 vCPUs provided by the instance type are not divisible by the Spec.PreferSpreadSocketToCoreRatio or Spec.CPU.PreferSpreadOptions.Ratio of 2 provided by the preference
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: web}
    /// spec:
    ///   runStrategy: Always
    ///   instancetype:
    ///     name: small
    ///     kind: VirtualMachineInstancetype
    ///   preference:
    ///     name: app
    ///     kind: VirtualMachinePreference
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    /// ---
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachineInstancetype
    /// metadata: {name: small}
    /// spec: {cpu: {guest: 4}, memory: {guest: 1Gi}}
    /// ---
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachinePreference
    /// metadata: {name: app}
    /// spec: {cpu: {preferredCPUTopology: spread}}
    /// ```
    ///
    /// ## Limits
    ///
    /// Objects that are not in the repository are not known.
    "spread-not-divisible": "the instance type's vCPUs cannot be spread as the preference says"
}

/// Mirrors `CheckSpreadCPUTopology`, pkg/instancetype/preference/validation/cpu.go @ v1.9.0.
pub(crate) fn check(instancetype: &Node, spread: Spread<'_>, causes: &mut Causes) {
    let vcpus = u32::try_from(instancetype.int_at("cpu.guest")).unwrap_or(u32::MAX);
    let Spread { ratio, across } = spread;
    if ratio == 0 && matches!(across, "SocketsCores" | "CoresThreads") {
        causes.crash("the preference spreads vCPUs by a ratio of 0");
        return;
    }
    let (fits, words) = match across {
        "SocketsCores" => (
            vcpus.is_multiple_of(ratio),
            format!(
                "Spec.PreferSpreadSocketToCoreRatio or Spec.CPU.PreferSpreadOptions.Ratio of {ratio} provided by the preference"
            ),
        ),
        "CoresThreads" => (
            vcpus.is_multiple_of(ratio),
            format!("number of threads per core {ratio}"),
        ),
        "SocketsCoresThreads" => {
            let even = vcpus.is_multiple_of(2);
            if even && ratio == 0 {
                causes.crash("the preference spreads vCPUs by a ratio of 0");
                return;
            }
            (
                even && (vcpus / 2).is_multiple_of(ratio),
                format!(
                    "number of threads per core 2 and Spec.PreferSpreadSocketToCoreRatio or Spec.CPU.PreferSpreadOptions.Ratio of {ratio}"
                ),
            )
        }
        _ => return,
    };
    if !fits {
        RULE.refuse(causes, "instancetype.spec.cpu.guest")
            .because(format!(
                "{vcpus} vCPUs provided by the instance type are not divisible by the {words}"
            ))
            .at("spec.instancetype.name")
            .help("use an instance type with a fitting number of vCPUs, or another preference");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::release::Release;
    use crate::rules::testing::{listed, reviewed_with};

    /// Behaviour C13: each way to spread has its words; one vCPU is refused too.
    #[test]
    fn vcpus_are_divided_without_a_rest() {
        for (vcpus, cpu, words) in [
            (
                3,
                json!({"preferredCPUTopology": "spread"}),
                Some(
                    "Spec.PreferSpreadSocketToCoreRatio or Spec.CPU.PreferSpreadOptions.Ratio of 2 provided by the preference",
                ),
            ),
            (
                1,
                json!({"preferredCPUTopology": "preferSpread"}),
                Some(
                    "Spec.PreferSpreadSocketToCoreRatio or Spec.CPU.PreferSpreadOptions.Ratio of 2 provided by the preference",
                ),
            ),
            (
                3,
                json!({"preferredCPUTopology": "spread", "spreadOptions": {"across": "CoresThreads"}}),
                Some("number of threads per core 2"),
            ),
            (
                6,
                json!({"preferredCPUTopology": "spread", "spreadOptions": {"across": "SocketsCoresThreads"}}),
                Some(
                    "number of threads per core 2 and Spec.PreferSpreadSocketToCoreRatio or Spec.CPU.PreferSpreadOptions.Ratio of 2",
                ),
            ),
            (4, json!({"preferredCPUTopology": "spread"}), None),
            (3, json!({"preferredCPUTopology": "cores"}), None),
        ] {
            let matchers = json!({"spec": {
                "instancetype": {"name": "it", "kind": "VirtualMachineInstancetype"},
                "template": {"spec": {"domain": {"memory": null}}}
            }});
            let instancetype = json!({"cpu": {"guest": vcpus}, "memory": {"guest": "1Gi"}});
            let review = reviewed_with(Release::V1_9, &matchers, instancetype, json!({"cpu": cpu}));
            let said = listed(&RULE, review.hits);
            let Some(words) = words else {
                assert!(said.is_empty());
                continue;
            };
            let message = format!(
                "{vcpus} vCPUs provided by the instance type are not divisible by the {words}"
            );
            assert_eq!(said, [("instancetype.spec.cpu.guest", message.as_str())]);
        }
    }

    #[test]
    fn a_ratio_of_zero_crashes() {
        let matchers = json!({"spec": {
            "instancetype": {"name": "it", "kind": "VirtualMachineInstancetype"},
            "template": {"spec": {"domain": {"memory": null}}}
        }});
        let instancetype = json!({"cpu": {"guest": 2}, "memory": {"guest": "1Gi"}});
        let preference =
            json!({"cpu": {"preferredCPUTopology": "spread", "spreadOptions": {"ratio": 0}}});
        let review = reviewed_with(Release::V1_9, &matchers, instancetype, preference);
        assert!(review.crash.is_some());
    }
}
