//! The VM has more CPU sockets than `maxSockets`.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `cpu.sockets` above `cpu.maxSockets`.
    ///
    /// ## Why it matters
    ///
    /// `maxSockets` is how far a running guest can grow; it cannot start above it. Where running guests may change (from
    /// 1.6 on by default) KubeVirt lists the cause twice.
    ///
    /// KubeVirt's check: [`validateLiveUpdateCPU`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         cpu:
    ///           sockets: 8
    ///           maxSockets: 4
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.cpu.sockets: Number of sockets in CPU topology is greater than the maximum sockets allowed
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         cpu:
    ///           sockets: 4
    ///           maxSockets: 8
    /// ```
    "sockets-exceed-maximum": "the VM has more CPU sockets than `maxSockets`"
}

const MESSAGE: &str =
    "Number of sockets in CPU topology is greater than the maximum sockets allowed";

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let (sockets, most) = (
        guest.int("domain.cpu.sockets"),
        guest.int("domain.cpu.maxSockets"),
    );
    if most != 0 && sockets > most {
        RULE.refuse(causes, guest.at("domain.cpu.sockets"))
            .because(MESSAGE)
            .help(format!("raise `maxSockets` to at least {sockets}"));
    }
}

/// The same once more, among what is checked of guests that may change while they run.
pub(super) fn check_live_update(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if guest.live_update() {
        check(guest, causes);
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::edges;

    #[test]
    fn sockets_may_equal_the_maximum() {
        edges(
            &RULE,
            "domain: {cpu: {sockets: $, maxSockets: 4}}",
            &[("3", false), ("4", false), ("5", true)],
        );
    }
}
