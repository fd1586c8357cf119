//! The cluster does not emulate the machine type.

use crate::release::Behaviour;
use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::AdmittedGuest;

rule! {
    /// ## What it does
    ///
    /// Reports a `machine.type` that matches none of the cluster's `emulatedMachines`: by default `q35*` and `pc-q35*`
    /// on amd64, `virt*` on arm64, `s390-ccw-virtio*` on s390x.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt starts no machine it was not told to support, and refuses the VM. Up to 1.5 the entries are regular
    /// expressions that may match anywhere in the name, from 1.6 on they are globs over the whole name.
    ///
    /// KubeVirt's check: [`validateEmulatedMachine`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         machine:
    ///           type: pc-i440fx-2.10
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.machine.type: spec.template.spec.domain.machine.type is not supported: pc-i440fx-2.10 (allowed values: [q35* pc-q35*])
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         machine:
    ///           type: q35
    /// ```
    ///
    /// ## Limits
    ///
    /// Hangs on the cluster's `emulatedMachines`; without a known configuration the finding is
    /// `depends-on-configuration`.
    "unsupported-machine-type": "the cluster does not emulate the machine type"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let machine = guest.str("domain.machine.type");
    if machine.is_empty() {
        return;
    }
    let globs = guest.does(Behaviour::MachineTypesAreGlobs);
    let supported = guest
        .config
        .emulated_machines(guest.str("architecture"), guest.release);
    let fits = supported.iter().any(|pattern| {
        if globs {
            super::patterns::glob(pattern, machine)
        } else {
            super::patterns::regex(pattern, machine)
        }
    });
    if !fits {
        let field = guest.at("domain.machine.type");
        let message = format!(
            "{field} is not supported: {machine} (allowed values: [{}])",
            supported.join(" ")
        );
        causes
            .push(&RULE, field, message)
            .setting("`emulatedMachines`")
            .help(format!("use one of {}", supported.join(", ")));
    }
}
