//! Hook sidecars need a feature gate.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports the annotation `hooks.kubevirt.io/hookSidecars` on the guest where the feature gate `Sidecar` is off.
    ///
    /// ## Why it matters
    ///
    /// A sidecar changes the guest's libvirt domain; without the gate the webhook refuses the VM.
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
    ///         hooks.kubevirt.io/hookSidecars: '[{"image": "example.com/hook:1"}]'
    /// ```
    ///
    /// ```text
    /// spec.template.metadata.annotations: sidecar feature gate is not enabled in kubevirt-config, invalid entry spec.template.metadata.annotations.hooks.kubevirt.io/hookSidecars
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
    /// Without a known configuration the finding is `depends-on-configuration`. What the sidecar does is not looked at.
    "sidecar-without-gate": "hook sidecars need a feature gate"
}

pub(in crate::rules) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let list = guest.annotation("hooks.kubevirt.io/hookSidecars");
    if !list.is_empty() && !guest.gate("Sidecar") {
        let field = guest.metadata_at("annotations");
        RULE.refuse(causes, &field)
            .because(format!("sidecar feature gate is not enabled in kubevirt-config, invalid entry {field}.hooks.kubevirt.io/hookSidecars"))
            .at(field.field("hooks.kubevirt.io/hookSidecars"))
            .gate("Sidecar");
    }
}
