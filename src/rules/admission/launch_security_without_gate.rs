//! Memory encryption needs a feature gate.

use super::prelude::*;

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
    /// ```yaml,bad,kubevirt=..=1.8
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         launchSecurity:
    ///           sev: {}
    ///         firmware:
    ///           bootloader:
    ///             efi:
    ///               secureBoot: false
    /// ```
    ///
    /// ```text
    /// spec.template.spec.launchSecurity: WorkloadEncryptionSEV feature gate is not enabled in kubevirt-config
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
        RULE.refuse(causes, guest.at("launchSecurity"))
            .because(format!(
                "{gate} feature gate is not enabled in kubevirt-config"
            ))
            .at(guest.at("domain.launchSecurity"))
            .gate(gate);
    }
    off
}
