//! Two networks have the same name.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports networks that share a name.
    ///
    /// ## Why it matters
    ///
    /// Interfaces find their network by name.
    ///
    /// KubeVirt's check: [`validateNetworkNameUnique`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/netiface.go).
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
    ///               bridge: {}
    ///       networks:
    ///         - name: vlan
    ///           multus:
    ///             networkName: vlan-10
    ///         - name: vlan
    ///           multus:
    ///             networkName: vlan-20
    /// ```
    ///
    /// ```text
    /// spec.template.spec.networks[1].name: Network with name "vlan" already exists, every network must have a unique name
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
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    "repeated-network-name": "two networks have the same name"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let networks = guest.items("networks");
    for network in guest.each("networks") {
        let name = network.str_at("name");
        if networks[..network.index]
            .iter()
            .any(|other| named(other, name))
        {
            RULE.refuse(causes, network.at("name"))
                .because(format!("Network with name {name:?} already exists, every network must have a unique name"))
                .help("give each network a name of its own");
        }
    }
}
