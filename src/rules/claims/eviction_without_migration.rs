//! A machine that is to be moved when its node is emptied, and that cannot be.

use crate::field_path::FieldPath;
use crate::finding::Location;
use crate::rules::guests::{GuestSpec, guests};
use crate::rules::{Context, Findings};
use crate::update::claims::CatalogClaims;
use crate::update::volumes::{Claims, claim_of, is_read_write_once};

rule! {
    /// ## What it does
    ///
    /// Reports `evictionStrategy: LiveMigrate` on a guest that cannot be migrated: one of its claims is in the tree without
    /// `ReadWriteMany`, or its interface on the pod network is a bridge.
    ///
    /// ## Why it matters
    ///
    /// Such a guest blocks the drain of its node: the eviction is refused because the guest has to be migrated, and the
    /// migration is refused because of the disk or the interface. Upgrades of the cluster stop there.
    ///
    /// KubeVirt's checks: `checkVolumesForMigration` of
    /// [virt-handler](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-handler/vm.go) and
    /// [`VerifyVMIMigratable`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/vmispec/interface.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       evictionStrategy: LiveMigrate
    ///       domain: {devices: {interfaces: [{name: pod, bridge: {}}]}}
    ///       networks: [{name: pod, pod: {}}]
    /// ```
    ///
    /// ```text
    /// spec.template.spec.evictionStrategy: the guest cannot be migrated, and so blocks the drain of its node: a bridge connects it to the pod network
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       evictionStrategy: LiveMigrate
    ///       domain: {devices: {interfaces: [{name: pod, masquerade: {}}]}}
    ///       networks: [{name: pod, pod: {}}]
    /// ```
    ///
    /// ## Limits
    ///
    /// The strategy of the cluster's configuration is not looked at. A claim that is not in the tree is not known, and neither
    /// is one whose access modes its storage class decides.
    "eviction-without-migration": "a guest that is to be migrated on eviction cannot be migrated",
    level: Warning,
    check: Catalog(check),
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    for guest in guests(context.catalog) {
        if guest.spec.str_at("evictionStrategy") != "LiveMigrate" {
            continue;
        }
        let Some((reason, place)) = obstacle(&guest, context) else {
            continue;
        };
        let field = guest.path.field("evictionStrategy");
        let message =
            format!("the guest cannot be migrated, and so blocks the drain of its node: {reason}");
        findings
            .report(guest.resource, field, message)
            .help("remove what keeps it from migrating, or set `evictionStrategy: LiveMigrateIfPossible` or `None`")
            .related(Location::at(guest.resource, &place).note("here"));
    }
}

/// What keeps a guest from migrating, and where it is.
fn obstacle(guest: &GuestSpec<'_>, context: &Context<'_>) -> Option<(String, FieldPath)> {
    let spec = guest.spec;
    let networks = spec.items_at("networks");
    let pod = networks.iter().find(|network| network.get("pod").is_some());
    let interfaces = spec.items_at("domain.devices.interfaces");
    let is_allowed = || {
        let metadata = guest.path.parent().find(&guest.resource.node);
        let annotations = metadata.and_then(|template| template.path("metadata.annotations"));
        annotations.is_some_and(|all| all.get(ALLOWED).is_some())
    };
    let bridged = pod.and_then(|pod| {
        let name = pod.str_at("name");
        interfaces.iter().position(|interface| {
            interface.str_at("name") == name && interface.get("bridge").is_some()
        })
    });
    if let Some(index) = bridged.filter(|_| !is_allowed()) {
        let place = guest.path.then("domain.devices.interfaces").index(index);
        let reason = "a bridge connects it to the pod network".to_owned();
        return Some((reason, place));
    }
    let target = context.target;
    let namespace = guest.resource.namespace_or(&target.namespace);
    let assumed = &target.namespace;
    let catalogs = context.resolver.catalogs();
    let claims = CatalogClaims::new(catalogs, namespace, assumed, target.complete);
    let claims = claims.with_templates_of(&guest.resource.node);
    let volumes = spec.items_at("volumes").iter().enumerate();
    volumes.into_iter().find_map(|(index, volume)| {
        let name = claim_of(volume);
        let modes = claims.access_modes(name)?;
        let is_local = !name.is_empty() && !modes.is_empty() && is_read_write_once(modes);
        let place = guest.path.field("volumes").index(index);
        is_local.then(|| (format!("the claim `{name}` is not `ReadWriteMany`"), place))
    })
}

/// The annotation with which a guest on a bridge migrates all the same.
const ALLOWED: &str = "kubevirt.io/allow-pod-bridge-network-live-migration";
