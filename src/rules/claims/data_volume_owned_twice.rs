//! One DataVolume with two owners.

use crate::field_path::FieldPath;
use crate::finding::Location;
use crate::resource::Resource;
use crate::rules::claims::used::{ClaimUse, templates};
use crate::rules::{Context, Findings};

rule! {
    /// ## What it does
    ///
    /// Reports a name that two virtual machines of one namespace give to a `dataVolumeTemplate`, and a
    /// `dataVolumeTemplate` that has the name of a DataVolume of the tree. Both places are reported.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt makes one DataVolume and both virtual machines run from it. The virtual machine that owns it takes the
    /// disk of the other with it when it is deleted. A DataVolume that stands by itself is adopted by the virtual machine
    /// whose template has its name (`ClaimMatchedDataVolumes`), and is deleted with it.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: a}
    /// spec:
    ///   runStrategy: Always
    ///   dataVolumeTemplates:
    ///     - metadata: {name: root}
    ///       spec: {source: {blank: {}}, storage: {resources: {requests: {storage: 10Gi}}}}
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {disks: [{name: root, disk: {bus: virtio}}]}
    ///         memory: {guest: 1Gi}
    ///       volumes: [{name: root, dataVolume: {name: root}}]
    /// ---
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: b}
    /// spec:
    ///   runStrategy: Always
    ///   dataVolumeTemplates:
    ///     - metadata: {name: root}
    ///       spec: {source: {blank: {}}, storage: {resources: {requests: {storage: 10Gi}}}}
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {disks: [{name: root, disk: {bus: virtio}}]}
    ///         memory: {guest: 1Gi}
    ///       volumes: [{name: root, dataVolume: {name: root}}]
    /// ```
    ///
    /// ```text
    /// spec.dataVolumeTemplates[0].metadata.name: VirtualMachine b has a template for the DataVolume root too: both run from one disk, and it is deleted with its owner
    /// spec.dataVolumeTemplates[0].metadata.name: VirtualMachine a has a template for the DataVolume root too: both run from one disk, and it is deleted with its owner
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: a}
    /// spec:
    ///   runStrategy: Always
    ///   dataVolumeTemplates:
    ///     - metadata: {name: a-root}
    ///       spec: {source: {blank: {}}, storage: {resources: {requests: {storage: 10Gi}}}}
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {disks: [{name: root, disk: {bus: virtio}}]}
    ///         memory: {guest: 1Gi}
    ///       volumes: [{name: root, dataVolume: {name: a-root}}]
    /// ---
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: b}
    /// spec:
    ///   runStrategy: Always
    ///   dataVolumeTemplates:
    ///     - metadata: {name: b-root}
    ///       spec: {source: {blank: {}}, storage: {resources: {requests: {storage: 10Gi}}}}
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {disks: [{name: root, disk: {bus: virtio}}]}
    ///         memory: {guest: 1Gi}
    ///       volumes: [{name: root, dataVolume: {name: b-root}}]
    /// ```
    ///
    /// ## Limits
    ///
    /// Roots are not compared with each other. A pool numbers the templates of its machines, so its templates are left
    /// out.
    "data-volume-owned-twice": "a DataVolume has two owners",
    level: Warning,
    check: Catalog(check),
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    for ((namespace, name), uses) in templates(context) {
        let assumed = &context.target.namespace;
        let alone = context
            .catalog
            .find(
                "cdi.kubevirt.io",
                "DataVolume",
                Some(&namespace),
                &name,
                assumed,
            )
            // An export holds the DataVolume that the virtual machine made.
            .find(|resource| {
                resource
                    .node
                    .items_at("metadata.ownerReferences")
                    .is_empty()
            });
        for (at, used) in uses.iter().enumerate() {
            if let Some((first, more)) = ClaimUse::other(&uses, at) {
                let more = match more {
                    0 => " has".to_owned(),
                    more => format!(" and {more} more have"),
                };
                let message = format!(
                    "{}{more} a template for the DataVolume {name} too: both run from one disk, and it is deleted with its owner",
                    first.resource.id
                );
                let place = Location::at(first.resource, &first.field);
                findings
                    .report(used.resource, used.field.clone(), message)
                    .help("give each template a name of its own, for example the virtual machine's name and the disk's")
                    .related(place.note(format!("also made by {}", first.resource.id)));
            }
            if let Some(alone) = alone {
                report_adoption(used.resource, &used.field, alone, findings);
            }
        }
        if let (Some(alone), Some(owner)) = (alone, uses.first()) {
            let message = format!(
                "{} adopts this DataVolume, and deleting the virtual machine deletes it",
                owner.resource.id
            );
            let place = Location::at(owner.resource, &owner.field);
            findings
                .report(alone, FieldPath::parse("metadata.name"), message)
                .help(HELP)
                .related(place.note("the template of this name"));
        }
    }
}

const HELP: &str =
    "keep one of the two: the template, or the DataVolume with a plain `dataVolume` volume";

fn report_adoption(
    resource: &Resource,
    field: &FieldPath,
    alone: &Resource,
    findings: &mut Findings,
) {
    let place = Location::at(alone, &FieldPath::parse("metadata.name"));
    let message = format!(
        "{} stands in the tree too: the virtual machine adopts it, and deleting the virtual machine deletes it",
        alone.id
    );
    findings
        .report(resource, field.clone(), message)
        .help(HELP)
        .related(place.note("the DataVolume of this name"));
}
