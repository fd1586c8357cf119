//! The passt binding is not enabled, or is not on the pod network.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `passtBinding` (1.8 and later) where the feature gate `PasstBinding` is off or the interface's network is
    /// not the `pod` network; and the old `passt` binding up to 1.7, which needs the gate `Passt` and the pod network
    /// too.
    ///
    /// ## Why it matters
    ///
    /// passt connects the guest through the pod's own sockets. The gate has to be asked for in 1.8 and is on by default
    /// from 1.9 on.
    ///
    /// KubeVirt's check: [`validatePasstBinding`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/passt.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.8..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           interfaces:
    ///             - name: vlan
    ///               passtBinding: {}
    ///       networks:
    ///         - name: vlan
    ///           multus:
    ///             networkName: vlan
    /// ```
    ///
    /// ```text,kubevirt=1.8
    /// spec.template.spec.domain.devices.interfaces[0].name: PasstBinding feature gate is not enabled
    /// spec.template.spec.domain.devices.interfaces[0].name: PasstBinding interface only implemented with pod network
    /// ```
    ///
    /// ```text,kubevirt=1.9..
    /// spec.template.spec.domain.devices.interfaces[0].name: PasstBinding interface only implemented with pod network
    /// ```
    ///
    /// ```yaml,good,kubevirt=1.9..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           interfaces:
    ///             - name: default
    ///               passtBinding: {}
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    ///
    /// ## Limits
    ///
    /// Without a known configuration the missing gate is `depends-on-configuration`.
    "passt-binding-requirements": "the passt binding is not enabled, or is not on the pod network"
}

pub(super) fn check(guest: AdmittedGuest<'_>, interface: Item<'_>, causes: &mut Causes) {
    let (method, gate, words) = if guest.does(Behaviour::DiscontinuesOldBindings) {
        ("passtBinding", "PasstBinding", "PasstBinding")
    } else {
        ("passt", "Passt", "Passt")
    };
    if interface.get(method).is_none() {
        return;
    }
    let field = interface.place();
    if !guest.gate(gate) {
        RULE.refuse(causes, field.field("name"))
            .because(format!("{words} feature gate is not enabled"))
            .at(field.field(method))
            .gate(gate);
    }
    if !guest.on_pod_network(&interface) {
        RULE.refuse(causes, field.field("name"))
            .because(format!(
                "{words} interface only implemented with pod network"
            ))
            .at(field.field(method))
            .help("connect the interface to the `pod` network");
    }
}
