//! The video device is not enabled, or contradicts other fields.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `devices.video` (1.6 and later) where the feature gate `VideoConfig` is off (1.6 to 1.8), or beside
    /// `autoattachGraphicsDevice: false`.
    ///
    /// ## Why it matters
    ///
    /// The device would be configured and left out at once. From 1.9 on no gate is needed.
    ///
    /// KubeVirt's check: [`validateVideoConfig`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.6..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           autoattachGraphicsDevice: false
    ///           video:
    ///             type: virtio
    /// ```
    ///
    /// ```text,kubevirt=1.6..=1.8
    /// spec.template.spec.video: Video configuration is specified but the VideoConfig feature gate is not enabled
    /// ```
    ///
    /// ```text,kubevirt=1.9..
    /// spec.template.spec.video: Video configuration is not allowed when autoattachGraphicsDevice is set to false
    /// ```
    ///
    /// ```yaml,good,kubevirt=1.9..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           video:
    ///             type: virtio
    /// ```
    ///
    /// ## Limits
    ///
    /// Whether the type suits the architecture is checked when the guest starts.
    "invalid-video-device": "the video device is not enabled, or contradicts other fields"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if !guest.has("domain.devices.video") {
        return;
    }
    let (field, place) = (guest.at("video"), guest.at("domain.devices.video"));
    if !guest.gate("VideoConfig") {
        RULE.refuse(causes, field)
            .because(
                "Video configuration is specified but the VideoConfig feature gate is not enabled",
            )
            .at(place)
            .gate("VideoConfig");
        return;
    }
    let graphics = guest.spec.path("domain.devices.autoattachGraphicsDevice");
    if graphics.and_then(Node::as_bool) == Some(false) {
        RULE.refuse(causes, field)
            .because(
                "Video configuration is not allowed when autoattachGraphicsDevice is set to false",
            )
            .at(place)
            .help("remove `video`, or `autoattachGraphicsDevice: false`");
    }
}
