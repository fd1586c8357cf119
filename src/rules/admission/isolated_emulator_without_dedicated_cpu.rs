//! An isolated emulator thread needs dedicated CPUs.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `cpu.isolateEmulatorThread` without `cpu.dedicatedCpuPlacement`.
    ///
    /// ## Why it matters
    ///
    /// The emulator gets a CPU of its own beside the guest's, which only makes sense where the guest's are its own.
    ///
    /// KubeVirt's check: [`validateCPUIsolatorThread`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         cpu:
    ///           isolateEmulatorThread: true
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.cpu.isolateEmulatorThread: IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         cpu:
    ///           cores: 2
    ///           isolateEmulatorThread: true
    ///           dedicatedCpuPlacement: true
    ///         memory:
    ///           guest: 1Gi
    /// ```
    "isolated-emulator-without-dedicated-cpu": "an isolated emulator thread needs dedicated CPUs"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if guest.is("domain.cpu.isolateEmulatorThread") && !guest.is("domain.cpu.dedicatedCpuPlacement")
    {
        RULE.refuse(causes, guest.at("domain.cpu.isolateEmulatorThread"))
            .because("IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement")
            .help("set `dedicatedCpuPlacement: true`, or leave `isolateEmulatorThread` out");
    }
}
