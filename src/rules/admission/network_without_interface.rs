//! A network has no interface.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a network whose name no interface has.
    ///
    /// ## Why it matters
    ///
    /// A network without an interface connects nothing, and the webhook takes it for a slip in one of the names.
    ///
    /// KubeVirt's check: [`validateNetworksAssignedToInterfaces`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/netiface.go).
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
    ///       networks:
    ///         - name: default
    ///           pod: {}
    ///         - name: vlan
    ///           multus:
    ///             networkName: vlan
    /// ```
    ///
    /// ```text
    /// spec.template.spec.networks[1].name: spec.template.spec.networks[1].name 'vlan' not found.
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
    "network-without-interface": "a network has no interface"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    for network in guest.each("networks") {
        let name = network.str_at("name");
        let mut interfaces = guest.devices("interfaces").iter();
        if !interfaces.any(|interface| named(interface, name)) {
            RULE.refuse(causes, network.at("name"))
                .because_it(format!("'{name}' not found."))
                .help(format!(
                    "add an interface named `{name}`, or remove the network"
                ));
        }
    }
}
