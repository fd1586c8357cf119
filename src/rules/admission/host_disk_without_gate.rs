//! Host disks need a feature gate.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::AdmittedGuest;
use crate::yaml::Node;

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

pub(super) fn check(guest: AdmittedGuest<'_>, at: usize, volume: &Node, causes: &mut Causes) {
    if volume.get("hostDisk").is_some() && !guest.gate("HostDisk") {
        causes
            .push(
                &RULE,
                guest.at("volumes").index(at),
                "HostDisk feature gate is not enabled",
            )
            .at(guest.at("volumes").index(at).field("hostDisk"))
            .gate("HostDisk")
            .help("use a `persistentVolumeClaim`, or enable the feature gate `HostDisk`");
    }
}
