//! Masquerade is used on a network that is not the pod network.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::AdmittedGuest;
use crate::yaml::Node;

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

pub(super) fn check(guest: AdmittedGuest<'_>, at: usize, interface: &Node, causes: &mut Causes) {
    let network = guest.network(interface.str_at("name"));
    let on_pod = network.is_some_and(|network| network.get("pod").is_some());
    if interface.get("masquerade").is_some() && !on_pod {
        let field = guest.at("domain.devices.interfaces").index(at);
        causes
            .push(
                &RULE,
                field.field("name"),
                "Masquerade interface only implemented with pod network",
            )
            .at(field.field("masquerade"))
            .help("use `bridge: {}`, or connect the interface to the `pod` network");
    }
}
