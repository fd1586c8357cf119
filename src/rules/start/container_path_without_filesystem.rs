//! A container path is not shared as a file system.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `containerPath` volume (1.8 and later) that a disk names, or that no file system names. A volume that
    /// neither names gets a disk by default.
    ///
    /// ## Why it matters
    ///
    /// A path of the launcher's container is a directory: it can only be shared through virtiofs.
    ///
    /// KubeVirt's check: [`validateVirtualMachineInstanceSpecVolumeDisks`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.8..
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: token
    ///           containerPath:
    ///             path: /var/run/secrets/token
    /// ```
    ///
    /// ```text
    /// spec.domain.volumes[0]: ContainerPath volume 'token' must be mapped to a filesystem, not a disk
    /// spec.domain.volumes[0]: ContainerPath volume 'token' must have a matching filesystem defined in spec.domain.devices.filesystems
    /// ```
    ///
    /// ```yaml,good,kubevirt=1.8..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           filesystems:
    ///             - name: token
    ///               virtiofs: {}
    ///       volumes:
    ///         - name: token
    ///           containerPath:
    ///             path: /var/run/secrets/token
    /// ```
    "container-path-without-filesystem": "a container path is not shared as a file system"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let is_named = |kind: &str, name: &str| {
        let mut devices = guest.devices(kind).iter();
        devices.any(|device| named(device, name))
    };
    for volume in guest.each("volumes") {
        if volume.get("containerPath").is_none() || volume.get("memoryDump").is_some() {
            continue;
        }
        let name = volume.str_at("name");
        let field = guest.at("domain.volumes").index(volume.index);
        let mut refuse = |words: &str| {
            RULE.refuse(causes, &field)
                .because(format!("ContainerPath volume '{name}' {words}"))
                .at(volume.at("containerPath"))
                .help("name the volume under `devices.filesystems`, with `virtiofs: {}`, and under no disk");
        };
        if is_named("disks", name) {
            refuse("must be mapped to a filesystem, not a disk");
        }
        if !is_named("filesystems", name) {
            refuse("must have a matching filesystem defined in spec.domain.devices.filesystems");
        }
        super::reserved_container_path::check(guest, volume, causes);
    }
}
