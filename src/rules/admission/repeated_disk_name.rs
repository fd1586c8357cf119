//! Two disks have the same name.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::{AdmittedGuest, named};
use crate::yaml::Node;

rule! {
    /// ## What it does
    ///
    /// Reports disks that share a name.
    ///
    /// ## Why it matters
    ///
    /// Disks are paired with volumes by name.
    ///
    /// KubeVirt's check: [`validateDiskName`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/storage/admitters/disks.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           disks:
    ///             - &id001
    ///               name: root
    ///               disk:
    ///                 bus: virtio
    ///             - *id001
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.disks[1].name: spec.template.spec.domain.devices.disks[1] and spec.template.spec.domain.devices.disks[0] must not have the same Name.
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           disks:
    ///             - name: root
    ///               disk:
    ///                 bus: virtio
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    "repeated-disk-name": "two disks have the same name"
}

pub(super) fn check(guest: AdmittedGuest<'_>, at: usize, disks: &[Node], causes: &mut Causes) {
    let name = disks[at].str_at("name");
    for (other, _) in disks[..at]
        .iter()
        .enumerate()
        .filter(|(_, disk)| named(disk, name))
    {
        let field = guest.at("domain.devices.disks").index(at);
        let message = format!(
            "{field} and {} must not have the same Name.",
            guest.at("domain.devices.disks").index(other)
        );
        causes
            .push(&RULE, field.field("name"), message)
            .help("give each disk a name of its own");
    }
}
