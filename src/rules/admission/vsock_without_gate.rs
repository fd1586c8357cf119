//! A VSOCK device needs a feature gate.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::AdmittedGuest;

rule! {
    /// ## What it does
    ///
    /// Reports `devices.autoattachVSOCK: true` where the feature gate `VSOCK` is off.
    ///
    /// ## Why it matters
    ///
    /// VSOCK gives guests a channel to the node, which a cluster has to allow.
    ///
    /// KubeVirt's check: [`validateVSOCK`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           autoattachVSOCK: true
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           autoattachVSOCK: false
    /// ```
    ///
    /// ## Limits
    ///
    /// Without a known configuration the finding is `depends-on-configuration`.
    "vsock-without-gate": "a VSOCK device needs a feature gate"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if guest.is("domain.devices.autoattachVSOCK") && !guest.gate("VSOCK") {
        causes
            .push(
                &RULE,
                guest.at("domain.devices.autoattachVSOCK"),
                "VSOCK feature gate is not enabled in kubevirt-config",
            )
            .gate("VSOCK");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::words;

    #[test]
    fn the_bad_is_refused_and_the_good_is_not() {
        let bad = json!({"spec": {"template": {"spec": {"domain": {"devices": {"autoattachVSOCK": true}}}}}});
        assert_eq!(
            words(&RULE, Release::V1_9, &bad, &json!({})),
            [(
                "spec.template.spec.domain.devices.autoattachVSOCK",
                "VSOCK feature gate is not enabled in kubevirt-config"
            ),]
        );
        let good = json!({"spec": {"template": {"spec": {"domain": {"devices": {"autoattachVSOCK": false}}}}}});
        assert!(words(&RULE, Release::V1_9, &good, &json!({})).is_empty());
    }
}
