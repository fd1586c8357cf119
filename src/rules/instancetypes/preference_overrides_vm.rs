//! A preference that wins over the VM.

use crate::finding::Location;
use crate::rules::{Context, Findings, Vm};
use crate::yaml::Node;

rule! {
    /// ## What it does
    ///
    /// Reports the two fields in which a preference wins over the VM: `features.acpi` and `devices.disableHotplug`.
    ///
    /// ## Why it matters
    ///
    /// Everywhere else a preference only fills in what the VM leaves out. Here KubeVirt cannot tell what was written from what
    /// was left out, so what Git says about the VM has no effect.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: web}
    /// spec:
    ///   runStrategy: Always
    ///   preference:
    ///     name: app
    ///     kind: VirtualMachinePreference
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {disableHotplug: false}
    ///         memory: {guest: 1Gi}
    /// ---
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachinePreference
    /// metadata: {name: app}
    /// spec: {devices: {preferredDisableHotplug: true}}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.disableHotplug: the preference's `devices.preferredDisableHotplug` overrides this
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: web}
    /// spec:
    ///   runStrategy: Always
    ///   preference:
    ///     name: app
    ///     kind: VirtualMachinePreference
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {disableHotplug: true}
    ///         memory: {guest: 1Gi}
    /// ---
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachinePreference
    /// metadata: {name: app}
    /// spec: {devices: {preferredDisableHotplug: true}}
    /// ```
    ///
    /// ## Limits
    ///
    /// A value that agrees with the preference is not reported.
    "preference-overrides-vm": "the preference overrides what the VM sets",
    level: Warning,
    check: Vm(check),
}

fn check(vm: &Vm<'_>, context: &Context<'_>, findings: &mut Findings) {
    let resolved = context
        .resolver
        .resolve_preference(&vm.decoded.node, vm.namespace);
    let Ok(Some(resolved)) = resolved else {
        return;
    };
    let preference = &resolved.spec.node;
    for (preferred, field) in [
        (
            "features.preferredAcpi",
            "spec.template.spec.domain.features.acpi",
        ),
        (
            "devices.preferredDisableHotplug",
            "spec.template.spec.domain.devices.disableHotplug",
        ),
    ] {
        let (Some(wins), Some(written)) = (preference.path(preferred), vm.written().path(field))
        else {
            continue;
        };
        // A feature without `enabled` is on.
        let on = |node: &Node| {
            node.as_bool()
                .or_else(|| node.get("enabled").map_or(Some(true), Node::as_bool))
        };
        if written.is_null() || on(wins) == on(written) {
            continue;
        }
        let finding = findings.report(
            vm.resource,
            field,
            format!("the preference's `{preferred}` overrides this"),
        );
        finding.help("leave it out of the VM, or out of the preference");
        if resolved.resource.file.is_some() {
            let place = Location::at(resolved.resource, &"metadata.name".into());
            finding.related(place.note("the preference"));
        }
    }
}
