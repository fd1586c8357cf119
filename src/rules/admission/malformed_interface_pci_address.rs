//! An interface's PCI address is malformed.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `pciAddress` of an interface that does not have the form `0000:81:00.1`.
    ///
    /// ## Why it matters
    ///
    /// The address goes into the guest's libvirt domain as it is.
    ///
    /// KubeVirt's check: [`validatePciAddress`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/netiface.go).
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
    ///               pciAddress: '81:00.1'
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.interfaces[0].pciAddress: interface spec.template.spec.domain.devices.interfaces[0].name has malformed PCI address (81:00.1).
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
    ///               pciAddress: 0000:81:00.1
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    "malformed-interface-pci-address": "an interface's PCI address is malformed"
}

pub(super) fn check(interface: Item<'_>, causes: &mut Causes) {
    let address = interface.str_at("pciAddress");
    if !address.is_empty() && !names::is_pci_address(address) {
        let field = interface.place();
        RULE.refuse(causes, field.field("pciAddress"))
            .because(format!(
                "interface {field}.name has malformed PCI address ({address})."
            ))
            .help("write domain, bus, slot and function, such as `0000:81:00.1`");
    }
}
