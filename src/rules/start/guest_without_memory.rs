//! Nothing says how much memory the guest has.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a guest without `memory.guest`, huge pages, or a memory request or limit, once its instance type is applied.
    ///
    /// ## Why it matters
    ///
    /// The webhook of virtual machines does not ask for memory. The one of instances does: the machine is stored, and no
    /// start gets past it.
    ///
    /// KubeVirt's check: [`ValidateVirtualMachineInstanceMandatoryFields`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata:
    ///   name: web
    /// spec:
    ///   runStrategy: Always
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    /// ```
    ///
    /// ```text,kubevirt=..=1.7
    /// no memory requested, at least one of 'spec.domain.memory.guest', 'spec.domain.memory.hugepages.size' or 'spec.domain.resources.requests.memory' must be set
    /// ```
    ///
    /// ```text,kubevirt=1.8..
    /// no memory requested, at least one of 'spec.domain.memory.guest', 'spec.domain.memory.hugepages.pageSize' or 'spec.domain.resources.requests.memory' must be set
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory:
    ///           guest: 1Gi
    /// ```
    ///
    /// ## Limits
    ///
    /// A virtual machine whose instance type is not in the repository is not reported: instance types give memory.
    "guest-without-memory": "nothing says how much memory the guest has"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let requested = guest.amount("domain.resources.requests.memory").value() != 0;
    if requested || guest.has("domain.memory.guest") || guest.has("domain.memory.hugepages") {
        return;
    }
    let size = if guest.does(Behaviour::NamesHugepagesField) {
        "pageSize"
    } else {
        "size"
    };
    RULE.refuse(causes, "")
        .because(format!(
            "no memory requested, at least one of 'spec.domain.memory.guest', 'spec.domain.memory.hugepages.{size}' or 'spec.domain.resources.requests.memory' must be set"
        ))
        .at(guest.at("domain.memory"))
        .help("set `domain.memory.guest`, or name an instance type");
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::start_edges;

    #[test]
    fn any_amount_anywhere_is_memory() {
        start_edges(
            &RULE,
            "domain: {devices: {}, $}",
            &[
                ("memory: {}", true),
                ("memory: null", true),
                ("resources: {requests: {cpu: 1}}", true),
                ("resources: {requests: {memory: 64Mi}}", false),
                ("resources: {limits: {memory: 64Mi}}", false),
                ("memory: {guest: 0}", false),
                ("memory: {hugepages: {pageSize: 2Mi}}", false),
            ],
        );
    }
}
