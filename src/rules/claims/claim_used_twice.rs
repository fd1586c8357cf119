//! One claim that several guests write to.

use crate::finding::Location;
use crate::rules::claims::used::{ClaimUse, written_claims};
use crate::rules::{Context, Findings};

rule! {
    /// ## What it does
    ///
    /// Reports a claim that two virtual machines of one namespace use as a writable disk, or one virtual machine uses for
    /// two volumes, or all machines of a pool or replica set use. Each place is reported. A disk that is `shareable`,
    /// read-only, a CD-ROM, a LUN with `reservation`, or a shared file system is not counted, nor is a claim that is
    /// `ReadOnlyMany`.
    ///
    /// ## Why it matters
    ///
    /// Two guests that write to one file system without knowing of each other destroy it. With a `ReadWriteOnce` claim
    /// the second guest cannot start on another node, so the fault shows only when both land on the same node.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: a}
    /// spec:
    ///   runStrategy: Always
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {disks: [{name: root, disk: {bus: virtio}}]}
    ///         memory: {guest: 1Gi}
    ///       volumes: [{name: root, persistentVolumeClaim: {claimName: data}}]
    /// ---
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: b}
    /// spec:
    ///   runStrategy: Always
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {disks: [{name: root, disk: {bus: virtio}}]}
    ///         memory: {guest: 1Gi}
    ///       volumes: [{name: root, dataVolume: {name: data}}]
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[0].persistentVolumeClaim.claimName: VirtualMachine b writes to the claim data too
    /// spec.template.spec.volumes[0].dataVolume.name: VirtualMachine a writes to the claim data too
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: a}
    /// spec:
    ///   runStrategy: Always
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {disks: [{name: root, shareable: true, cache: none, disk: {bus: virtio}}]}
    ///         memory: {guest: 1Gi}
    ///       volumes: [{name: root, persistentVolumeClaim: {claimName: data}}]
    /// ---
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: b}
    /// spec:
    ///   runStrategy: Always
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {disks: [{name: root, shareable: true, cache: none, disk: {bus: virtio}}]}
    ///         memory: {guest: 1Gi}
    ///       volumes: [{name: root, persistentVolumeClaim: {claimName: data}}]
    /// ```
    ///
    /// ## Limits
    ///
    /// Roots are not compared with each other. A halted virtual machine counts as one that will run.
    "claim-used-twice": "two guests write to one claim",
    level: Warning,
    check: Catalog(check),
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    for ((_, claim), uses) in written_claims(context) {
        // Several templates of one name are `data-volume-owned-twice`, unless one machine uses its own twice.
        let all_own = uses.iter().all(|used| used.is_own);
        for (at, used) in uses.iter().enumerate() {
            let other = ClaimUse::other(&uses, at);
            let message = match other {
                Some((other, _)) if std::ptr::eq(other.resource, used.resource) => {
                    format!(
                        "another volume of {} is the claim {claim} too",
                        used.resource.id
                    )
                }
                Some(_) if all_own => continue,
                Some((other, 0)) => {
                    format!("{} writes to the claim {claim} too", other.resource.id)
                }
                Some((other, more)) => {
                    format!(
                        "{} and {more} more write to the claim {claim} too",
                        other.resource.id
                    )
                }
                None if used.is_of_many => {
                    format!(
                        "every machine of {} writes to the claim {claim}",
                        used.resource.id
                    )
                }
                None => continue,
            };
            let finding = findings.report(used.resource, used.field.clone(), message);
            finding.help(
                "give each its own claim; where guests share a disk on purpose, set `shareable: true` on the disk, or make it read-only",
            );
            if let Some((other, _)) = other {
                let place = Location::at(other.resource, &other.field);
                finding.related(place.note(format!("used by {}", other.resource.id)));
            }
        }
    }
}
