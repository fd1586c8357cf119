//! This VM's memory cannot grow.

use super::prelude::*;
use crate::transform::start::hotplug::architecture_refusal;

rule! {
    /// ## What it does
    ///
    /// Reports `memory.maxGuest`, where running guests may change, on a VM that is realtime, has NUMA passthrough or
    /// launch security, has no guest memory, more than `maxGuest` or less than 1Gi, or is not amd64 (up to 1.4: nor arm64).
    ///
    /// ## Why it matters
    ///
    /// `maxGuest` asks for memory that can be plugged while the guest runs. KubeVirt reports the first reason against
    /// it.
    ///
    /// KubeVirt's check: [`validateLiveUpdateFeatures`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.6..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory:
    ///           guest: 512Mi
    ///           maxGuest: 4Gi
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.memory.guest: Memory hotplug is only available for VMs with at least 1Gi of guest memory
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory:
    ///           guest: 1Gi
    ///           maxGuest: 4Gi
    /// ```
    ///
    /// ## Limits
    ///
    /// Depends on `vmRolloutStrategy`; without a known configuration the finding is `depends-on-configuration`.
    "memory-hotplug-requirements": "this VM's memory cannot grow"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if !guest.live_update() || !guest.has("domain.memory.maxGuest") {
        return;
    }
    let memory = guest.amount("domain.memory.guest");
    let mut help = "remove `maxGuest`";
    let first = if guest.has("domain.cpu.realtime") {
        "Memory hotplug is not compatible with realtime VMs"
    } else if guest.has("domain.cpu.numa.guestMappingPassthrough") {
        "Memory hotplug is not compatible with guest mapping passthrough"
    } else if guest.has("domain.launchSecurity") {
        "Memory hotplug is not compatible with encrypted VMs"
    } else if !guest.has("domain.memory.guest") {
        "Guest memory must be configured when memory hotplug is enabled"
    } else if memory > guest.amount("domain.memory.maxGuest") {
        help = "raise `maxGuest` to the guest's memory or more";
        "Guest memory is greater than the configured maxGuest memory"
    } else if !super::memory_not_aligned::check(guest, causes) {
        return;
    } else if let Some(refusal) = architecture_refusal(guest.release, guest.spec) {
        refusal
    } else if memory.value() < 0x4000_0000 {
        help = "remove `maxGuest`, or give the guest 1Gi or more";
        "Memory hotplug is only available for VMs with at least 1Gi of guest memory"
    } else {
        return;
    };
    RULE.refuse(causes, guest.at("domain.memory.guest"))
        .because(first)
        .at(guest.at("domain.memory.maxGuest"))
        .by_rollout()
        .help(help);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::{edges, words};

    #[test]
    fn stage_does_not_look() {
        let vm = json!({"spec": {"template": {"spec": {"domain": {"memory": {"guest": "512Mi", "maxGuest": "4Gi"}}}}}});
        assert!(
            words(
                &RULE,
                Release::V1_9,
                &vm,
                &json!({"vmRolloutStrategy": "Stage"})
            )
            .is_empty()
        );
        assert!(words(&RULE, Release::V1_5, &vm, &json!({})).is_empty());
    }

    #[test]
    fn a_guest_of_1gi_can_grow() {
        edges(
            &RULE,
            "domain: {memory: {guest: $, maxGuest: 4Gi}}",
            &[
                ("1022Mi", true),
                ("1Gi", false),
                ("1026Mi", false),
                ("4Gi", false),
                ("4098Mi", true),
            ],
        );
    }
}
