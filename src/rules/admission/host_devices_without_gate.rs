//! Host devices need a feature gate.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `devices.hostDevices` where the feature gate `HostDevices` is off.
    ///
    /// ## Why it matters
    ///
    /// A cluster has to allow that hardware of a node is passed to a guest.
    ///
    /// KubeVirt's check: [`validateHostDevicesWithPassthroughEnabled`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           hostDevices:
    ///             - name: nic
    ///               deviceName: vendor.example/nic
    /// ```
    ///
    /// ```text
    /// spec.template.spec.HostDevices: Host Devices feature gate is not enabled in kubevirt-config
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           gpus:
    ///             - name: gpu
    ///               deviceName: vendor.example/gpu
    /// ```
    ///
    /// ## Limits
    ///
    /// Without a known configuration the finding is `depends-on-configuration`. Whether a node has the device is not
    /// known.
    "host-devices-without-gate": "host devices need a feature gate"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if guest.has("domain.devices.hostDevices") && !guest.gate("HostDevices") {
        RULE.refuse(causes, guest.at("HostDevices"))
            .because("Host Devices feature gate is not enabled in kubevirt-config")
            .at(guest.at("domain.devices.hostDevices"))
            .gate("HostDevices");
    }
}
