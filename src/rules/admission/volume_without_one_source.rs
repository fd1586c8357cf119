//! A volume has no source, or several.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a volume that does not have exactly one source, such as `dataVolume`, `persistentVolumeClaim`,
    /// `containerDisk` or `cloudInitNoCloud`.
    ///
    /// ## Why it matters
    ///
    /// A volume is one thing.
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
    ///         - name: root
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[0]: spec.template.spec.volumes[0] must have exactly one source type set
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    "volume-without-one-source": "a volume has no source, or several"
}

/// Everything a volume can be; `containerPath` counts where the release knows it.
const SOURCES: [&str; 16] = [
    "persistentVolumeClaim",
    "sysprep",
    "cloudInitNoCloud",
    "cloudInitConfigDrive",
    "containerDisk",
    "ephemeral",
    "emptyDisk",
    "hostDisk",
    "dataVolume",
    "configMap",
    "secret",
    "downwardAPI",
    "serviceAccount",
    "downwardMetrics",
    "memoryDump",
    "containerPath",
];

pub(super) fn check(volume: Item<'_>, causes: &mut Causes) {
    let sources = count(&volume, &SOURCES);
    if sources != 1 {
        RULE.refuse(causes, volume.place())
            .because_it("must have exactly one source type set")
            .help(if sources == 0 {
                "give it a source, such as `dataVolume`, `persistentVolumeClaim` or `containerDisk`"
            } else {
                "keep one of its sources; a second one is a volume of its own"
            });
    }
}
