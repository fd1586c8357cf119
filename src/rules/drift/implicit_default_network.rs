//! A network that only exists in the running guest.

use crate::rules::{Context, Findings, Vm};
use crate::yaml::Node;

rule! {
    /// ## What it does
    ///
    /// Reports a VM without `interfaces` and `networks` that still gets the pod network, because `autoattachPodInterface` is not
    /// false.
    ///
    /// ## Why it matters
    ///
    /// Which binding it gets depends on the cluster (`bridge` by default, `masquerade` on OpenShift), and a bridge on the pod
    /// network keeps the VM from being migrated live. The interface shows on the running instance, not in the VM.
    ///
    /// ## Example
    ///
    /// ```yaml,bad,strict
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    ///       networks: []
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.interfaces: the VM gets the pod network with the cluster's default binding, `bridge`
    /// ```
    ///
    /// ```yaml,good,strict
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
    /// Off unless `profile: strict` or a level turns it on. A preference that sets `autoattachPodInterface` is not followed.
    "implicit-default-network": "the VM gets the cluster's default network without naming it",
    level: Off,
    strict: Note,
    check: Vm(check),
}

fn check(vm: &Vm<'_>, context: &Context<'_>, findings: &mut Findings) {
    let Some(spec) = vm.decoded.node.path("spec.template.spec") else {
        return;
    };
    let attached = spec
        .path("domain.devices.autoattachPodInterface")
        .and_then(Node::as_bool)
        .unwrap_or(true);
    let declared = !spec.items_at("domain.devices.interfaces").is_empty()
        || !spec.items_at("networks").is_empty();
    if !attached || declared {
        return;
    }
    let binding = context.target.configuration.default_network_interface();
    findings
        .report(
            vm.resource,
            "spec.template.spec.domain.devices.interfaces",
            format!("the VM gets the pod network with the cluster's default binding, `{binding}`"),
        )
        .help("declare the interface and its network, or set `autoattachPodInterface: false`");
}
