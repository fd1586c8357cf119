//! An interface's model is unknown.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports interface models other than `virtio`, `e1000`, `e1000e`, `igb`, `ne2k_pci`, `pcnet` and `rtl8139`.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt passes no other to the emulator.
    ///
    /// KubeVirt's check: [`validateInterfaceModel`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/netiface.go).
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
    ///               model: vmxnet3
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.interfaces[0].model: interface spec.template.spec.domain.devices.interfaces[0].name uses model vmxnet3 that is not supported.
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
    ///               model: e1000e
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    "unsupported-interface-model": "an interface's model is unknown"
}

pub(super) fn check(interface: Item<'_>, causes: &mut Causes) {
    let model = interface.str_at("model");
    if !matches!(
        model,
        "" | "e1000" | "e1000e" | "igb" | "ne2k_pci" | "pcnet" | "rtl8139" | "virtio"
    ) {
        let field = interface.place();
        RULE.refuse(causes, field.field("model"))
            .because(format!(
                "interface {field}.name uses model {model} that is not supported."
            ))
            .help("use `virtio`, or `e1000e` for guests without its driver");
    }
}
