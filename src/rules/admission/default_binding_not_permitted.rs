//! KubeVirt adds an interface that the cluster forbids.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a VM without interfaces and networks where the cluster's default interface is a bridge (as it is unless
    /// configured) and `permitBridgeInterfaceOnPodNetwork` is false; and a default interface of `slirp`, which is gone.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt connects such a VM to the pod network by itself, and then refuses what it made.
    ///
    /// KubeVirt's check: [`SetDefaultNetworkInterface`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/vmispec/defaults.go).
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
    ///         devices: {}
    /// ```
    ///
    /// ```text
    /// bridge interface is not enabled in kubevirt-config
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
    /// Depends on the cluster's configuration.
    "default-binding-not-permitted": "KubeVirt adds an interface that the cluster forbids"
}

/// Puts the refusal that setting the defaults met among the causes.
pub(in crate::rules) fn refused(message: &str, causes: &mut Causes) {
    RULE.refuse(causes, "")
        .because(message)
        .at("spec.template.spec.domain.devices")
        .setting("`network`")
        .help("write the interface and its network, such as `masquerade: {}` on `pod: {}`");
}
