//! A MAC address is malformed.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `macAddress` that is not a hardware address, or one longer than six bytes.
    ///
    /// ## Why it matters
    ///
    /// A network card's address has six bytes in hexadecimal, with colons or dashes (`02:00:00:aa:bb:01`).
    ///
    /// KubeVirt's check: [`validateMacAddress`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/netiface.go).
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
    ///               macAddress: zz
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.interfaces[0].macAddress: interface spec.template.spec.domain.devices.interfaces[0].name has malformed MAC address (zz).
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
    ///               macAddress: 02:00:00:aa:bb:01
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    "malformed-mac-address": "a MAC address is malformed"
}

pub(super) fn check(interface: Item<'_>, causes: &mut Causes) {
    let address = interface.str_at("macAddress");
    if address.is_empty() {
        return;
    }
    let words = match names::mac_bytes(address) {
        Some(6) => return,
        Some(_) => "too long",
        None => "malformed",
    };
    let field = interface.place();
    RULE.refuse(causes, field.field("macAddress"))
        .because(format!(
            "interface {field}.name has {words} MAC address ({address})."
        ))
        .help("write six bytes in hexadecimal, such as `02:00:00:aa:bb:01`");
}
