//! A matcher that admission rewrites.

use smol_str::SmolStr;

use crate::catalog::boot_sources;
use crate::field_path::FieldPath;
use crate::resolve::infer;
use crate::rules::{Context, Findings, Vm};
use crate::stored::Matcher;

rule! {
    /// ## What it does
    ///
    /// Says that the API server will store another matcher than Git holds: `inferFromVolume` becomes `name` and `kind`, and the
    /// failure policy goes.
    ///
    /// ## Why it matters
    ///
    /// Git and the cluster differ for good, on a field that decides the guest's CPU and memory. Argo CD and Flux need
    /// an ignore rule for it (`driftless drift --emit argocd-ignore`), or write the name in Git. Worse, the next change of
    /// the VM is refused: an apply lays `inferFromVolume` over the name that is stored by then, and KubeVirt's webhook takes
    /// one of the two (`plan` says `rejected`). Only `kubectl replace` goes through.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   preference:
    ///     inferFromVolume: root
    ///     inferFromVolumeFailurePolicy: Ignore
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           persistentVolumeClaim:
    ///             claimName: root
    /// ```
    ///
    /// ```text
    /// spec.preference.inferFromVolume: admission replaces this by the preference it infers from volume `root`
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   preference:
    ///     name: fedora
    ///   template:
    ///     spec:
    ///       domain:
    ///         cpu: {sockets: 1}
    ///         memory: {guest: 2Gi}
    /// ```
    ///
    /// ## Limits
    ///
    /// What is inferred is known only where the volume's source is in the tree or stated under `infer:` in driftless.yaml. On
    /// OpenShift the defaults of its own boot sources are assumed.
    "inferred-matcher": "admission replaces `inferFromVolume` with the name that it finds",
    level: Note,
    check: Vm(check),
}

fn check(vm: &Vm<'_>, context: &Context<'_>, findings: &mut Findings) {
    for matcher in Matcher::ALL {
        let field = matcher.field();
        let volume = vm
            .decoded
            .node
            .get("spec")
            .and_then(|spec| spec.get(field))
            .map_or("", |matcher| matcher.str_at("inferFromVolume"));
        if volume.is_empty() {
            continue;
        }
        let path = FieldPath::from("spec").field(field).then("inferFromVolume");
        let finding = findings.report(
            vm.resource,
            path,
            format!("admission replaces this by the {field} it infers from volume `{volume}`"),
        );
        let remedy =
            "write `name` (and `kind`) instead, or have your GitOps tool ignore the difference";
        match assumed(matcher, vm, context) {
            Some((name, source)) => finding.help(format!(
                "`{name}` is assumed, as OpenShift's boot source `{source}` is not in the tree: `infer:` in driftless.yaml states it; {remedy}"
            )),
            None => finding.help(remedy),
        };
    }
}

/// What is inferred, and from which boot source, where both are assumed.
fn assumed(matcher: Matcher, vm: &Vm<'_>, context: &Context<'_>) -> Option<(String, SmolStr)> {
    context.target.openshift?;
    let mut node = vm.decoded.node.clone();
    let settled = infer::infer(&mut node, vm.namespace, context.resolver).ok()?;
    let settled = settled.into_iter().find(|one| one.matcher == matcher)?;
    let inferred = settled.outcome.ok()?;
    if !boot_sources::holds(&inferred.name) {
        return None;
    }
    let source = inferred.through.last()?.name.clone();
    Some((inferred.name.as_str()?.to_owned(), source))
}
