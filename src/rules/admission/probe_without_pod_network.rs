//! A network probe cannot reach the guest.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `httpGet` and `tcpSocket` probes of a guest that is not on the pod network.
    ///
    /// ## Why it matters
    ///
    /// The kubelet asks at the pod's address; without the pod network nothing answers there.
    ///
    /// KubeVirt's check: [`podNetworkRequiredStatusCause`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
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
    ///             - name: vlan
    ///               bridge: {}
    ///       networks:
    ///         - name: vlan
    ///           multus:
    ///             networkName: vlan
    ///       readinessProbe:
    ///         tcpSocket:
    ///           port: 22
    /// ```
    ///
    /// ```text
    /// spec.template.spec.readinessProbe.tcpSocket: spec.template.spec.readinessProbe.tcpSocket is only allowed if the Pod Network is attached
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
    ///       readinessProbe:
    ///         tcpSocket:
    ///           port: 22
    /// ```
    "probe-without-pod-network": "a network probe cannot reach the guest"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let reaches = |network: &Node| {
        let interfaces = guest.devices("interfaces");
        let name = network.str_at("name");
        network.get("pod").is_some()
            && (!guest.does(Behaviour::ProbesNeedPodInterface)
                || interfaces.iter().any(|interface| named(interface, name)))
    };
    if guest.items("networks").iter().any(reaches) {
        return;
    }
    for kind in ["readinessProbe", "livenessProbe"] {
        for handler in ["httpGet", "tcpSocket"] {
            if guest.has(&format!("{kind}.{handler}")) {
                RULE.refuse(causes, guest.at(kind).field(handler))
                    .because_it("is only allowed if the Pod Network is attached")
                    .help("use `exec` or `guestAgentPing`, or attach the pod network");
            }
        }
    }
}
