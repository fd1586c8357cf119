//! A Multus network does not name its attachment.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `multus` network with an empty `networkName`.
    ///
    /// ## Why it matters
    ///
    /// The name says which NetworkAttachmentDefinition the guest is connected to.
    ///
    /// KubeVirt's check: [`validateMultusNetworkSource`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/netsource.go).
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
    ///             networkName: ''
    /// ```
    ///
    /// ```text
    /// spec.template.spec.networks[0]: CNI delegating plugin must have a networkName
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
    ///
    /// ## Limits
    ///
    /// The rule does not check whether the NetworkAttachmentDefinition exists.
    "multus-network-without-name": "a Multus network does not name its attachment"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let nameless = guest.each("networks").find(|network| {
        let multus = network.get("multus");
        multus.is_some_and(|multus| multus.str_at("networkName").is_empty())
    });
    if let Some(network) = nameless {
        RULE.refuse(causes, network.place())
            .because("CNI delegating plugin must have a networkName")
            .help("name the NetworkAttachmentDefinition in `multus.networkName`");
    }
}
