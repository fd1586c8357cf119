//! A VSOCK device needs a feature gate.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `devices.autoattachVSOCK: true` where the feature gate `VSOCK` is off.
    ///
    /// ## Why it matters
    ///
    /// VSOCK gives guests a channel to the node, which a cluster has to allow.
    ///
    /// KubeVirt's check: [`validateVSOCK`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           autoattachVSOCK: true
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.autoattachVSOCK: VSOCK feature gate is not enabled in kubevirt-config
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           autoattachVSOCK: false
    /// ```
    ///
    /// ## Limits
    ///
    /// Without a known configuration the finding is `depends-on-configuration`.
    "vsock-without-gate": "a VSOCK device needs a feature gate"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if guest.is("domain.devices.autoattachVSOCK") && !guest.gate("VSOCK") {
        RULE.refuse(causes, guest.at("domain.devices.autoattachVSOCK"))
            .because("VSOCK feature gate is not enabled in kubevirt-config")
            .gate("VSOCK");
    }
}
