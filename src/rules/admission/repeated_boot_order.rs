//! Two devices have the same boot order.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports disks and interfaces that share a `bootOrder`.
    ///
    /// ## Why it matters
    ///
    /// The order would be undefined.
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
    ///               bootOrder: 1
    ///               disk:
    ///                 bus: virtio
    ///             - name: data
    ///               bootOrder: 1
    ///               disk:
    ///                 bus: virtio
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    ///         - name: data
    ///           emptyDisk:
    ///             capacity: 1Gi
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.disks[1].bootOrder: Boot order for spec.template.spec.domain.devices.disks[1].bootOrder already set for a different device.
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
    ///             - name: data
    ///               bootOrder: 2
    ///               disk:
    ///                 bus: virtio
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    ///         - name: data
    ///           emptyDisk:
    ///             capacity: 1Gi
    /// ```
    "repeated-boot-order": "two devices have the same boot order"
}

/// Boot orders seen so far.
pub(super) type Seen = Vec<i64>;

/// Checks one disk or interface.
pub(super) fn check(device: Item<'_>, seen: &mut Seen, causes: &mut Causes) {
    let Some(order) = device.get("bootOrder").and_then(Node::as_i64) else {
        return;
    };
    if seen.contains(&order) {
        let field = device.at("bootOrder");
        RULE.refuse(causes, &field)
            .because(format!(
                "Boot order for {field} already set for a different device."
            ))
            .help("give each device an order of its own");
    }
    seen.push(order);
}
