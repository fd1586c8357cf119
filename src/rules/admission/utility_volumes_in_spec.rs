//! The VM sets utility volumes.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `utilityVolumes` (checked from 1.8 on).
    ///
    /// ## Why it matters
    ///
    /// KubeVirt plugs them into running guests for its own work, such as backups, and refuses them in a VM's spec.
    ///
    /// KubeVirt's check: [`ValidateUtilityVolumesNotPresentOnCreation`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/storage/admitters/storagehotplug.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.8..
    /// spec:
    ///   template:
    ///     spec:
    ///       utilityVolumes:
    ///         - name: backup
    ///           claimName: backup
    /// ```
    ///
    /// ```text
    /// spec.template.spec.utilityVolumes: cannot create VMI with utility volumes in spec, utility volumes can only be added via hotplug
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: backup
    ///           persistentVolumeClaim:
    ///             claimName: backup
    /// ```
    "utility-volumes-in-spec": "the VM sets utility volumes"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if guest.does(Behaviour::RefusesUtilityVolumes) && guest.has("utilityVolumes") {
        RULE.refuse(causes, guest.at("utilityVolumes"))
            .because("cannot create VMI with utility volumes in spec, utility volumes can only be added via hotplug")
            .help("remove `utilityVolumes`; a claim for the guest is a volume");
    }
}
