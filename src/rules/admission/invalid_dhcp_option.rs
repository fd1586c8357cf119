//! A DHCP option is invalid.

use super::prelude::*;
use std::net::IpAddr;

rule! {
    /// ## What it does
    ///
    /// Reports `dhcpOptions` with private options outside 224 to 254 or repeated, and NTP servers that are not IPv4
    /// addresses.
    ///
    /// ## Why it matters
    ///
    /// The options are handed out by KubeVirt's own DHCP server in the pod, whose protocol has room for nothing else.
    ///
    /// KubeVirt's check: [`validateDHCPExtraOptions`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/netiface.go).
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
    ///               dhcpOptions:
    ///                 ntpServers:
    ///                   - time.example.com
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.interfaces[0].dhcpOptions.ntpServers[0]: NTP servers must be a list of valid IPv4 addresses.
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
    ///               dhcpOptions:
    ///                 ntpServers:
    ///                   - 192.0.2.1
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    "invalid-dhcp-option": "a DHCP option is invalid"
}

pub(super) fn check(interface: Item<'_>, causes: &mut Causes) {
    let Some(dhcp) = interface.get("dhcpOptions") else {
        return;
    };
    let here = interface.at("dhcpOptions");
    let options = dhcp.items_at("privateOptions");
    let number = |option: &Node| option.int_at("option");
    let repeated = options.iter().enumerate().any(|(at, option)| {
        options[..at]
            .iter()
            .any(|other| number(other) == number(option))
    });
    if repeated {
        RULE.refuse(causes, interface.base())
            .because("Found Duplicates: you have provided duplicate DHCPPrivateOptions")
            .at(here.field("privateOptions"));
    }
    for (at, option) in options.iter().enumerate() {
        if !(224..=254).contains(&number(option)) {
            RULE.refuse(causes, interface.base())
                .because(
                    "provided DHCPPrivateOptions are out of range, must be in range 224 to 254",
                )
                .at(here.field("privateOptions").index(at).field("option"));
        }
    }
    for (at, server) in dhcp.items_at("ntpServers").iter().enumerate() {
        let address = server.as_str().unwrap_or_default().parse::<IpAddr>();
        let is_v4 = match address {
            Ok(IpAddr::V4(_)) => true,
            Ok(IpAddr::V6(address)) => address.to_ipv4_mapped().is_some(),
            Err(_) => false,
        };
        if !is_v4 {
            RULE.refuse(causes, here.field("ntpServers").index(at))
                .because("NTP servers must be a list of valid IPv4 addresses.")
                .help("give the server's IPv4 address");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::{edges, words};

    #[test]
    fn private_options_are_named_at_the_whole_guest() {
        let bad = json!({"spec": {"template": {"spec": {"domain": {"devices": {"interfaces": [{"name": "default", "masquerade": {}, "dhcpOptions": {"privateOptions": [{"option": 240, "value": "a"}, {"option": 240, "value": "b"}, {"option": 1, "value": "c"}]}}]}}, "networks": [{"name": "default", "pod": {}}]}}}});
        let fields: Vec<&str> = words(&RULE, Release::V1_9, &bad, &json!({}))
            .into_iter()
            .map(|(field, _)| field)
            .collect();
        assert_eq!(fields, ["spec.template.spec", "spec.template.spec"]);
    }

    #[test]
    fn private_options_are_224_to_254() {
        edges(
            &RULE,
            "domain: {devices: {interfaces: [{name: default, masquerade: {}, dhcpOptions: {privateOptions: [{option: $, value: a}]}}]}}\nnetworks: [{name: default, pod: {}}]",
            &[
                ("1", true),
                ("223", true),
                ("224", false),
                ("254", false),
                ("255", true),
                ("256", true),
            ],
        );
    }
}
