//! Fields of preferences that have a successor.

use crate::field_path::FieldPath;
use crate::finding::{Applicability, FixAction};
use crate::resource::Resource;
use crate::rules::{Context, Findings};
use crate::stored::GROUP;
use crate::yaml::Node;

rule! {
    /// ## What it does
    ///
    /// Reports `preferredUseEfi` and `preferredUseSecureBoot`, which `preferredEfi` replaces, and the old names of topologies
    /// (`preferCores` for `cores`).
    ///
    /// ## Why it matters
    ///
    /// KubeVirt warns at every apply and will drop them. Of `preferredUseSecureBoot` and `preferredEfi` together, the old one can
    /// still win where the VM brings its own EFI settings.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachinePreference
    /// metadata: {name: app}
    /// spec: {cpu: {preferredCPUTopology: preferCores}}
    /// ```
    ///
    /// ```text
    /// spec.cpu.preferredCPUTopology: `preferCores` is the deprecated name of `cores`
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachinePreference
    /// metadata: {name: app}
    /// spec: {cpu: {preferredCPUTopology: cores}}
    /// ```
    ///
    /// ## Fix safety
    ///
    /// Safe for topologies: both names mean the same.
    ///
    /// ## Limits
    ///
    /// v1alpha1 and v1alpha2 objects are `deprecated-api-version` or `removed-api-version`.
    "deprecated-preference-field": "the preference uses a deprecated field or value",
    level: Warning,
    check: Catalog(check),
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    for resource in context.catalog.resources() {
        let ours = resource.id.group == GROUP && resource.id.kind.ends_with("Preference");
        if !ours || resource.version() != "v1beta1" {
            continue;
        }
        let Some(spec) = resource.node.get("spec") else {
            continue;
        };
        topology(resource, spec, findings);
        let at = FieldPath::root().field("spec").field("firmware");
        for old in ["preferredUseEfi", "preferredUseSecureBoot"] {
            let set = spec.get("firmware").and_then(|firmware| firmware.get(old));
            if set.is_some_and(|value| !value.is_null()) {
                findings
                    .report(resource, at.field(old), format!("`{old}` is deprecated"))
                    .help("write `preferredEfi: {secureBoot: …}`; `{}` alone is EFI as KubeVirt chooses it");
            }
        }
    }
}

fn topology(resource: &Resource, spec: &Node, findings: &mut Findings) {
    let written = spec
        .get("cpu")
        .map_or("", |cpu| cpu.str_at("preferredCPUTopology"));
    let successor = match written {
        "preferSockets" => "sockets",
        "preferCores" => "cores",
        "preferThreads" => "threads",
        "preferSpread" => "spread",
        "preferAny" => "any",
        _ => return,
    };
    let path = FieldPath::parse("spec.cpu.preferredCPUTopology");
    findings
        .report(
            resource,
            path.clone(),
            format!("`{written}` is the deprecated name of `{successor}`"),
        )
        .help(format!("write `{successor}`"))
        .fix(
            Applicability::Safe,
            format!("write `{successor}`"),
            [(path, FixAction::Set(Node::string(successor)))],
        );
}
