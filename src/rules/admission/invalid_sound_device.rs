//! The sound device is unknown or has no name.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `devices.sound` with a model other than `ich9` and `ac97`, or without a name.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt emulates no other sound card.
    ///
    /// KubeVirt's check: [`validateSoundDevices`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           sound:
    ///             name: audio
    ///             model: sb16
    /// ```
    ///
    /// ```text
    /// spec.template.spec.Sound: Sound device type is not supported. Options: 'ich9' or 'ac97'
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           sound:
    ///             name: audio
    ///             model: ich9
    /// ```
    "invalid-sound-device": "the sound device is unknown or has no name"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let Some(sound) = guest.spec.path("domain.devices.sound") else {
        return;
    };
    let place = guest.at("domain.devices.sound");
    if !matches!(sound.str_at("model"), "" | "ich9" | "ac97") {
        RULE.refuse(causes, guest.at("Sound"))
            .because("Sound device type is not supported. Options: 'ich9' or 'ac97'")
            .at(place.field("model"))
            .help("use `model: ich9`");
    }
    if sound.str_at("name").is_empty() {
        RULE.refuse(causes, guest.at("Sound"))
            .because("Sound device requires a name field.")
            .at(place);
    }
}
