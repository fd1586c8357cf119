//! Host disks need a feature gate.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `hostDisk` volumes where the feature gate `HostDisk` is off.
    ///
    /// ## Why it matters
    ///
    /// A host disk is a file of the node, which a cluster has to allow.
    ///
    /// KubeVirt's check: [`validateVolumes`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
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
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[0]: HostDisk feature gate is not enabled
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: data
    ///           persistentVolumeClaim:
    ///             claimName: data
    /// ```
    ///
    /// ## Limits
    ///
    /// Without a known configuration the finding is `depends-on-configuration`.
    "host-disk-without-gate": "host disks need a feature gate"
}

pub(super) fn check(guest: AdmittedGuest<'_>, volume: Item<'_>, causes: &mut Causes) {
    if volume.get("hostDisk").is_some() && !guest.gate("HostDisk") {
        RULE.refuse(causes, volume.place())
            .because("HostDisk feature gate is not enabled")
            .at(volume.at("hostDisk"))
            .gate("HostDisk")
            .help("use a `persistentVolumeClaim`, or enable the feature gate `HostDisk`");
    }
}
