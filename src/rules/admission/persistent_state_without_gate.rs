//! State that outlives the guest needs a feature gate.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `tpm.persistent: true` and `efi.persistent: true` on 1.5 where the feature gate `VMPersistentState` is
    /// off.
    ///
    /// ## Why it matters
    ///
    /// The state is kept in a claim of its own; from 1.6 on this needs no gate.
    ///
    /// KubeVirt's check: [`validatePersistentState`](https://github.com/kubevirt/kubevirt/blob/v1.5.3/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=..=1.5
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           tpm:
    ///             persistent: true
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.tpm.persistent: VMPersistentState feature gate is not enabled in kubevirt-config
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           tpm: {}
    /// ```
    ///
    /// ## Limits
    ///
    /// Targets up to 1.5 only. Without a known configuration the finding is `depends-on-configuration`.
    "persistent-state-without-gate": "state that outlives the guest needs a feature gate"
}

const GATE: &str = "VMPersistentState";

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if guest.gate(GATE) {
        return;
    }
    for path in [
        "domain.devices.tpm.persistent",
        "domain.firmware.bootloader.efi.persistent",
    ] {
        let off = path
            .rsplit_once('.')
            .and_then(|(device, _)| guest.spec.path(device))
            .is_some_and(|device| device.get("enabled").and_then(Node::as_bool) == Some(false));
        if guest.is(path) && !off {
            RULE.refuse(causes, guest.at(path))
                .because(format!(
                    "{GATE} feature gate is not enabled in kubevirt-config"
                ))
                .gate(GATE);
        }
    }
}
