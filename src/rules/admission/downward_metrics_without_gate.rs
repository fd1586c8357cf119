//! Downward metrics need a feature gate.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `downwardMetrics` volumes and the `devices.downwardMetrics` channel where the feature gate
    /// `DownwardMetrics` is off.
    ///
    /// ## Why it matters
    ///
    /// They tell the guest about its host, which a cluster has to allow.
    ///
    /// KubeVirt's check: [`validateDownwardMetrics`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           downwardMetrics: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.downwardMetrics: downwardMetrics virtio serial is not allowed: DownwardMetrics feature gate is not enabled
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    /// ```
    ///
    /// ## Limits
    ///
    /// Without a known configuration the finding is `depends-on-configuration`.
    "downward-metrics-without-gate": "downward metrics need a feature gate"
}

const GATE: &str = "DownwardMetrics";

pub(super) fn check_volume(guest: AdmittedGuest<'_>, volume: Item<'_>, causes: &mut Causes) {
    if volume.get("downwardMetrics").is_some() && !guest.gate(GATE) {
        RULE.refuse(causes, volume.place())
            .because("downwardMetrics disks are not allowed: DownwardMetrics feature gate is not enabled.")
            .gate(GATE);
    }
}

pub(super) fn check_device(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if guest.has("domain.devices.downwardMetrics") && !guest.gate(GATE) {
        RULE.refuse(causes, guest.at("domain.devices.downwardMetrics"))
            .because("downwardMetrics virtio serial is not allowed: DownwardMetrics feature gate is not enabled")
            .gate(GATE);
    }
}
