//! Two volumes have the same name.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::{AdmittedGuest, named};
use crate::yaml::Node;

rule! {
    /// ## What it does
    ///
    /// Reports volumes that share a name.
    ///
    /// ## Why it matters
    ///
    /// Disks find their volume by name.
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
    ///           containerDisk:
    ///             image: example.com/fedora:42
    ///         - name: root
    ///           emptyDisk:
    ///             capacity: 1Gi
    ///       domain:
    ///         devices:
    ///           disks:
    ///             - name: root
    ///               disk:
    ///                 bus: virtio
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[1].name: spec.template.spec.volumes[1] and spec.template.spec.volumes[0] must not have the same Name.
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
    ///         - name: scratch
    ///           emptyDisk:
    ///             capacity: 1Gi
    /// ```
    "repeated-volume-name": "two volumes have the same name"
}

pub(super) fn check(guest: AdmittedGuest<'_>, at: usize, volume: &Node, causes: &mut Causes) {
    let name = volume.str_at("name");
    let first = guest.volumes()[..at]
        .iter()
        .position(|other| named(other, name));
    if let Some(first) = first {
        let field = guest.at("volumes").index(at);
        let message = format!(
            "{field} and {} must not have the same Name.",
            guest.at("volumes").index(first)
        );
        causes
            .push(&RULE, field.field("name"), message)
            .help("give each volume a name of its own");
    }
}
