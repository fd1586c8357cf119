//! The macvtap binding is not enabled, or is not on a Multus network.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports the `macvtap` binding up to 1.7 where the feature gate `Macvtap` is off, or the interface's network is no
    /// `multus` network.
    ///
    /// ## Why it matters
    ///
    /// The binding was replaced by a network binding plugin in 1.3 and is discontinued from 1.8 on
    /// (`discontinued-binding`).
    ///
    /// KubeVirt's check: [`validateMacvtapBinding`](https://github.com/kubevirt/kubevirt/blob/v1.7.4/pkg/network/admitter/macvtap.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=..=1.7
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           interfaces:
    ///             - name: default
    ///               macvtap: {}
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.interfaces[0].name: Macvtap feature gate is not enabled
    /// spec.template.spec.domain.devices.interfaces[0].name: Macvtap interface only implemented with Multus network
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
    ///
    /// ## Limits
    ///
    /// Targets up to 1.7 only. Without a known configuration the missing gate is `depends-on-configuration`.
    "macvtap-binding-requirements": "the macvtap binding is not enabled, or is not on a Multus network"
}

pub(super) fn check(guest: AdmittedGuest<'_>, interface: Item<'_>, causes: &mut Causes) {
    if guest.does(Behaviour::DiscontinuesOldBindings) || interface.get("macvtap").is_none() {
        return;
    }
    let field = interface.place();
    if !guest.gate("Macvtap") {
        RULE.refuse(causes, field.field("name"))
            .because("Macvtap feature gate is not enabled")
            .at(field.field("macvtap"))
            .gate("Macvtap");
    }
    let network = guest.network(interface.str_at("name"));
    if network.is_none_or(|network| network.get("multus").is_none()) {
        RULE.refuse(causes, field.field("name"))
            .because("Macvtap interface only implemented with Multus network")
            .at(field.field("macvtap"))
            .help("use the macvtap network binding plugin on a `multus` network");
    }
}
