//! An API version that the target release does not serve.

use crate::field_path::FieldPath;
use crate::release::Behaviour;
use crate::rule::Severity;
use crate::rules::{Context, Findings};

rule! {
    /// ## What it does
    ///
    /// Reports objects in an API version that the API server of the target release no longer serves, or does not serve
    /// yet.
    ///
    /// ## Why it matters
    ///
    /// Applying the object fails: `no matches for kind`. Nothing in the cluster converts it.
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.6..
    /// apiVersion: instancetype.kubevirt.io/v1alpha2
    /// kind: VirtualMachineInstancetype
    /// metadata: {name: small}
    /// spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
    /// ```
    ///
    /// ```text
    /// apiVersion: KubeVirt RELEASE does not serve `instancetype.kubevirt.io/v1alpha2`
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachineInstancetype
    /// metadata: {name: small}
    /// spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
    /// ```
    ///
    /// ## Limits
    ///
    /// CDI's releases are not told apart: `cdi.kubevirt.io/v1alpha1` is gone from every CDI that goes with KubeVirt 1.1 or later.
    "removed-api-version": "the target release does not serve the API version",
    level: Error,
    check: Catalog(check),
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    for resource in context.catalog.resources() {
        // CDI has releases of its own.
        let is_cdi = resource.id.group == "cdi.kubevirt.io";
        let help = match (resource.id.group.as_str(), resource.version()) {
            // Other operators have kinds of their own in the group: `NodeMaintenance`.
            ("kubevirt.io", "v1alpha1" | "v1alpha2")
                if resource.id.kind.starts_with("VirtualMachine")
                    || resource.id.kind == "KubeVirt" =>
            {
                "write `apiVersion: kubevirt.io/v1`, and rename `registryDisk` to `containerDisk` and a disk's `volumeName` to `name`"
            }
            ("cdi.kubevirt.io", "v1alpha1") => "write `apiVersion: cdi.kubevirt.io/v1beta1`",
            ("instancetype.kubevirt.io", "v1alpha1" | "v1alpha2")
                if !context
                    .target
                    .release
                    .has(Behaviour::ServesOldInstancetypes) =>
            {
                "`driftless upgrade` writes it as v1beta1"
            }
            ("pool.kubevirt.io", "v1beta1")
                if !context.target.release.has(Behaviour::ServesBetaPools) =>
            {
                "write `apiVersion: pool.kubevirt.io/v1alpha1`: v1beta1 came with KubeVirt 1.7"
            }
            _ => continue,
        };
        let finding = findings.report(
            resource,
            FieldPath::root().field("apiVersion"),
            if is_cdi {
                format!("CDI no longer serves `{}`", resource.api_version)
            } else {
                format!(
                    "KubeVirt {} does not serve `{}`",
                    context.target.release, resource.api_version
                )
            },
        );
        finding.help(help);
        if is_cdi {
            finding.severity(Severity::Warning);
        }
    }
}
