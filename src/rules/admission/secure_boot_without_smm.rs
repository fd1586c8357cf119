//! Secure boot is on without system management mode.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports EFI firmware with secure boot while `features.smm` is absent or off. Secure boot is on unless
    /// `efi.secureBoot: false`.
    ///
    /// ## Why it matters
    ///
    /// Secure boot keeps its variables behind system management mode. From 1.9 on guests with TDX are exempt: their
    /// firmware needs none.
    ///
    /// KubeVirt's check: [`validateDomainSpec`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         features:
    ///           acpi: {}
    ///         firmware:
    ///           bootloader:
    ///             efi: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain: spec.template.spec.domain has EFI SecureBoot enabled. SecureBoot requires SMM, which is currently disabled.
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         features:
    ///           acpi: {}
    ///           smm: {}
    ///         firmware:
    ///           bootloader:
    ///             efi: {}
    /// ```
    "secure-boot-without-smm": "secure boot is on without system management mode"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let Some(efi) = guest.spec.path("domain.firmware.bootloader.efi") else {
        return;
    };
    let secure = efi.get("secureBoot").and_then(Node::as_bool) != Some(false);
    let exempt = guest.does(Behaviour::TdxNeedsNoSmm) && guest.has("domain.launchSecurity.tdx");
    if secure && !switched_on(guest.spec.path("domain.features.smm")) && !exempt {
        RULE.refuse(causes, guest.at("domain"))
            .because_it(
                "has EFI SecureBoot enabled. SecureBoot requires SMM, which is currently disabled.",
            )
            .at(guest.at("domain.firmware.bootloader.efi"))
            .help("add `features.smm: {}`, or set `efi.secureBoot: false`");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::words;

    /// Behaviour B09: EFI secure boot needs SMM, whether asked for or by default, absent or switched off.
    #[test]
    fn efi_secure_boot_needs_smm() {
        for (features, secure, refused) in [
            (json!({"acpi": {}}), json!({}), true),
            (
                json!({"smm": {"enabled": false}}),
                json!({"secureBoot": true}),
                true,
            ),
            (
                json!({"smm": {"enabled": true}}),
                json!({"secureBoot": true}),
                false,
            ),
            (json!({"smm": {}}), json!({}), false),
            (json!({}), json!({"secureBoot": false}), false),
        ] {
            let vm = json!({"spec": {"template": {"spec": {"domain": {"features": features, "firmware": {"bootloader": {"efi": secure}}}}}}});
            assert_eq!(
                !words(&RULE, Release::V1_9, &vm, &json!({})).is_empty(),
                refused,
                "{vm}"
            );
        }
    }
}
