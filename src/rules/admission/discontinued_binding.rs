//! The interface's binding is discontinued.

use crate::field_path::FieldPath;
use crate::release::Behaviour;
use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::{AdmittedGuest, named};

rule! {
    /// ## What it does
    ///
    /// Reports interface bindings that KubeVirt no longer has: `slirp` on every release, `passt` and `macvtap` from 1.8
    /// on, and up to 1.7 where their feature gate is listed.
    ///
    /// ## Why it matters
    ///
    /// They were replaced by network binding plugins and `passtBinding`. A VM that has one is refused when it is
    /// created; one that exists goes on.
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
pub(super) fn check_gates(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    for (gate, method) in [("Passt", "passt"), ("Macvtap", "macvtap")] {
        if !guest.config.lists_gate(gate) {
            continue;
        }
        let interfaces = guest.devices("interfaces");
        if let Some(at) = interfaces.iter().position(|i| i.get(method).is_some()) {
            causes
                .push(
                    &RULE,
                    "",
                    format!("{gate} network binding is discontinued since v1.3. Please refer to Kubevirt user guide for alternatives."),
                )
                .at(guest.at("domain.devices.interfaces").index(at).field(method))
                .help("use a network binding plugin or `passtBinding`");
        }
    }
}

/// Checked on create: the interfaces themselves.
pub(super) fn check_interfaces(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let all = guest.does(Behaviour::DiscontinuesOldBindings);
    for (at, interface) in guest.devices("interfaces").iter().enumerate() {
        for (method, words) in [
            (
                "slirp",
                "Slirp interface support has been discontinued since v1.3",
            ),
            (
                "passt",
                "Passt network binding has been discontinued since v1.3",
            ),
            (
                "macvtap",
                "Macvtap network binding has been discontinued since v1.3",
            ),
        ] {
            if interface.get(method).is_some() && (all || method == "slirp") {
                let here = FieldPath::from("domain.devices.interfaces")
                    .index(at)
                    .field(method);
                causes
                    .push(&RULE, FieldPath::from("spec").join(&here), words)
                    .at(FieldPath::from("spec.template.spec").join(&here))
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
    for (at, interface) in guest.devices("interfaces").iter().enumerate() {
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
        let field = guest.at("domain.devices.interfaces").index(at);
        causes
            .push(&RULE, field.field("name"), words)
            .at(field.field("slirp"));
    }
}
