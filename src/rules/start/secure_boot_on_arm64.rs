//! Guests of arm64 have no secure boot.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `firmware.bootloader.efi` in a guest of arm64, up to 1.7, unless it says `secureBoot: false`.
    ///
    /// ## Why it matters
    ///
    /// Secure boot is on where `efi` says nothing. From 1.8 on KubeVirt then turns it off, and starts the guest.
    ///
    /// KubeVirt's check: [`validateBootOptions`](https://github.com/kubevirt/kubevirt/blob/v1.7.4/pkg/virt-api/webhooks/arm64.go).
    ///
    /// ## Example
    ///
    /// ```yaml,configuration
    /// developerConfiguration:
    ///   featureGates: [MultiArchitecture]
    /// ```
    ///
    /// ```yaml,bad,kubevirt=..=1.7
    /// spec:
    ///   template:
    ///     spec:
    ///       architecture: arm64
    ///       domain:
    ///         features:
    ///           smm: {}
    ///         firmware:
    ///           bootloader:
    ///             efi: {}
    /// ```
    ///
    /// ```text
    /// spec.domain.firmware.bootloader.efi.secureboot: UEFI secure boot is currently not supported on aarch64 Arch
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       architecture: arm64
    ///       domain:
    ///         firmware:
    ///           bootloader:
    ///             efi:
    ///               secureBoot: false
    /// ```
    "secure-boot-on-arm64": "guests of arm64 have no secure boot"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if guest.does(Behaviour::TurnsArmSecureBootOff) || guest.str("architecture") != "arm64" {
        return;
    }
    let Some(efi) = guest.spec.path("domain.firmware.bootloader.efi") else {
        return;
    };
    if efi.get("secureBoot").and_then(Node::as_bool) != Some(false) {
        RULE.refuse(
            causes,
            guest.at("domain.firmware.bootloader.efi.secureboot"),
        )
        .because("UEFI secure boot is currently not supported on aarch64 Arch")
        .at(guest.at("domain.firmware.bootloader.efi.secureBoot"))
        .help("set `efi.secureBoot: false`");
    }
}
