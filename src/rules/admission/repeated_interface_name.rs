//! Two interfaces have the same name.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports interfaces that share a name.
    ///
    /// ## Why it matters
    ///
    /// An interface is connected to the network of its name, and a network takes one interface.
    ///
    /// KubeVirt's check: [`validateInterfaceNameUnique`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/netiface.go).
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
    ///             - &id001
    ///               name: default
    ///               masquerade: {}
    ///             - *id001
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.interfaces[1].name: Only one interface can be connected to one specific network
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
    "repeated-interface-name": "two interfaces have the same name"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let interfaces = guest.devices("interfaces");
    for interface in guest.each("domain.devices.interfaces") {
        let (name, earlier) = (interface.str_at("name"), &interfaces[..interface.index]);
        if earlier.iter().any(|other| named(other, name)) {
            RULE.refuse(causes, interface.at("name"))
                .because("Only one interface can be connected to one specific network")
                .help("give each interface a name and a network of its own");
        }
    }
}
