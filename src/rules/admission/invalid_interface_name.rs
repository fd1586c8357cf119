//! An interface's name has characters other than letters, digits, `-` and `_`.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports interface names that are empty or contain a character other than a letter, digit, dash or underscore.
    ///
    /// ## Why it matters
    ///
    /// The name goes into the guest's libvirt domain.
    ///
    /// KubeVirt's check: [`validateInterfaceNameFormat`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/netiface.go).
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
    ///             - name: vlan.1
    ///               bridge: {}
    ///       networks:
    ///         - name: vlan.1
    ///           multus:
    ///             networkName: vlan
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.interfaces[0].name: Network interface name can only contain alphabetical characters, numbers, dashes (-) or underscores (_)
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           interfaces:
    ///             - name: vlan-1
    ///               bridge: {}
    ///       networks:
    ///         - name: vlan-1
    ///           multus:
    ///             networkName: vlan
    /// ```
    "invalid-interface-name": "an interface's name has characters other than letters, digits, `-` and `_`"
}

pub(super) fn check(interface: Item<'_>, causes: &mut Causes) {
    let name = interface.str_at("name");
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if name.is_empty() || !name.bytes().all(fits) {
        RULE.refuse(causes, interface.at("name"))
            .because("Network interface name can only contain alphabetical characters, numbers, dashes (-) or underscores (_)")
            .help("rename the interface and its network");
    }
}
