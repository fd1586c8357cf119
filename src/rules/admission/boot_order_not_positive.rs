//! A boot order is zero.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `bootOrder` of 0 on a disk or interface.
    ///
    /// ## Why it matters
    ///
    /// Orders are counted from 1.
    ///
    /// KubeVirt's check: [`validateInterfaceBootOrder`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           disks:
    ///             - name: root
    ///               bootOrder: 0
    ///               disk:
    ///                 bus: virtio
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.disks[0].bootOrder: spec.template.spec.domain.devices.disks[0] must have a boot order > 0, if supplied
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           disks:
    ///             - name: root
    ///               bootOrder: 1
    ///               disk:
    ///                 bus: virtio
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    "boot-order-not-positive": "a boot order is zero"
}

const HELP: &str = "count boot orders from 1";

pub(super) fn check_disk(disk: Item<'_>, causes: &mut Causes) {
    if is_wrong(&disk) {
        let field = disk.place();
        RULE.refuse(causes, field.field("bootOrder"))
            .because(format!("{field} must have a boot order > 0, if supplied"))
            .help(HELP);
    }
}

/// Whether the interface's order is wrong; then it takes no part in the search for repeated ones.
pub(super) fn check_interface(interface: Item<'_>, causes: &mut Causes) -> bool {
    let wrong = is_wrong(&interface);
    if wrong {
        let field = interface.base().index(interface.index);
        RULE.refuse(causes, field.field("bootOrder"))
            .because(format!("{field} must have a boot order > 0, if supplied"))
            .at(interface.at("bootOrder"))
            .help(HELP);
    }
    wrong
}

fn is_wrong(device: &Node) -> bool {
    device
        .get("bootOrder")
        .and_then(Node::as_i64)
        .is_some_and(|order| order < 1)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::edges;

    #[test]
    fn boot_orders_count_from_1() {
        edges(
            &RULE,
            "domain: {devices: {disks: [{name: root, disk: {bus: virtio}, bootOrder: $}]}}\nvolumes: [{name: root, containerDisk: {image: example.com/fedora:42}}]",
            &[("0", true), ("1", false), ("2", false)],
        );
    }

    #[test]
    fn so_do_those_of_interfaces() {
        edges(
            &RULE,
            "domain: {devices: {interfaces: [{name: default, masquerade: {}, bootOrder: $}]}}\nnetworks: [{name: default, pod: {}}]",
            &[("0", true), ("1", false)],
        );
    }
}
