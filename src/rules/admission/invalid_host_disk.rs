//! A host disk is incomplete or contradictory.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::{AdmittedGuest, amount};
use crate::yaml::Node;

rule! {
    /// ## What it does
    ///
    /// Reports a `hostDisk` without a path, with a type other than `Disk` and `DiskOrCreate`, and with a capacity beside
    /// the type `Disk`.
    ///
    /// ## Why it matters
    ///
    /// `Disk` is a file that exists and has its size; `DiskOrCreate` is made with the capacity where it does not.
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

pub(super) fn check(guest: AdmittedGuest<'_>, at: usize, volume: &Node, causes: &mut Causes) {
    let Some(disk) = volume.get("hostDisk") else {
        return;
    };
    let field = guest.at("volumes").index(at).field("hostDisk");
    if disk.str_at("path").is_empty() {
        let message = format!("{field}.path is required for hostDisk volume");
        causes.push(&RULE, field.field("path"), message);
    }
    let kind = disk.str_at("type");
    if !matches!(kind, "Disk" | "DiskOrCreate") {
        let message = format!(
            "{field}.type has invalid value '{kind}', allowed are 'Disk' or 'DiskOrCreate'"
        );
        causes.push(&RULE, field.field("type"), message);
    }
    let sized = disk
        .get("capacity")
        .and_then(amount)
        .is_some_and(|capacity| !capacity.is_zero());
    if kind == "Disk" && sized {
        let message = format!(
            "{field}.capacity is allowed to pass only with {field}.type equal to 'DiskOrCreate'"
        );
        causes
            .push(&RULE, field.field("capacity"), message)
            .help("use `type: DiskOrCreate`, or leave the capacity out");
    }
}
