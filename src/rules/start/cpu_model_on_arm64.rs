//! Guests of arm64 take the host's processor.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `cpu.model` other than `host-passthrough` in a guest of arm64; up to 1.5 only `host-model`.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt has no other model for arm64. The model may come from an instance type.
    ///
    /// KubeVirt's check: [`validateCPUModel`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/arm64.go).
    ///
    /// ## Example
    ///
    /// ```yaml,configuration
    /// developerConfiguration:
    ///   featureGates: [MultiArchitecture]
    /// ```
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       architecture: arm64
    ///       domain:
    ///         cpu:
    ///           model: host-model
    /// ```
    ///
    /// ```text,kubevirt=..=1.5
    /// spec.domain.cpu.model: Arm64 not support CPU host-model
    /// ```
    ///
    /// ```text,kubevirt=1.6..
    /// spec.domain.cpu.model: currently, host-passthrough is the only model supported on Arm64
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       architecture: arm64
    ///       domain:
    ///         cpu:
    ///           model: host-passthrough
    /// ```
    "cpu-model-on-arm64": "guests of arm64 take the host's processor"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if guest.str("architecture") != "arm64" {
        return;
    }
    let message = match guest.str("domain.cpu.model") {
        "" | "host-passthrough" => return,
        "host-model" if guest.does(Behaviour::ArmRefusesHostModelAlone) => {
            "Arm64 not support CPU host-model"
        }
        _ if guest.does(Behaviour::ArmRefusesHostModelAlone) => return,
        _ => "currently, host-passthrough is the only model supported on Arm64",
    };
    RULE.refuse(causes, guest.at("domain.cpu.model"))
        .because(message)
        .help("use `host-passthrough`, or leave `model` out");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::start_edges_on;

    #[test]
    fn up_to_1_5_only_one_model_is_refused() {
        let gate = json!({"developerConfiguration": {"featureGates": ["MultiArchitecture"]}});
        for (release, refused) in [(Release::V1_5, false), (Release::V1_6, true)] {
            start_edges_on(
                &RULE,
                release,
                &gate,
                "{architecture: arm64, domain: {memory: {guest: 1Gi}, devices: {}, cpu: {model: $}}}",
                &[
                    ("Haswell", refused),
                    ("host-model", true),
                    ("host-passthrough", false),
                ],
            );
        }
    }
}
