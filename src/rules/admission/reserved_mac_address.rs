//! The MAC address belongs to KubeVirt's bridge in the pod.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports the MAC address `02:00:00:00:00:00` on an interface with `masquerade`.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt gives that address to its own bridge in the pod; a guest with the same one has no network.
    ///
    /// KubeVirt's check: [`validateMasqueradeBinding`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/binding.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           interfaces:
    ///             - name: default
    ///               masquerade: {}
    ///               macAddress: 02:00:00:00:00:00
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.interfaces[0].macAddress: The requested MAC address is reserved for the in-pod bridge. Please choose another one.
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           interfaces:
    ///             - name: default
    ///               masquerade: {}
    ///               macAddress: 02:00:00:00:00:01
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    "reserved-mac-address": "the MAC address belongs to KubeVirt's bridge in the pod"
}

pub(super) fn check(interface: Item<'_>, causes: &mut Causes) {
    if interface.get("masquerade").is_some()
        && interface.str_at("macAddress") == "02:00:00:00:00:00"
    {
        RULE.refuse(causes, interface.at("macAddress"))
            .because("The requested MAC address is reserved for the in-pod bridge. Please choose another one.")
            .help("use another address, or leave it out");
    }
}
