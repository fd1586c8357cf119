//! A network has no source, or several.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a network that has none of `pod`, `multus` and (from 1.9 on) `resourceClaim`, or more than one of them.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt does not guess what an interface is to be connected to.
    ///
    /// KubeVirt's check: [`validateSingleNetworkSource`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/netsource.go).
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
    ///               bridge: {}
    ///       networks:
    ///         - name: default
    /// ```
    ///
    /// ```text
    /// spec.template.spec.networks[0]: should have a network type
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
    "network-without-one-source": "a network has no source, or several"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    for network in guest.each("networks") {
        let words = match count(&network, &["pod", "multus", "resourceClaim"]) {
            0 => "should have a network type",
            1 => continue,
            _ => "should have only one network type",
        };
        RULE.refuse(causes, network.place())
            .because(words)
            .help("give it either `pod: {}` or `multus`");
    }
}
