//! A Hyper-V feature needs one that is switched off.

use super::prelude::*;
use crate::transform::start::hyperv::{REQUIREMENTS, is_on};

rule! {
    /// ## What it does
    ///
    /// Reports a Hyper-V feature that is on while the one it needs is switched off: `evmcs` needs `vapic`; `ipi`, `tlbflush`
    /// and `synic` need `vpindex`; `synictimer` needs `synic`.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt switches on what a feature needs, unless it is switched off explicitly. Then every start is refused.
    ///
    /// KubeVirt's check: [`ValidateVirtualMachineInstanceHypervFeatureDependencies`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/hyperv.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         features:
    ///           hyperv:
    ///             synic: {}
    ///             vpindex:
    ///               enabled: false
    /// ```
    ///
    /// ```text
    /// spec.domain.features.hyperv.domain.features.hyperv.synic: 'spec.domain.features.hyperv.domain.features.hyperv.synic' requires 'spec.domain.features.hyperv.domain.features.hyperv.vpindex', which was disabled.
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         features:
    ///           hyperv:
    ///             synic: {}
    /// ```
    "hyperv-requirement-disabled": "a Hyper-V feature needs one that is switched off"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let Some(hyperv) = guest.spec.path("domain.features.hyperv") else {
        return;
    };
    for (feature, needed) in REQUIREMENTS {
        if !is_on(hyperv, feature) || is_on(hyperv, needed) {
            continue;
        }
        let field = |feature: &str| {
            guest
                .at("domain.features.hyperv")
                .then("domain.features.hyperv")
                .field(feature)
        };
        let place = guest.at("domain.features.hyperv").field(feature);
        RULE.refuse(causes, field(feature))
            .because(format!(
                "'{}' requires '{}', which was disabled.",
                field(feature),
                field(needed)
            ))
            .at(place)
            .help(format!("leave `{needed}` out, or switch `{feature}` off"));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::start_edges;

    #[test]
    fn only_a_need_that_is_off_explicitly_is_missing() {
        start_edges(
            &RULE,
            "domain: {memory: {guest: 1Gi}, devices: {}, features: {hyperv: {$}}}",
            &[
                ("ipi: {}, vpindex: {enabled: false}", true),
                ("ipi: {}, vpindex: {}", false),
                ("ipi: {}", false),
                ("ipi: {enabled: false}, vpindex: {enabled: false}", false),
                ("synictimer: {}", false),
                ("synictimer: {}, synic: {enabled: false}", true),
                ("tlbflush: {}, vpindex: {enabled: false}", true),
                ("vpindex: {enabled: false}", false),
            ],
        );
    }
}
