//! A network from a resource claim is not enabled, or is invalid.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports networks with `resourceClaim` (1.9 and later) where the feature gate `NetworkDevicesWithDRA` is off; and
    /// where it is on: beside `multus` networks, without claim or request name, of a claim the VM does not declare,
    /// repeated, or on an interface that is neither SR-IOV nor a binding plugin.
    ///
    /// ## Why it matters
    ///
    /// Networks from resource claims are new; the webhook checks that claim, request and interface belong together.
    ///
    /// KubeVirt's check: [`validateNetworkDevicesWithDRA`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/dra.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.9..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           interfaces:
    ///             - name: fast
    ///               sriov: {}
    ///       networks:
    ///         - name: fast
    ///           resourceClaim:
    ///             claimName: nic
    ///             requestName: vf
    /// ```
    ///
    /// ```text
    /// spec.template.spec.networks: vmi.spec.networks contains DRA networks but NetworkDevicesWithDRA feature gate is not enabled
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           interfaces:
    ///             - name: fast
    ///               sriov: {}
    ///       networks:
    ///         - name: fast
    ///           multus:
    ///             networkName: sriov
    /// ```
    ///
    /// ## Limits
    ///
    /// Without a known configuration the missing gate is `depends-on-configuration`.
    "invalid-claim-network": "a network from a resource claim is not enabled, or is invalid"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let networks = guest.items("networks");
    let field = guest.at("networks");
    let any = |source: &str| networks.iter().any(|network| network.get(source).is_some());
    if !any("resourceClaim") {
        return;
    }
    if !guest.gate("NetworkDevicesWithDRA") {
        RULE.refuse(causes, field)
            .because("vmi.spec.networks contains DRA networks but NetworkDevicesWithDRA feature gate is not enabled")
            .gate("NetworkDevicesWithDRA");
        return;
    }
    if any("multus") {
        RULE.refuse(causes, field).because(
            "mixing Multus and DRA resourceClaim networks in the same VMI is not supported",
        );
        return;
    }
    for network in guest.each("networks") {
        if let Some(claim) = network.get("resourceClaim") {
            check_network(guest, network, claim, causes);
        }
    }
}

fn check_network(guest: AdmittedGuest<'_>, network: Item<'_>, claim: &Node, causes: &mut Causes) {
    let name = network.str_at("name");
    let mut interfaces = guest.devices("interfaces").iter();
    let interface = interfaces.find(|interface| named(interface, name));
    if interface.is_some_and(|i| i.get("sriov").is_none() && i.get("binding").is_none()) {
        RULE.refuse(causes, guest.at("domain.devices.interfaces"))
            .because(format!(
                "DRA network {name:?} requires an SR-IOV or binding plugin interface"
            ));
    }
    let field = network.at("resourceClaim");
    let parts = [claim.str_at("claimName"), claim.str_at("requestName")];
    for (part, text) in ["claimName", "requestName"].into_iter().zip(parts) {
        if text.is_empty() {
            RULE.refuse(causes, field.field(part))
                .because(format!("{part} is required for DRA network"));
        }
    }
    let [claim, request] = parts;
    if claim.is_empty() || request.is_empty() {
        return;
    }
    let claims = guest.items("resourceClaims");
    if !claims.iter().any(|declared| named(declared, claim)) {
        RULE.refuse(causes, field.field("claimName"))
            .because(format!("network references resourceClaim {claim:?} which is not defined in spec.resourceClaims"));
    }
    let repeated = guest.items("networks")[..network.index]
        .iter()
        .any(|other| {
            other.str_at("resourceClaim.claimName") == claim
                && other.str_at("resourceClaim.requestName") == request
        });
    if repeated {
        let pair = format!("{claim}/{request}");
        RULE.refuse(causes, network.place()).because(format!(
            "duplicate claimName/requestName combination {pair:?}"
        ));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::words;

    #[test]
    fn with_the_gate_claims_are_checked() {
        let bad = json!({"spec": {"template": {"spec": {"domain": {"devices": {"interfaces": [{"name": "a", "bridge": {}}, {"name": "b", "sriov": {}}, {"name": "c", "sriov": {}}]}}, "networks": [
            {"name": "a", "resourceClaim": {"claimName": "nic", "requestName": "vf"}}, {"name": "b", "resourceClaim": {"claimName": "nic", "requestName": "vf"}}, {"name": "c", "resourceClaim": {}}
        ]}}}});
        let config = json!({"developerConfiguration": {"featureGates": ["NetworkDevicesWithDRA"]}});
        let fields: Vec<String> = words(&RULE, Release::V1_9, &bad, &config)
            .into_iter()
            .map(|(field, _)| field.replace("spec.template.spec.", ""))
            .collect();
        assert_eq!(
            fields,
            [
                "domain.devices.interfaces",
                "networks[0].resourceClaim.claimName",
                "networks[1].resourceClaim.claimName",
                "networks[1]",
                "networks[2].resourceClaim.claimName",
                "networks[2].resourceClaim.requestName"
            ]
        );
    }
}
