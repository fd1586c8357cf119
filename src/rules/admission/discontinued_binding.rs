//! The interface's binding is discontinued.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports interface bindings that KubeVirt no longer has: `slirp` on every release, `passt` and `macvtap` from 1.8
    /// on, and up to 1.7 where their feature gate is listed.
    ///
    /// ## Why it matters
    ///
    /// They were replaced by network binding plugins and `passtBinding`. KubeVirt refuses to create a VM that uses one;
    /// an existing VM keeps running.
    ///
    /// KubeVirt's check: [`ValidateFeatureGates`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-config/featuregate/validator.go).
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
    ///               slirp: {}
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    ///
    /// ```text
    /// spec.domain.devices.interfaces[0].slirp: Slirp interface support has been discontinued since v1.3
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
    "discontinued-binding": "the interface's binding is discontinued"
}

/// Checked on create, before everything else: gates of bindings that are gone, listed while the VM uses them.
pub(in crate::rules) fn check_gates(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    for (gate, method) in [("Passt", "passt"), ("Macvtap", "macvtap")] {
        if !guest.config.lists_gate(gate) {
            continue;
        }
        let mut interfaces = guest.each("domain.devices.interfaces");
        if let Some(interface) = interfaces.find(|interface| interface.get(method).is_some()) {
            RULE.refuse(causes, "")
                .because(format!("{gate} network binding is discontinued since v1.3. Please refer to Kubevirt user guide for alternatives."))
                .at(interface.at(method))
                .help("use a network binding plugin or `passtBinding`");
        }
    }
}

/// Checked on create: the interfaces themselves.
pub(super) fn check_interfaces(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let all = guest.does(Behaviour::DiscontinuesOldBindings);
    for interface in guest.each("domain.devices.interfaces") {
        for (method, words) in [
            ("slirp", "Slirp interface support"),
            ("passt", "Passt network binding"),
            ("macvtap", "Macvtap network binding"),
        ] {
            if interface.get(method).is_some() && (all || method == "slirp") {
                let list = FieldPath::from("spec.domain.devices.interfaces");
                RULE.refuse(causes, list.index(interface.index).field(method))
                    .because(format!("{words} has been discontinued since v1.3"))
                    .at(interface.at(method))
                    .help("use `masquerade: {}`, `bridge: {}` or a network binding plugin");
            }
        }
    }
}

/// Checked always, up to 1.5: slirp needs the pod network and a setting that is gone.
pub(super) fn check_slirp(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if !guest.does(Behaviour::ChecksSlirpNetwork) {
        return;
    }
    for interface in guest.each("domain.devices.interfaces") {
        let networks = guest.items("networks");
        let name = interface.str_at("name");
        let network = networks.iter().find(|network| named(network, name));
        let (Some(_), Some(network)) = (interface.get("slirp"), network) else {
            continue;
        };
        let words = if network.get("pod").is_none() {
            "Slirp interface only implemented with pod network"
        } else if guest.config.permits_slirp() {
            continue;
        } else {
            "Slirp interface is not enabled in kubevirt-config"
        };
        let field = interface.place();
        RULE.refuse(causes, field.field("name"))
            .because(words)
            .at(field.field("slirp"));
    }
}
