//! An interface has no network.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports an interface whose name no network has.
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
    for interface in guest.each("domain.devices.interfaces") {
        let name = interface.str_at("name");
        if guest.network(name).is_none() {
            RULE.refuse(causes, interface.at("name"))
                .because_it(format!("'{name}' not found."))
                .help(format!(
                    "add a network named `{name}`, or remove the interface"
                ));
        }
    }
}
