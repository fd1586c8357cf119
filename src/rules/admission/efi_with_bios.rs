//! The firmware is both EFI and BIOS.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `firmware.bootloader` with both `efi` and `bios`.
    ///
    /// ## Why it matters
    ///
    /// The guest boots with one of them.
    ///
    /// KubeVirt's check: [`validateBootloader`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         firmware:
    ///           bootloader:
    ///             bios: {}
    ///             efi:
    ///               secureBoot: false
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.firmware.bootloader: spec.template.spec.domain.firmware.bootloader has both EFI and BIOS configured, but they are mutually exclusive.
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
    "efi-with-bios": "the firmware is both EFI and BIOS"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let path = "domain.firmware.bootloader";
    if guest.has(&format!("{path}.efi")) && guest.has(&format!("{path}.bios")) {
        RULE.refuse(causes, guest.at(path))
            .because_it("has both EFI and BIOS configured, but they are mutually exclusive.")
            .help("keep either `efi` or `bios`");
    }
}
