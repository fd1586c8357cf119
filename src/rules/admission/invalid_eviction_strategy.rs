//! The eviction strategy is unknown.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::AdmittedGuest;

rule! {
    /// ## What it does
    ///
    /// Reports an `evictionStrategy` other than `LiveMigrate`, `LiveMigrateIfPossible`, `None` and `External`, on the VM
    /// or, where it has none, in the cluster's configuration.
    ///
    /// ## Why it matters
    ///
    /// It says what happens to the guest when its node is drained.
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
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       evictionStrategy: LiveMigrate
    /// ```
    ///
    /// ## Limits
    ///
    /// None: everything it looks at is in the manifest.
    "invalid-eviction-strategy": "the eviction strategy is unknown"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let strategy = guest.str("evictionStrategy");
    let known = ["LiveMigrate", "LiveMigrateIfPossible", "None", "External"];
    if guest.has("evictionStrategy") && !known.contains(&strategy) {
        let field = guest.at("evictionStrategy");
        let message = format!("{field} is set with an unrecognized option: {strategy}");
        causes
            .push(&RULE, field, message)
            .help("use `LiveMigrate`, `LiveMigrateIfPossible`, `None` or `External`");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::words;

    #[test]
    fn the_bad_is_refused_and_the_good_is_not() {
        let bad = json!({"spec": {"template": {"spec": {"evictionStrategy": "Never"}}}});
        assert_eq!(
            words(&RULE, Release::V1_9, &bad, &json!({})),
            [(
                "spec.template.spec.evictionStrategy",
                "spec.template.spec.evictionStrategy is set with an unrecognized option: Never"
            ),]
        );
        let good = json!({"spec": {"template": {"spec": {"evictionStrategy": "LiveMigrate"}}}});
        assert!(words(&RULE, Release::V1_9, &good, &json!({})).is_empty());
    }
}
