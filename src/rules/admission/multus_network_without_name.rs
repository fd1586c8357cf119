//! A Multus network does not name its attachment.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::AdmittedGuest;

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
    /// Whether the NetworkAttachmentDefinition exists is not looked at.
    "multus-network-without-name": "a Multus network does not name its attachment"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let networks = guest.items("networks");
    let nameless = networks.iter().position(|network| {
        network
            .get("multus")
            .is_some_and(|multus| multus.str_at("networkName").is_empty())
    });
    if let Some(at) = nameless {
        causes
            .push(
                &RULE,
                guest.at("networks").index(at),
                "CNI delegating plugin must have a networkName",
            )
            .help("name the NetworkAttachmentDefinition in `multus.networkName`");
    }
}
