//! A host disk is incomplete or contradictory.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `hostDisk` without a path, with a type other than `Disk` and `DiskOrCreate`, and with a capacity beside
    /// the type `Disk`.
    ///
    /// ## Why it matters
    ///
    /// `Disk` names a file that exists and has a size; for `DiskOrCreate` KubeVirt creates a missing file with the
    /// capacity.
    ///
    /// KubeVirt's check: [`validateVolumes`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,configuration
    /// developerConfiguration:
    ///   featureGates:
    ///     - HostDisk
    /// ```
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: data
    ///           hostDisk:
    ///             path: /data/disk.img
    ///             type: Disk
    ///             capacity: 1Gi
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[0].hostDisk.capacity: spec.template.spec.volumes[0].hostDisk.capacity is allowed to pass only with spec.template.spec.volumes[0].hostDisk.type equal to 'DiskOrCreate'
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: data
    ///           hostDisk:
    ///             path: /data/disk.img
    ///             type: DiskOrCreate
    ///             capacity: 1Gi
    /// ```
    "invalid-host-disk": "a host disk is incomplete or contradictory"
}

pub(super) fn check(volume: Item<'_>, causes: &mut Causes) {
    let Some(disk) = volume.get("hostDisk") else {
        return;
    };
    let field = volume.at("hostDisk");
    if disk.str_at("path").is_empty() {
        RULE.refuse(causes, field.field("path"))
            .because_it("is required for hostDisk volume");
    }
    let kind = disk.str_at("type");
    if !matches!(kind, "Disk" | "DiskOrCreate") {
        RULE.refuse(causes, field.field("type")).because_it(format!(
            "has invalid value '{kind}', allowed are 'Disk' or 'DiskOrCreate'"
        ));
    }
    let sized = disk
        .get("capacity")
        .and_then(amount)
        .is_some_and(|capacity| !capacity.is_zero());
    if kind == "Disk" && sized {
        RULE.refuse(causes, field.field("capacity"))
            .because_it(format!(
                "is allowed to pass only with {field}.type equal to 'DiskOrCreate'"
            ))
            .help("use `type: DiskOrCreate`, or leave the capacity out");
    }
}
