//! A disk's name is not a DNS label.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a disk name that is not a DNS label (RFC 1123).
    ///
    /// ## Why it matters
    ///
    /// The name can become a container's name in the guest's pod.
    ///
    /// KubeVirt's check: [`validateDiskNameAsContainerName`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/storage/admitters/disks.go).
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
    ///             - name: Root
    ///               disk:
    ///                 bus: virtio
    ///       volumes:
    ///         - name: Root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.disks.domain.devices.disks[0].name: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')
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
    "invalid-disk-name": "a disk's name is not a DNS label"
}

pub(super) fn check(disk: Item<'_>, causes: &mut Causes) {
    for text in names::dns_label(disk.str_at("name")) {
        RULE.refuse(causes, disk.doubled_place().field("name"))
            .because(text)
            .at(disk.at("name"))
            .help(
                "rename the disk and its volume: lower case letters, digits and dashes, at most 63",
            );
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::edges;

    #[test]
    fn a_name_has_63_characters_at_most() {
        edges(
            &RULE,
            "domain: {devices: {disks: [{name: $, disk: {}}]}}\nvolumes: [{name: $, containerDisk: {image: a}}]",
            &[
                (&"a".repeat(63), false),
                (&"a".repeat(64), true),
                ("a-", true),
                ("-a", true),
                ("A", true),
                ("a.b", true),
                ("a-b", false),
            ],
        );
    }
}
