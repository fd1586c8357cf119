//! A panic device is not enabled, or its model is unknown.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `devices.panicDevices` (1.6 and later) where the feature gate `PanicDevices` is off (1.6 to 1.8), on
    /// s390x, and with a model other than `hyperv`, `isa` and `pvpanic`.
    ///
    /// ## Why it matters
    ///
    /// They let a guest tell that it crashed; s390x guests do it in another way. From 1.9 on no gate is needed.
    ///
    /// KubeVirt's check: [`validatePanicDeviceModel`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.6..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           panicDevices:
    ///             - model: beep
    /// ```
    ///
    /// ```text,kubevirt=1.6..=1.8
    /// spec.template.spec.domain.devices.panicDevices: Panic Devices feature gate is not enabled in kubevirt-config
    /// ```
    ///
    /// ```text,kubevirt=1.9..
    /// spec.template.spec.domain.devices.panicDevices[0].model: invalid PanicDeviceModel(beep)
    /// ```
    ///
    /// ```yaml,good,kubevirt=1.9..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           panicDevices:
    ///             - model: pvpanic
    /// ```
    ///
    /// ## Limits
    ///
    /// Without a known configuration the missing gate is `depends-on-configuration`.
    "invalid-panic-device": "a panic device is not enabled, or its model is unknown"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let devices = guest.devices("panicDevices");
    if devices.is_empty() {
        return;
    }
    let field = guest.at("domain.devices.panicDevices");
    if !guest.gate("PanicDevices") {
        RULE.refuse(causes, field)
            .because("Panic Devices feature gate is not enabled in kubevirt-config")
            .gate("PanicDevices");
        return;
    }
    let architecture = guest.architecture();
    let without =
        architecture == "s390x" || (architecture == "ppc64le" && guest.does(Behaviour::Ppc64le));
    if without {
        RULE.refuse(causes, &field)
            .because(format!(
                "custom panic devices are not supported on {architecture} architecture"
            ))
            .help("remove `panicDevices`");
    }
    for (at, device) in devices.iter().enumerate() {
        let model = device.get("model").and_then(Node::as_str);
        if let Some(model) = model
            && !matches!(model, "hyperv" | "isa" | "pvpanic")
        {
            RULE.refuse(causes, field.index(at).field("model"))
                .because(format!("invalid PanicDeviceModel({model})"))
                .help("use `hyperv`, `isa` or `pvpanic`");
        }
    }
}
