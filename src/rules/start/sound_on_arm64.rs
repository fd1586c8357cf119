//! Guests of arm64 have no sound device.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `devices.sound` in a guest of arm64.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt emulates no sound device there, and refuses every start.
    ///
    /// KubeVirt's check: [`validateSoundDevice`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/arm64.go).
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
    ///         devices:
    ///           sound:
    ///             name: sound
    /// ```
    ///
    /// ```text
    /// spec.domain.devices.sound: Arm64 not support sound device
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       architecture: amd64
    ///       domain:
    ///         devices:
    ///           sound:
    ///             name: sound
    /// ```
    "sound-on-arm64": "guests of arm64 have no sound device"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if guest.str("architecture") == "arm64" && guest.has("domain.devices.sound") {
        RULE.refuse(causes, guest.at("domain.devices.sound"))
            .because("Arm64 not support sound device")
            .help("remove `sound`");
    }
}
