//! A container path is reserved for KubeVirt.

use super::prelude::*;
use crate::rules::admission::guest::Item;

rule! {
    /// ## What it does
    ///
    /// Reports a `containerPath` volume (1.8 and later) whose path begins with `/var/run/kubevirt` or `/var/run/libvirt`.
    ///
    /// ## Why it matters
    ///
    /// The launcher keeps its sockets there. KubeVirt shares them with no guest.
    ///
    /// KubeVirt's check: [`validateVirtualMachineInstanceSpecVolumeDisks`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.8..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           filesystems:
    ///             - name: sockets
    ///               virtiofs: {}
    ///       volumes:
    ///         - name: sockets
    ///           containerPath:
    ///             path: /var/run/libvirt/sockets
    /// ```
    ///
    /// ```text
    /// spec.domain.volumes[0].containerPath.path: ContainerPath volume 'sockets' uses reserved path prefix '/var/run/libvirt'
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
    "reserved-container-path": "a container path is reserved for KubeVirt"
}

const RESERVED: [&str; 2] = ["/var/run/kubevirt", "/var/run/libvirt"];

pub(super) fn check(guest: AdmittedGuest<'_>, volume: Item<'_>, causes: &mut Causes) {
    let path = volume.str_at("containerPath.path");
    let Some(prefix) = RESERVED.iter().find(|prefix| path.starts_with(**prefix)) else {
        return;
    };
    let field = guest.at("domain.volumes").index(volume.index);
    RULE.refuse(causes, field.then("containerPath.path"))
        .because(format!(
            "ContainerPath volume '{}' uses reserved path prefix '{prefix}'",
            volume.str_at("name")
        ))
        .at(volume.at("containerPath.path"))
        .help("share another directory");
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::start_edges;

    #[test]
    fn a_prefix_is_a_text_and_no_directory() {
        start_edges(
            &RULE,
            "{domain: {memory: {guest: 1Gi}, devices: {filesystems: [{name: c, virtiofs: {}}]}}, volumes: [{name: c, containerPath: {path: $}}]}",
            &[
                ("/var/run/kubevirt", true),
                ("/var/run/kubevirt-private", true),
                ("/var/run/kube", false),
                ("/srv/var/run/libvirt", false),
            ],
        );
    }
}
