//! A CPU feature has an unknown policy.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a policy of `cpu.features` other than `force`, `require`, `optional`, `disable` and `forbid`.
    ///
    /// ## Why it matters
    ///
    /// libvirt knows no other, and the webhook refuses it. A feature without a policy is required.
    ///
    /// KubeVirt's check: [`validateCPUFeaturePolicies`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         cpu:
    ///           features:
    ///             - name: vmx
    ///               policy: maybe
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.cpu.features[0].policy: CPU feature vmx uses policy maybe that is not supported.
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         cpu:
    ///           features:
    ///             - name: vmx
    ///               policy: optional
    /// ```
    "unsupported-cpu-feature-policy": "a CPU feature has an unknown policy"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    for feature in guest.each("domain.cpu.features") {
        let policy = feature.str_at("policy");
        if !matches!(
            policy,
            "" | "force" | "require" | "optional" | "disable" | "forbid"
        ) {
            RULE.refuse(causes, feature.at("policy"))
                .because(format!(
                    "CPU feature {} uses policy {policy} that is not supported.",
                    feature.str_at("name")
                ))
                .help("use `force`, `require`, `optional`, `disable` or `forbid`");
        }
    }
}
