//! A name that leads to nothing in a tree that is declared complete.

use crate::resource::Resource;
use crate::rules::claims::references::{Reference, references};
use crate::rules::{Context, Findings};

rule! {
    /// ## What it does
    ///
    /// Where the tree is declared complete (`complete: true`), reports every name that leads to no object in it: claims and
    /// DataVolumes, Secrets, ConfigMaps, network attachments, service accounts, pull secrets, priority classes, resource
    /// claims, and what DataVolumes and their templates are filled from and stored on. Snapshots, restores, clones and exports
    /// are looked at too.
    ///
    /// An object counts as there where the tree makes it: a `dataVolumeTemplate`, a generator of a kustomization, an
    /// ExternalSecret, a SealedSecret, a certificate, a DataImportCron, a user-defined or SR-IOV network.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt stores a virtual machine whose claim, Secret or network is missing. The guest then waits for it, or its pod
    /// never starts.
    ///
    /// ## Example
    ///
    /// ```yaml,bad,complete
    /// spec:
    ///   template:
    ///     spec:
    ///       domain: {devices: {disks: [{name: root, disk: {bus: virtio}}]}}
    ///       volumes: [{name: root, persistentVolumeClaim: {claimName: root}}]
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[0].persistentVolumeClaim.claimName: there is no PersistentVolumeClaim `root` of namespace `default` in the tree
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain: {devices: {disks: [{name: root, disk: {bus: virtio}}]}}
    ///       volumes: [{name: root, persistentVolumeClaim: {claimName: root}}]
    /// ```
    ///
    /// ## Limits
    ///
    /// What lives elsewhere is listed under `external:` in `driftless.yaml`, by kinds, and by globs of namespaces and names:
    /// `external: [{kinds: [StorageClass]}, {kinds: [Secret], names: ["vault-*"]}]`. Instance types and preferences are
    /// `unresolved-instancetype` and `unresolved-preference`. A `volumeMount` or a label selector names nothing here.
    "unresolved-reference": "a name leads to nothing in a tree that is complete",
    level: Error,
    check: Catalog(check),
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    if !context.target.complete {
        return;
    }
    for resource in context.catalog.resources() {
        for reference in references(resource) {
            tell(resource, &reference, context, findings);
        }
    }
}

fn tell(
    resource: &Resource,
    reference: &Reference<'_>,
    context: &Context<'_>,
    findings: &mut Findings,
) {
    let Context { target, tree, .. } = context;
    let own = resource.namespace_or(&target.namespace);
    let namespace = (!reference.is_cluster_scoped()).then(|| reference.namespace.unwrap_or(own));
    let name = reference.name;
    let is_there = reference
        .kinds
        .iter()
        .any(|kind| !target.holds(kind.1, namespace, name) || tree.has(*kind, namespace, name));
    let (false, Some(kind)) = (is_there, reference.kinds.first()) else {
        return;
    };
    let scope = namespace.map_or_else(String::new, |of| format!(" of namespace `{of}`"));
    let message = format!("there is no {} `{name}`{scope} in the tree", kind.1);
    let mut kinds = reference.kinds.iter();
    let elsewhere = || {
        let mut kinds = reference.kinds.iter();
        kinds.find_map(|kind| tree.namespace_with(*kind, name))
    };
    let help = if let Some(near) = kinds.find_map(|kind| tree.near(*kind, namespace, name)) {
        format!("did you mean `{near}`?")
    } else if let Some(other) = elsewhere().filter(|_| namespace.is_some()) {
        format!("there is one in namespace `{other}`")
    } else {
        "correct the name, add its manifest, or list it under `external:` in driftless.yaml"
            .to_owned()
    };
    findings
        .report(resource, reference.field.clone(), message)
        .help(help);
}
