//! The eviction strategy is unknown.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports an `evictionStrategy` other than `LiveMigrate`, `LiveMigrateIfPossible`, `None` and `External`, on the VM,
    /// or in the cluster's configuration if the VM does not set one.
    ///
    /// ## Why it matters
    ///
    /// The eviction strategy decides what happens to the guest when its node is drained.
    ///
    /// KubeVirt's check: [`validateLiveMigration`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       evictionStrategy: Never
    /// ```
    ///
    /// ```text
    /// spec.template.spec.evictionStrategy: spec.template.spec.evictionStrategy is set with an unrecognized option: Never
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       evictionStrategy: LiveMigrate
    /// ```
    "invalid-eviction-strategy": "the eviction strategy is unknown"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let strategy = guest.str("evictionStrategy");
    let known = ["LiveMigrate", "LiveMigrateIfPossible", "None", "External"];
    if guest.has("evictionStrategy") && !known.contains(&strategy) {
        RULE.refuse(causes, guest.at("evictionStrategy"))
            .because_it(format!("is set with an unrecognized option: {strategy}"))
            .help("use `LiveMigrate`, `LiveMigrateIfPossible`, `None` or `External`");
    }
}
