//! An instance type or preference cannot be inferred.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports an `inferFromVolume` that leads to no instance type or preference: a volume that is not there or of a
    /// kind that is not followed, an object that is not there, or one without the label.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt reads the reference from labels of the volume's source when the VM is written, and refuses the VM where
    /// it finds none, unless the failure policy is `Ignore`.
    ///
    /// KubeVirt's check: [`inferMatchers`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/instancetype/webhooks/vm/mutator.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   instancetype:
    ///     inferFromVolume: nope
    /// ```
    ///
    /// ```text
    /// unable to find volume nope to infer defaults
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   instancetype:
    ///     name: u1.small
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory: null
    /// ```
    ///
    /// ## Limits
    ///
    /// Looks only at objects that are in the repository; where one is missing there, a cluster may have it.
    "inference-failed": "an instance type or preference cannot be inferred"
}

/// Puts the message that inference ended with among the causes.
pub(super) fn refused(message: &str, causes: &mut Causes) {
    RULE.refuse(causes, "")
        .because(message)
        .at("spec")
        .help("write the reference out, or label the volume's source");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::release::Release;
    use crate::rules::testing::{listed, reviewed};

    #[test]
    fn a_volume_that_is_not_there_is_refused() {
        let bad = json!({"spec": {"instancetype": {"inferFromVolume": "nope"}}});
        assert_eq!(
            listed(&RULE, reviewed(Release::V1_9, &bad, &json!({})).hits),
            [("", "unable to find volume nope to infer defaults")]
        );
        let good = json!({"spec": {"preference": {"name": "fedora"}, "template": {"spec": {"domain": {"memory": {"guest": "2Gi"}}}}}});
        assert!(reviewed(Release::V1_9, &good, &json!({})).is_accepted());
    }
}
