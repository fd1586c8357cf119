//! An interface's state does not fit the interface.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports an interface `state` other than `absent` and, from 1.5 on, `up` and `down`; `up` and `down` on SR-IOV
    /// interfaces; `absent` on anything but a bridge binding, and on the default network.
    ///
    /// ## Why it matters
    ///
    /// `absent` unplugs an interface from a running guest, which KubeVirt can do for bridge bindings on secondary
    /// networks only; KubeVirt cannot set the link of an SR-IOV card.
    ///
    /// KubeVirt's check: [`validateInterfaceStateValue`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/admit.go).
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
    ///               state: gone
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.interfaces[0].state: logical default interface state value is unsupported: gone
    /// ```
    ///
    /// ```yaml,good,kubevirt=1.5..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           interfaces:
    ///             - name: default
    ///               masquerade: {}
    ///               state: down
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    "unsupported-interface-state": "an interface's state does not fit the interface"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let networks = guest.items("networks");
    let default = networks
        .iter()
        .find(|n| n.get("pod").is_some() || n.bool_at("multus.default"))
        .map(|network| network.str_at("name"));
    for interface in guest.each("domain.devices.interfaces") {
        let (name, state) = (interface.str_at("name"), interface.str_at("state"));
        let sets_links = guest.does(Behaviour::SetsInterfaceLinks);
        let mut push = |message: String| {
            RULE.refuse(causes, interface.at("state"))
                .because(message)
                .help(if sets_links {
                    "use `up`, `down` or `absent` where KubeVirt can do it, or leave it out"
                } else {
                    "use `absent` where KubeVirt can do it, or leave it out"
                });
        };
        let is_link = matches!(state, "down" | "up");
        let is_known = matches!(state, "" | "absent") || is_link && sets_links;
        if !is_known {
            push(format!(
                "logical {name} interface state value is unsupported: {state}"
            ));
        }
        if interface.get("sriov").is_some() && is_link && sets_links {
            push(format!(
                "{name:?} interface's state {state:?} is not supported for SR-IOV NICs"
            ));
        }
        if state == "absent" && interface.get("bridge").is_none() {
            push(format!(
                "{name:?} interface's state {state:?} is supported only for bridge binding"
            ));
        }
        if state == "absent" && default == Some(name) {
            push(format!(
                "{name:?} interface's state {state:?} is not supported on default networks"
            ));
        }
    }
}
