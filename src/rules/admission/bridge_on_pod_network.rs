//! The cluster does not permit bridges on the pod network.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `bridge` binding on the `pod` network where the cluster sets `permitBridgeInterfaceOnPodNetwork:
    /// false`.
    ///
    /// ## Why it matters
    ///
    /// A bridged guest takes over the pod's address, which prevents live migration; clusters may forbid it.
    ///
    /// KubeVirt's check: [`validateBridgeBinding`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/binding.go).
    ///
    /// ## Example
    ///
    /// ```yaml,configuration
    /// network:
    ///   permitBridgeInterfaceOnPodNetwork: false
    /// ```
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           interfaces:
    ///             - name: default
    ///               bridge: {}
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.interfaces[0].name: Bridge on pod network configuration is not enabled under kubevirt-config
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
    /// Depends on the cluster's configuration, which permits it by default.
    "bridge-on-pod-network": "the cluster does not permit bridges on the pod network"
}

pub(super) fn check(guest: AdmittedGuest<'_>, interface: Item<'_>, causes: &mut Causes) {
    let permitted = guest.config.permits_bridge_on_pod_network();
    if interface.get("bridge").is_some() && guest.on_pod_network(&interface) && !permitted {
        let field = interface.place();
        RULE.refuse(causes, field.field("name"))
            .because("Bridge on pod network configuration is not enabled under kubevirt-config")
            .at(field.field("bridge"))
            .setting("`network.permitBridgeInterfaceOnPodNetwork`")
            .help("use `masquerade: {}`");
    }
}
