//! Nested Hyper-V lacks the processor feature it needs.

use super::prelude::*;
use crate::transform::start::hyperv::wants_evmcs;

rule! {
    /// ## What it does
    ///
    /// Reports `hyperv.evmcs` in a guest whose processor does not require the feature `vmx`.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt adds `vmx` by itself, unless another Hyper-V feature of the guest needs one that is switched off: it then
    /// stops where it is, and the start is refused for both reasons.
    ///
    /// KubeVirt's check: [`ValidateVirtualMachineInstanceHypervFeatureDependencies`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/hyperv.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,with=hyperv-requirement-disabled
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         features:
    ///           hyperv:
    ///             evmcs: {}
    ///             ipi: {}
    ///             vpindex:
    ///               enabled: false
    /// ```
    ///
    /// ```text
    /// spec.domain.cpu.features: vmx cpu feature is required when evmcs is set
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         features:
    ///           hyperv:
    ///             evmcs: {}
    /// ```
    "evmcs-without-vmx": "nested Hyper-V lacks the processor feature it needs"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let hyperv = guest.spec.path("domain.features.hyperv");
    if !hyperv.is_some_and(wants_evmcs) {
        return;
    }
    let help =
        "correct the Hyper-V feature that needs one that is switched off: KubeVirt then adds `vmx`";
    let features = guest.items("domain.cpu.features");
    if features.is_empty() {
        RULE.refuse(causes, guest.at("domain.cpu.features"))
            .because("vmx cpu feature is required when evmcs is set")
            .at(guest.at("domain.features.hyperv.evmcs"))
            .help(help);
    }
    for (at, feature) in features.iter().enumerate() {
        if named(feature, "vmx") && feature.str_at("policy") != "require" {
            let field = guest.at("domain.cpu.features").index(at).field("policy");
            RULE.refuse(causes, field)
                .because("vmx cpu feature has to be set to require policy")
                .help(help);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::start_rules;

    #[test]
    fn the_policy_of_vmx_is_left_where_kubevirt_stops_before_it() {
        let rules = |hyperv: &str| {
            start_rules(&format!(
                "domain: {{memory: {{guest: 1Gi}}, devices: {{}}, cpu: {{features: [{{name: vmx, policy: disable}}]}}, features: {{hyperv: {hyperv}}}}}"
            ))
        };
        let both = ["hyperv-requirement-disabled", RULE.info.id];
        assert_eq!(
            rules("{evmcs: {}, ipi: {}, vpindex: {enabled: false}}"),
            both
        );
        assert!(rules("{evmcs: {}}").is_empty());
        assert!(rules("{evmcs: {enabled: false}}").is_empty());
    }
}
