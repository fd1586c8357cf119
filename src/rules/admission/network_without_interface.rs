//! A network has no interface.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::{AdmittedGuest, named};

rule! {
    /// ## What it does
    ///
    /// Reports a network no interface has the name of.
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
    for (at, network) in guest.items("networks").iter().enumerate() {
        let name = network.str_at("name");
        if !guest
            .devices("interfaces")
            .iter()
            .any(|interface| named(interface, name))
        {
            let field = guest.at("networks").index(at).field("name");
            let message = format!("{field} '{name}' not found.");
            causes.push(&RULE, field, message).help(format!(
                "add an interface named `{name}`, or remove the network"
            ));
        }
    }
}
