//! The guest has more than one default network.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports more than one `pod` network, more than one `multus` network with `default: true`, and both together.
    ///
    /// ## Why it matters
    ///
    /// A guest's pod has one default network. A Multus network marked as default takes the place of the pod network.
    ///
    /// KubeVirt's check: [`validateSinglePodNetwork`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/netsource.go).
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
    ///             - name: second
    ///               masquerade: {}
    ///       networks:
    ///         - name: default
    ///           pod: {}
    ///         - name: second
    ///           pod: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.interfaces: more than one interface is connected to a pod network in spec.template.spec.interfaces
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
    ///             - name: second
    ///               bridge: {}
    ///       networks:
    ///         - name: default
    ///           pod: {}
    ///         - name: second
    ///           multus:
    ///             networkName: vlan
    /// ```
    "conflicting-default-networks": "the guest has more than one default network"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let networks = guest.items("networks");
    let pods = networks.iter().filter(|n| n.get("pod").is_some()).count();
    let defaults = networks
        .iter()
        .filter(|n| n.bool_at("multus.default"))
        .count();
    if pods > 1 {
        let field = guest.at("interfaces");
        RULE.refuse(causes, &field)
            .because(format!(
                "more than one interface is connected to a pod network in {field}"
            ))
            .at(guest.at("networks"))
            .help("connect further interfaces to `multus` networks");
    }
    if defaults > 1 {
        RULE.refuse(causes, guest.at("networks"))
            .because("Multus CNI should only have one default network")
            .help("keep `default: true` on one network");
    }
    if pods > 0 && defaults > 0 {
        RULE.refuse(causes, guest.at("networks"))
            .because("Pod network cannot be defined when Multus default network is defined")
            .help("remove the `pod` network, or `default: true`");
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::edges;

    #[test]
    fn one_network_is_the_default() {
        let spec = "
domain: {devices: {interfaces: [{name: a, bridge: {}}, {name: b, bridge: {}}]}}
networks: [{name: a, $}, {name: b, multus: {networkName: wan}}]";
        let default = "multus: {networkName: lan, default: true}";
        edges(&RULE, spec, &[("pod: {}", false), (default, false)]);
        let spec = spec.replace("networkName: wan", "networkName: wan, default: true");
        edges(&RULE, &spec, &[("pod: {}", true), (default, true)]);
    }
}
