//! A matcher that admission rewrites.

use crate::field_path::FieldPath;
use crate::rules::{Context, Findings, Vm};

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
    /// What is inferred is known only where the volume's source is in the tree or stated under `infer:` in driftless.yaml.
    "inferred-matcher": "admission replaces `inferFromVolume` with the name that it finds",
    level: Note,
    check: Vm(check),
}

fn check(vm: &Vm<'_>, _: &Context<'_>, findings: &mut Findings) {
    for matcher in ["instancetype", "preference"] {
        let inferred = vm
            .decoded
            .node
            .get("spec")
            .and_then(|spec| spec.get(matcher))
            .map_or("", |matcher| matcher.str_at("inferFromVolume"));
        if inferred.is_empty() {
            continue;
        }
        let path = FieldPath::from("spec")
            .field(matcher)
            .then("inferFromVolume");
        findings
            .report(
                vm.resource,
                path,
                format!(
                    "admission replaces this by the {matcher} it infers from volume `{inferred}`"
                ),
            )
            .help(
                "write `name` (and `kind`) instead, or have your GitOps tool ignore the difference",
            );
    }
}
