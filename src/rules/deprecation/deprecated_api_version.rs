//! An API version that is served, but not for long.

use crate::field_path::FieldPath;
use crate::finding::{Applicability, FixAction};
use crate::release::Behaviour;
use crate::rules::{Context, Findings};
use crate::yaml::Node;

rule! {
    /// ## What it does
    ///
    /// Reports `kubevirt.io/v1alpha3`, which `kubevirt.io/v1` replaces, and `instancetype.kubevirt.io/v1alpha1` and `v1alpha2`
    /// where the target release still serves them.
    ///
    /// ## Why it matters
    ///
    /// The API server answers every apply with a deprecation warning, and a later release refuses the object: that happened to
    /// the instance type versions in KubeVirt 1.6.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: kubevirt.io/v1alpha3
    /// kind: VirtualMachineInstance
    /// metadata: {name: web}
    /// spec:
    ///   domain:
    ///     devices: {}
    ///     memory: {guest: 1Gi}
    /// ```
    ///
    /// ```text
    /// apiVersion: `kubevirt.io/v1alpha3` is deprecated
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachineInstance
    /// metadata: {name: web}
    /// spec:
    ///   domain:
    ///     devices: {}
    ///     memory: {guest: 1Gi}
    /// ```
    ///
    /// ## Fix safety
    ///
    /// Safe for `kubevirt.io/v1alpha3`: both versions have the same fields. Instance types and preferences are lifted by
    /// `driftless upgrade`.
    ///
    /// ## Limits
    ///
    /// Snapshots, exports and clones are not looked at.
    "deprecated-api-version": "the API version is deprecated",
    level: Warning,
    check: Catalog(check),
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    let path = FieldPath::root().field("apiVersion");
    for resource in context.catalog.resources() {
        match (resource.id.group.as_str(), resource.version()) {
            ("kubevirt.io", "v1alpha3") => {
                findings
                    .report(
                        resource,
                        path.clone(),
                        "`kubevirt.io/v1alpha3` is deprecated",
                    )
                    .help("write `apiVersion: kubevirt.io/v1`; the fields are the same")
                    .fix(
                        Applicability::Safe,
                        "write `kubevirt.io/v1`",
                        [(path.clone(), FixAction::Set(Node::string("kubevirt.io/v1")))],
                    );
            }
            ("instancetype.kubevirt.io", "v1alpha1" | "v1alpha2")
                if context
                    .target
                    .release
                    .has(Behaviour::ServesOldInstancetypes) =>
            {
                findings
                    .report(
                        resource,
                        path.clone(),
                        format!(
                            "`{}` is deprecated, and gone from KubeVirt 1.6 on",
                            resource.api_version
                        ),
                    )
                    .help("`driftless upgrade` writes it as v1beta1");
            }
            _ => {}
        }
    }
}
