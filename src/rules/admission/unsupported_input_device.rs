//! An input device is not a tablet.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `inputs` with a type other than `tablet` or a bus other than `virtio` and `usb`.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt emulates no other input device.
    ///
    /// KubeVirt's check: [`validateInputDevices`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           inputs:
    ///             - name: pad
    ///               type: keyboard
    ///               bus: virtio
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.inputs[0].type: Input device can have only tablet type.
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           inputs:
    ///             - name: pad
    ///               type: tablet
    ///               bus: virtio
    /// ```
    "unsupported-input-device": "an input device is not a tablet"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    for input in guest.each("domain.devices.inputs") {
        if !matches!(input.str_at("bus"), "" | "virtio" | "usb") {
            RULE.refuse(causes, input.at("bus"))
                .because("Input device can have only virtio or usb bus.")
                .help("use `bus: virtio` or `bus: usb`");
        }
        if input.str_at("type") != "tablet" {
            RULE.refuse(causes, input.at("type"))
                .because("Input device can have only tablet type.")
                .help("use `type: tablet`");
        }
    }
}
