//! The downward metrics disk is not on the virtio bus.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `downwardMetrics` volume whose disk is not a `disk`, or has another bus than `virtio`.
    ///
    /// ## Why it matters
    ///
    /// The guest's tools read the metrics from a virtio disk.
    ///
    /// KubeVirt's check: [`validateBootOrder`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,configuration
    /// developerConfiguration:
    ///   featureGates:
    ///     - DownwardMetrics
    /// ```
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           disks:
    ///             - name: metrics
    ///               disk:
    ///                 bus: sata
    ///       volumes:
    ///         - name: metrics
    ///           downwardMetrics: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.disks[0].disk.bus: DownwardMetrics volume must be mapped to virtio bus, but spec.template.spec.domain.devices.disks[0].disk.bus is set to sata
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           disks:
    ///             - name: metrics
    ///               disk:
    ///                 bus: virtio
    ///       volumes:
    ///         - name: metrics
    ///           downwardMetrics: {}
    /// ```
    "downward-metrics-disk": "the downward metrics disk is not on the virtio bus"
}

pub(super) fn check(guest: AdmittedGuest<'_>, disk: Item<'_>, causes: &mut Causes) {
    let volume = guest.volume(disk.str_at("name"));
    if volume.is_none_or(|volume| volume.get("downwardMetrics").is_none()) {
        return;
    }
    let field = disk.at("disk");
    let Some(target) = disk.get("disk") else {
        RULE.refuse(causes, &field)
            .because(format!(
                "DownwardMetrics volume must be mapped to a disk, but disk is not set on {field}."
            ))
            .help("make it `disk: {bus: virtio}`");
        return;
    };
    let bus = target.str_at("bus");
    if !matches!(bus, "" | "virtio") {
        RULE.refuse(causes, field.field("bus"))
            .because(format!("DownwardMetrics volume must be mapped to virtio bus, but {field}.bus is set to {bus}"))
            .help("use `bus: virtio`");
    }
}
