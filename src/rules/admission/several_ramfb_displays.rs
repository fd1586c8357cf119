//! More than one virtual GPU shows the boot display.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports more than one GPU whose `virtualGPUOptions.display` is on with `ramFB`, which is the default of a
    /// display.
    ///
    /// ## Why it matters
    ///
    /// The boot display is shown by one device.
    ///
    /// KubeVirt's check: [`validateMDEVRamFB`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           gpus:
    ///             - name: a
    ///               deviceName: nvidia.com/vgpu
    ///               virtualGPUOptions:
    ///                 display: {}
    ///             - name: b
    ///               deviceName: nvidia.com/vgpu
    ///               virtualGPUOptions:
    ///                 display: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.GPUs: configuring multiple displays with ramfb is not valid
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           gpus:
    ///             - name: a
    ///               deviceName: nvidia.com/vgpu
    ///               virtualGPUOptions:
    ///                 display: {}
    ///             - name: b
    ///               deviceName: nvidia.com/vgpu
    ///               virtualGPUOptions:
    ///                 display:
    ///                   ramFB:
    ///                     enabled: false
    /// ```
    "several-ramfb-displays": "more than one virtual GPU shows the boot display"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let shows = |gpu: &Node| {
        let display = gpu.path("virtualGPUOptions.display");
        let ramfb = display.and_then(|display| display.get("ramFB"));
        switched_on(display) && ramfb.is_none_or(|ramfb| ramfb.bool_at("enabled"))
    };
    let mut gpus = guest.each("domain.devices.gpus").filter(|gpu| shows(gpu));
    if let (Some(_), Some(second)) = (gpus.next(), gpus.next()) {
        RULE.refuse(causes, guest.at("GPUs"))
            .because("configuring multiple displays with ramfb is not valid ")
            .at(second.at("virtualGPUOptions.display"))
            .help("set `display.ramFB.enabled: false` on all but one");
    }
}
