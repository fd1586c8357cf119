//! A value that only the start fills in is refused.

rule! {
    /// ## What it does
    ///
    /// Reports what KubeVirt's checks refuse in a guest once everything is filled in that the virtual machine leaves open
    /// and its webhook does not fill in yet: the bus of disks and CD-ROMs, and what a preference says of a disk, network
    /// interface or input device that only the start adds.
    ///
    /// ## Why it matters
    ///
    /// A disk without a bus gets `sata` on amd64 and `virtio` on arm64 and s390x. SATA disks have no I/O thread of their
    /// own, are not read-only and have blocks of 512 bytes; a CD-ROM cannot be on virtio.
    ///
    /// The checks are those of the webhook of virtual machines, run again for the instance:
    /// [`ValidateVirtualMachineInstanceSpec`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
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
    ///             - name: root
    ///               dedicatedIOThread: true
    ///               disk: {}
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    ///
    /// ```text
    /// spec.domain.devices.disks.domain.devices.disks[0]: IOThreads are not supported for disks on a sata bus
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
    ///               dedicatedIOThread: true
    ///               disk:
    ///                 bus: virtio
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    ///
    /// ## Limits
    ///
    /// Where the cluster's configuration is not known, a guest without an architecture is taken to be of amd64; what
    /// another architecture would start is then `depends-on-configuration`.
    "unstartable-default": "a value that only the start fills in is refused"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::{start_edges, start_edges_on};

    #[test]
    fn a_disk_without_a_bus_is_on_sata() {
        start_edges(
            &RULE,
            "{domain: {memory: {guest: 1Gi}, devices: {disks: [{name: a, $}]}}, volumes: [{name: a, persistentVolumeClaim: {claimName: a}}]}",
            &[
                ("dedicatedIOThread: true", true),
                ("dedicatedIOThread: false", false),
                ("disk: {readonly: true}", true),
                ("disk: {readonly: true, bus: scsi}", false),
                ("blockSize: {custom: {logical: 4096, physical: 4096}}", true),
                ("blockSize: {custom: {logical: 512, physical: 4096}}", false),
                ("cdrom: {}", false),
            ],
        );
    }

    #[test]
    fn a_cd_rom_without_a_bus_is_on_virtio_elsewhere() {
        let gate = json!({"developerConfiguration": {"featureGates": ["MultiArchitecture"]}});
        for release in [Release::V1_5, Release::V1_9] {
            start_edges_on(
                &RULE,
                release,
                &gate,
                "{architecture: $, domain: {memory: {guest: 1Gi}, devices: {disks: [{name: a, cdrom: {}}]}}, volumes: [{name: a, persistentVolumeClaim: {claimName: a}}]}",
                &[("amd64", false), ("arm64", true), ("s390x", true)],
            );
        }
    }
}
