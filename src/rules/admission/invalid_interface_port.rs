//! A forwarded port is invalid.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `ports` of an interface on the pod network without a number, with one out of range, with a protocol other
    /// than `TCP` and `UDP`, and with a name that is repeated or no port name.
    ///
    /// ## Why it matters
    ///
    /// The ports are forwarded from the pod to the guest and become container ports of the pod.
    ///
    /// KubeVirt's check: [`validateForwardPortsName`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/netiface.go).
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
    ///               ports:
    ///                 - name: web
    ///                   port: 80
    ///                   protocol: SCTP
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.interfaces[0].ports[0].protocol: Unknown protocol, only TCP or UDP allowed
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
    ///               ports:
    ///                 - name: web
    ///                   port: 80
    ///                   protocol: TCP
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    "invalid-interface-port": "a forwarded port is invalid"
}

pub(super) fn check(guest: AdmittedGuest<'_>, interface: Item<'_>, causes: &mut Causes) {
    if !guest.on_pod_network(&interface) {
        return;
    }
    let field = interface.at("ports");
    let ports = interface.items_at("ports");
    check_names(&field, ports, causes);
    let newer = guest.does(Behaviour::NamesPortField);
    for (at, port) in ports.iter().enumerate() {
        let here = field.index(at);
        let named = if newer {
            here.field("port")
        } else {
            here.clone()
        };
        let number = port.int_at("port");
        if number == 0 {
            RULE.refuse(causes, &named)
                .because("Port field is mandatory.")
                .at(&here);
        }
        let most = if newer { 65_535 } else { 65_536 };
        if !(0..=most).contains(&number) {
            RULE.refuse(causes, &named)
                .because("Port field must be in range 0 < x < 65536.")
                .at(here.field("port"));
        }
        if !matches!(port.str_at("protocol"), "" | "TCP" | "UDP") {
            RULE.refuse(causes, here.field("protocol"))
                .because("Unknown protocol, only TCP or UDP allowed");
        }
    }
}

fn check_names(field: &FieldPath, ports: &[Node], causes: &mut Causes) {
    for (at, port) in ports.iter().enumerate() {
        let name = port.str_at("name");
        if name.is_empty() {
            continue;
        }
        let here = field.index(at).field("name");
        if ports[..at].iter().any(|other| named(other, name)) {
            RULE.refuse(causes, &here)
                .because(format!("Duplicate name of the port: {name}"));
        }
        if !names::is_port_name(name) {
            RULE.refuse(causes, &here)
                .because(format!("Invalid name of the port: {name}"))
                .help("use lower case letters, digits and single dashes, at most 15, one letter among them");
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
    fn the_field_of_a_missing_number_differs_by_release() {
        let bad = json!({"spec": {"template": {"spec": {"domain": {"devices": {"interfaces": [{"name": "default", "masquerade": {}, "ports": [{"name": "A", "port": 0}, {"name": "A", "port": 65536}]}]}}, "networks": [{"name": "default", "pod": {}}]}}}});
        let fields = |release| {
            words(&RULE, release, &bad, &json!({}))
                .into_iter()
                .map(|(field, _)| {
                    field.replace("spec.template.spec.domain.devices.interfaces[0].", "")
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(
            fields(Release::V1_9),
            [
                "ports[0].name",
                "ports[1].name",
                "ports[1].name",
                "ports[0].port",
                "ports[1].port"
            ]
        );
        assert_eq!(
            fields(Release::V1_8),
            [
                "ports[0].name",
                "ports[1].name",
                "ports[1].name",
                "ports[0]"
            ]
        );
    }

    #[test]
    fn a_port_is_1_to_65535() {
        edges(
            &RULE,
            "domain: {devices: {interfaces: [{name: default, masquerade: {}, ports: [{port: $}]}]}}\nnetworks: [{name: default, pod: {}}]",
            &[
                ("0", true),
                ("1", false),
                ("65535", false),
                ("65536", true),
                ("-1", true),
            ],
        );
    }

    #[test]
    fn a_name_has_15_characters_at_most() {
        edges(
            &RULE,
            "domain: {devices: {interfaces: [{name: default, masquerade: {}, ports: [{port: 80, name: $}]}]}}\nnetworks: [{name: default, pod: {}}]",
            &[
                ("aaaaaaaaaaaaaaa", false),
                ("aaaaaaaaaaaaaaaa", true),
                ("'8080'", true),
                ("'1a'", false),
                ("a--b", true),
            ],
        );
    }
}
