//! The Ignition annotation needs a feature gate.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports the annotation `kubevirt.io/ignitiondata` on the guest where the feature gate
    /// `ExperimentalIgnitionSupport` is off.
    ///
    /// ## Why it matters
    ///
    /// The annotation hands Ignition data to the guest; without the gate the webhook refuses the VM rather than start a
    /// guest that is not set up.
    ///
    /// KubeVirt's check: [`ValidateVirtualMachineInstanceMetadata`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     metadata:
    ///       annotations:
    ///         kubevirt.io/ignitiondata: '{}'
    /// ```
    ///
    /// ```text
    /// spec.template.metadata.annotations: ExperimentalIgnitionSupport feature gate is not enabled in kubevirt-config, invalid entry spec.template.metadata.annotations.kubevirt.io/ignitiondata
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     metadata:
    ///       annotations:
    ///         example.com/tier: gold
    /// ```
    ///
    /// ## Limits
    ///
    /// Without a known configuration the finding is `depends-on-configuration`.
    "ignition-without-gate": "the Ignition annotation needs a feature gate"
}

pub(in crate::rules) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let data = guest.annotation("kubevirt.io/ignitiondata");
    if !data.is_empty() && !guest.gate("ExperimentalIgnitionSupport") {
        let field = guest.metadata_at("annotations");
        RULE.refuse(causes, &field)
            .because(format!("ExperimentalIgnitionSupport feature gate is not enabled in kubevirt-config, invalid entry {field}.kubevirt.io/ignitiondata"))
            .at(field.field("kubevirt.io/ignitiondata"))
            .gate("ExperimentalIgnitionSupport");
    }
}
