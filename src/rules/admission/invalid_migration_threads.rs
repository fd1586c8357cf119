//! The annotation that sets a migration's threads is no count.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports on 1.4 the annotation `kubevirt.io/multiThreadedQemuMigration` of the guest where it is no number above 1.
    ///
    /// ## Why it matters
    ///
    /// The webhook refuses the VM. From 1.5 on it does not look at the annotation.
    ///
    /// KubeVirt's check: [`ValidateVirtualMachineInstanceMetadata`](https://github.com/kubevirt/kubevirt/blob/v1.4.1/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=..=1.4
    /// spec:
    ///   template:
    ///     metadata:
    ///       annotations:
    ///         kubevirt.io/multiThreadedQemuMigration: '1'
    /// ```
    ///
    /// ```text
    /// spec.template.metadata.annotations: thread count (1) must be larger than 1. invalid entry spec.template.metadata.annotations.kubevirt.io/multiThreadedQemuMigration
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     metadata:
    ///       annotations:
    ///         kubevirt.io/multiThreadedQemuMigration: '4'
    /// ```
    ///
    /// ## Limits
    ///
    /// Targets up to 1.4 only.
    "invalid-migration-threads": "the annotation that sets a migration's threads is no count"
}

const ANNOTATION: &str = "kubevirt.io/multiThreadedQemuMigration";

pub(in crate::rules) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if !guest.does(Behaviour::ChecksMigrationThreads) {
        return;
    }
    let annotations = guest.metadata("annotations");
    let Some(count) = annotations.and_then(|annotations| annotations.get(ANNOTATION)) else {
        return;
    };
    let count = count.as_str().unwrap_or_default();
    let field = guest.metadata_at("annotations");
    let words = match atoi(count) {
        Ok(threads) if threads > 1 => return,
        Ok(_) => format!(
            "thread count ({count}) must be larger than 1. invalid entry {field}.{ANNOTATION}"
        ),
        Err(why) => format!(
            "cannot parse {count} to int: strconv.Atoi: parsing {count:?}: {why}, invalid entry {field}.{ANNOTATION}"
        ),
    };
    RULE.refuse(causes, &field)
        .because(words)
        .at(field.field(ANNOTATION))
        .help("write a number above 1, or leave the annotation out");
}

/// A decimal number with a sign, as Go's `strconv.Atoi` reads it.
fn atoi(text: &str) -> Result<i64, &'static str> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("invalid syntax");
    }
    text.parse().map_err(|_| "value out of range")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{ANNOTATION, RULE};
    use crate::release::Release;
    use crate::rules::testing::words;

    #[test]
    fn a_migration_has_more_than_one_thread_on_1_4() {
        for (count, refused) in [
            ("2", false),
            ("+2", false),
            ("1", true),
            ("-2", true),
            ("", true),
            ("two", true),
            ("9223372036854775807", false),
            ("9223372036854775808", true),
        ] {
            let vm =
                json!({"spec": {"template": {"metadata": {"annotations": {ANNOTATION: count}}}}});
            let said = |release| words(&RULE, release, &vm, &json!({}));
            assert_eq!(said(Release::V1_4).len(), usize::from(refused), "{count}");
            assert!(said(Release::V1_5).is_empty(), "{count}");
        }
    }
}
