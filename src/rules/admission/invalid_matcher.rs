//! A reference to an instance type or preference is incomplete or contradictory.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `spec.instancetype` and `spec.preference` with neither `name` nor `inferFromVolume`, with
    /// `inferFromVolume` beside `name` or `kind`, with an `inferFromVolumeFailurePolicy` other than `Ignore` and
    /// `Reject`, and updates that change the name and keep the revision.
    ///
    /// ## Why it matters
    ///
    /// A reference is written out or inferred from a volume, not both. Dashboards used to write
    /// `RejectInferFromVolumeFailure`, which is not a policy.
    ///
    /// KubeVirt's check: [`validateInstancetypeMatcherUpdate`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/instancetype/webhooks/vm/mutator.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   preference:
    ///     inferFromVolume: root
    ///     inferFromVolumeFailurePolicy: IgnoreInferFromVolumeFailure
    /// ```
    ///
    /// ```text
    /// spec.preference.inferFromVolumeFailurePolicy: Invalid value 'IgnoreInferFromVolumeFailure' for InferFromVolumeFailurePolicy
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   preference:
    ///     name: fedora
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory:
    ///           guest: 2Gi
    /// ```
    "invalid-matcher": "a reference to an instance type or preference is incomplete or contradictory"
}

/// Puts the causes that the mutating webhook gave among the others.
pub(super) fn refused(given: &[crate::cause::Cause], causes: &mut Causes) {
    for cause in given {
        let help = match cause.field.rsplit_once('.').map(|(_, key)| key) {
            Some("inferFromVolumeFailurePolicy") => "use `Ignore` or `Reject`",
            Some("name" | "kind") => "keep either `inferFromVolume` or name and kind",
            Some("revisionName") => {
                "remove `revisionName`; KubeVirt captures the new object by itself"
            }
            _ => "set `name`, or `inferFromVolume`",
        };
        RULE.refuse_for(causes, cause.clone()).help(help);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::release::Release;
    use crate::rules::testing::{listed, reviewed};

    #[test]
    fn failure_policies_have_short_names() {
        let bad = json!({"spec": {"preference": {"inferFromVolume": "root", "inferFromVolumeFailurePolicy": "IgnoreInferFromVolumeFailure"}}});
        assert_eq!(
            listed(&RULE, reviewed(Release::V1_9, &bad, &json!({})).hits),
            [(
                "spec.preference.inferFromVolumeFailurePolicy",
                "Invalid value 'IgnoreInferFromVolumeFailure' for InferFromVolumeFailurePolicy"
            )]
        );
        let good = json!({"spec": {"preference": {"name": "fedora"}, "template": {"spec": {"domain": {"memory": {"guest": "2Gi"}}}}}});
        assert!(reviewed(Release::V1_9, &good, &json!({})).is_accepted());
    }
}
