//! Memory encryption needs a feature gate.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::AdmittedGuest;

rule! {
    /// ## What it does
    ///
    /// Reports `launchSecurity` where its feature gate is off: `WorkloadEncryptionSEV` for SEV and SNP,
    /// `WorkloadEncryptionTDX` for TDX, `SecureExecution` on s390x (1.6 to 1.8).
    ///
    /// ## Why it matters
    ///
    /// Encrypted guests need nodes that can do it. The gate for SEV and SNP is on by default from 1.9, the one for s390x
    /// gone.
    ///
    /// KubeVirt's check: [`ValidateLaunchSecurityAmd64`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/amd64.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         launchSecurity:
    ///           tdx: {}
    ///         firmware:
    ///           bootloader:
    ///             efi:
    ///               secureBoot: false
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         firmware:
    ///           bootloader:
    ///             efi:
    ///               secureBoot: false
    /// ```
    ///
    /// ## Limits
    ///
    /// Without a known configuration the finding is `depends-on-configuration`.
    "launch-security-without-gate": "memory encryption needs a feature gate"
}

pub(super) fn gate_off(guest: AdmittedGuest<'_>, gate: &str, causes: &mut Causes) -> bool {
    let off = !guest.gate(gate);
    if off {
        causes
            .push(
                &RULE,
                guest.at("launchSecurity"),
                format!("{gate} feature gate is not enabled in kubevirt-config"),
            )
            .at(guest.at("domain.launchSecurity"))
            .gate(gate);
    }
    off
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::words;

    #[test]
    fn the_bad_is_refused_and_the_good_is_not() {
        let bad = json!({"spec": {"template": {"spec": {"domain": {"launchSecurity": {"tdx": {}}, "firmware": {"bootloader": {"efi": {"secureBoot": false}}}}}}}});
        assert_eq!(
            words(&RULE, Release::V1_9, &bad, &json!({})),
            [(
                "spec.template.spec.launchSecurity",
                "WorkloadEncryptionTDX feature gate is not enabled in kubevirt-config"
            ),]
        );
        let good = json!({"spec": {"template": {"spec": {"domain": {"firmware": {"bootloader": {"efi": {"secureBoot": false}}}}}}}});
        assert!(words(&RULE, Release::V1_9, &good, &json!({})).is_empty());
    }
}
