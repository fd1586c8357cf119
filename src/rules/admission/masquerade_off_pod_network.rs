//! Masquerade is used on a network that is not the pod network.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `masquerade` binding on an interface whose network is not the `pod` network.
    ///
    /// ## Why it matters
    ///
    /// Masquerade translates the guest's address to the pod's; there is no such address on another network.
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
    ///             - name: vlan
    ///               masquerade: {}
    ///       networks:
    ///         - name: vlan
    ///           multus:
    ///             networkName: vlan
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.interfaces[0].name: Masquerade interface only implemented with pod network
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           interfaces:
    ///             - name: vlan
    ///               bridge: {}
    ///       networks:
    ///         - name: vlan
    ///           multus:
    ///             networkName: vlan
    /// ```
    "masquerade-off-pod-network": "masquerade is used on a network that is not the pod network"
}

pub(super) fn check(guest: AdmittedGuest<'_>, interface: Item<'_>, causes: &mut Causes) {
    if interface.get("masquerade").is_some() && !guest.on_pod_network(&interface) {
        let field = interface.place();
        RULE.refuse(causes, field.field("name"))
            .because("Masquerade interface only implemented with pod network")
            .at(field.field("masquerade"))
            .help("use `bridge: {}`, or connect the interface to the `pod` network");
    }
}
