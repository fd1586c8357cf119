//! An interface has no network.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::AdmittedGuest;

rule! {
    /// ## What it does
    ///
    /// Reports an interface no network has the name of.
    ///
    /// ## Why it matters
    ///
    /// Interfaces and networks are paired by name.
    ///
    /// KubeVirt's check: [`validateInterfacesAssignedToNetworks`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/netiface.go).
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
    ///             - name: vlan
    ///               bridge: {}
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.interfaces[1].name: spec.template.spec.domain.devices.interfaces[1].name 'vlan' not found.
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
    "interface-without-network": "an interface has no network"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    for (at, interface) in guest.devices("interfaces").iter().enumerate() {
        let name = interface.str_at("name");
        if guest.network(name).is_none() {
            let field = guest
                .at("domain.devices.interfaces")
                .index(at)
                .field("name");
            let message = format!("{field} '{name}' not found.");
            causes.push(&RULE, field, message).help(format!(
                "add a network named `{name}`, or remove the interface"
            ));
        }
    }
}
