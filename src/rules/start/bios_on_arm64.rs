//! Guests of arm64 do not boot with a BIOS.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `firmware.bootloader.bios` in a guest of arm64.
    ///
    /// ## Why it matters
    ///
    /// There is no BIOS for arm64. The boot loader may come from a preference: `preferredUseBios`.
    ///
    /// KubeVirt's check: [`validateBootOptions`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/arm64.go).
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
    ///         firmware:
    ///           bootloader:
    ///             bios: {}
    /// ```
    ///
    /// ```text
    /// spec.domain.firmware.bootloader.bios: Arm64 does not support bios boot, please change to uefi boot
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
    "bios-on-arm64": "guests of arm64 do not boot with a BIOS"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let bios = "domain.firmware.bootloader.bios";
    if guest.str("architecture") == "arm64" && guest.has(bios) {
        RULE.refuse(causes, guest.at(bios))
            .because("Arm64 does not support bios boot, please change to uefi boot")
            .help("use `efi: {secureBoot: false}`");
    }
}
