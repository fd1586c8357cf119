//! A built-in type that the release no longer ships.

use crate::catalog::bundle;
use crate::field_path::FieldPath;
use crate::resolve::ResolveError;
use crate::rules::{Context, Findings, Vm};
use crate::stored::Matcher;

rule! {
    /// ## What it does
    ///
    /// Reports a VM that names an instance type or preference that older releases of KubeVirt ship and the target
    /// release does not, and suggests the nearest current one.
    ///
    /// ## Why it matters
    ///
    /// The upgrade of KubeVirt deletes it. A VM that has run keeps its revision and keeps working; a new VM, a restored
    /// one, and this one in another cluster do not start.
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.2..
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: web}
    /// spec:
    ///   runStrategy: Always
    ///   instancetype:
    ///     name: highperformance.large
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    /// ```
    ///
    /// ```text
    /// spec.instancetype.name: `highperformance.large` is no longer shipped; KubeVirt 1.1 was the last release with it
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: web}
    /// spec:
    ///   runStrategy: Always
    ///   instancetype:
    ///     name: u1.large
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    /// ```
    ///
    /// ## Limits
    ///
    /// An object of that name in the tree, or in `--context`, is the one that counts.
    "removed-common-instancetype": "the release no longer ships the instance type or preference",
    level: Warning,
    check: Vm(check),
}

fn check(vm: &Vm<'_>, context: &Context<'_>, findings: &mut Findings) {
    if !context.target.configuration.deploys_common_instancetypes() {
        return;
    }
    let found = [
        (
            Matcher::Instancetype,
            context
                .resolver
                .resolve_instancetype(&vm.decoded.node, vm.namespace)
                .err(),
        ),
        (
            Matcher::Preference,
            context
                .resolver
                .resolve_preference(&vm.decoded.node, vm.namespace)
                .err(),
        ),
    ];
    for (matcher, error) in found {
        let Some(ResolveError::NotFound { kind, name, .. }) = error else {
            continue;
        };
        let Some(lifetime) = bundle::lifetime(kind, &name) else {
            continue;
        };
        let release = context.target.release;
        let path = FieldPath::root()
            .field("spec")
            .field(matcher.field())
            .field("name");
        if let Some(since) = bundle::coming(release, kind, &name) {
            findings
                .report(
                    vm.resource,
                    path,
                    format!("`{name}` comes with KubeVirt {since}; the target is {release}"),
                )
                .help(format!(
                    "choose one that {release} ships: `driftless catalog list`"
                ));
            continue;
        }
        let Some(until) = lifetime.last() else {
            continue;
        };
        let nearest =
            bundle::find(until, kind, &name).and_then(|of| bundle::compare::nearest(of, release));
        let finding = findings.report(
            vm.resource,
            path,
            format!("`{name}` is no longer shipped; KubeVirt {until} was the last release with it"),
        );
        finding.help(nearest.map_or_else(
            || "bring the object into the tree to keep it".to_owned(),
            |near| format!("the nearest one of today is `{}`; or bring the object into the tree to keep it", near.id.name),
        ));
    }
}
