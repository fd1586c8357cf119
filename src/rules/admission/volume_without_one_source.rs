//! A volume has no source, or several.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::AdmittedGuest;
use crate::yaml::Node;

rule! {
    /// ## What it does
    ///
    /// Reports a volume that has not exactly one source, such as `dataVolume`, `persistentVolumeClaim`, `containerDisk`
    /// or `cloudInitNoCloud`.
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

pub(super) fn check(guest: AdmittedGuest<'_>, at: usize, volume: &Node, causes: &mut Causes) {
    let count = SOURCES
        .iter()
        .filter(|source| volume.get(source).is_some())
        .count();
    if count != 1 {
        let field = guest.at("volumes").index(at);
        let message = format!("{field} must have exactly one source type set");
        causes.push(&RULE, field, message).help(if count == 0 {
            "give it a source, such as `dataVolume`, `persistentVolumeClaim` or `containerDisk`"
        } else {
            "keep one of its sources; a second one is a volume of its own"
        });
    }
}
