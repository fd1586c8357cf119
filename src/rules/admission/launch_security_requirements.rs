//! The VM has settings that memory encryption excludes.

use super::launch_security_without_gate::gate_off;
use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `launchSecurity` without EFI; SEV and SNP with secure boot; SNP and TDX with persistent EFI variables;
    /// TDX with system management mode; SEV attestation without `startStrategy: Paused`; interfaces that boot; more or
    /// fewer than one type; and architectures that have none.
    ///
    /// ## Why it matters
    ///
    /// Encrypted guests boot from measured firmware only, and nothing outside may change it. Up to 1.6 only SEV exists.
    ///
    /// KubeVirt's check: [`validateLaunchSecurity`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,configuration
    /// developerConfiguration:
    ///   featureGates:
    ///     - WorkloadEncryptionSEV
    /// ```
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         launchSecurity:
    ///           sev: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.launchSecurity: SEV requires OVMF (UEFI)
    /// ```
    ///
    /// ```yaml,good
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
    /// ## Limits
    ///
    /// Hidden where the feature gate is off: KubeVirt then says only that.
    "launch-security-requirements": "the VM has settings that memory encryption excludes"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let Some(security) = guest.spec.path("domain.launchSecurity") else {
        return;
    };
    if guest.does(Behaviour::LaunchSecurityByArchitecture) {
        match guest.str("architecture") {
            "amd64" => check_amd64(guest, security, causes),
            "s390x" => {
                gate_off(guest, "SecureExecution", causes);
            }
            architecture => {
                RULE.refuse(causes, guest.at("architecture"))
                    .because(format!(
                        "No launchSecurity support for architecture: {architecture}"
                    ))
                    .help("remove `launchSecurity`");
            }
        }
        return;
    }
    let sev = security.get("sev").is_some();
    let secure_execution = guest.does(Behaviour::HasSecureExecution);
    if secure_execution && guest.str("architecture") == "s390x" {
        gate_off(guest, "SecureExecution", causes);
    }
    let asks = sev || !secure_execution;
    if asks && gate_off(guest, "WorkloadEncryptionSEV", causes) {
        return;
    }
    if sev {
        check_firmware(guest, "SEV", causes);
        check_start(guest, security, causes);
        check_interfaces(guest, "SEV", causes);
    }
}

fn push(guest: AdmittedGuest<'_>, message: impl Into<String>, causes: &mut Causes) {
    RULE.refuse(causes, guest.at("launchSecurity"))
        .because(message)
        .at(guest.at("domain.launchSecurity"));
}

fn check_amd64(guest: AdmittedGuest<'_>, security: &Node, causes: &mut Causes) {
    let types: Vec<(&str, &str)> = [("sev", "SEV"), ("snp", "SNP"), ("tdx", "TDX")]
        .into_iter()
        .filter(|(key, _)| security.get(key).is_some())
        .collect();
    let [(_, name)] = types.as_slice() else {
        push(
            guest,
            "One and only one launchSecurity type can be set",
            causes,
        );
        return;
    };
    let gate = if *name == "TDX" {
        "WorkloadEncryptionTDX"
    } else {
        "WorkloadEncryptionSEV"
    };
    if gate_off(guest, gate, causes) {
        return;
    }
    if *name == "TDX" && switched_on(guest.spec.path("domain.features.smm")) {
        push(guest, "TDX does not work along with SMM", causes);
    }
    check_firmware(guest, name, causes);
    if *name == "SEV" {
        check_start(guest, security, causes);
    }
    check_interfaces(guest, name, causes);
}

fn check_firmware(guest: AdmittedGuest<'_>, name: &str, causes: &mut Causes) {
    let Some(efi) = guest.spec.path("domain.firmware.bootloader.efi") else {
        push(guest, format!("{name} requires OVMF (UEFI)"), causes);
        return;
    };
    let secure = efi.get("secureBoot").and_then(Node::as_bool) != Some(false);
    if name != "TDX" && secure {
        let message = format!("{name} does not work along with SecureBoot");
        push(guest, message, causes);
    }
    if name != "SEV" && efi.bool_at("persistent") {
        let message = format!("{name} does not work along with Persistent EFI variables");
        push(guest, message, causes);
    }
}

fn check_start(guest: AdmittedGuest<'_>, security: &Node, causes: &mut Causes) {
    let paused = guest.str("startStrategy") == "Paused";
    if security.path("sev.attestation").is_some() && !paused {
        let message = "SEV attestation requires VMI StartStrategy 'Paused'";
        push(guest, message, causes);
    }
}

fn check_interfaces(guest: AdmittedGuest<'_>, name: &str, causes: &mut Causes) {
    for interface in guest.devices("interfaces") {
        if interface.get("bootOrder").is_some() {
            let interface = interface.str_at("name");
            let message = format!("{name} does not work with bootable NICs: {interface}");
            push(guest, message, causes);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::words;

    #[test]
    fn each_type_excludes_something() {
        let said = |release, domain: serde_json::Value| {
            let vm = json!({"spec": {"template": {"spec": {"domain": domain}}}});
            let config = json!({"developerConfiguration": {"featureGates": ["WorkloadEncryptionSEV", "WorkloadEncryptionTDX"]}});
            words(&RULE, release, &vm, &config)
                .into_iter()
                .map(|(_, message)| message)
                .collect::<Vec<_>>()
        };
        let efi = |secure: bool, persistent: bool| json!({"bootloader": {"efi": {"secureBoot": secure, "persistent": persistent}}});
        assert_eq!(
            said(
                Release::V1_9,
                json!({"launchSecurity": {"sev": {}, "snp": {}}})
            ),
            ["One and only one launchSecurity type can be set"]
        );
        assert_eq!(
            said(
                Release::V1_9,
                json!({"launchSecurity": {"snp": {}}, "features": {"smm": {}}, "firmware": efi(true, true)})
            ),
            [
                "SNP does not work along with SecureBoot",
                "SNP does not work along with Persistent EFI variables"
            ]
        );
        assert_eq!(
            said(
                Release::V1_9,
                json!({"launchSecurity": {"tdx": {}}, "features": {"smm": {}}, "firmware": efi(true, true)})
            ),
            [
                "TDX does not work along with SMM",
                "TDX does not work along with Persistent EFI variables"
            ]
        );
        for release in [Release::V1_5, Release::V1_6, Release::V1_9] {
            assert_eq!(
                said(
                    release,
                    json!({"launchSecurity": {"sev": {"attestation": {}}}, "firmware": efi(false, false)})
                ),
                ["SEV attestation requires VMI StartStrategy 'Paused'"]
            );
        }
    }
}
