//! The start strategy is unknown or meets a liveness probe.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::AdmittedGuest;
use crate::yaml::Node;

rule! {
    /// ## What it does
    ///
    /// Reports a `startStrategy` other than `Paused`, and `Paused` beside a `livenessProbe`.
    ///
    /// ## Why it matters
    ///
    /// `Paused` is the only strategy there is. A paused guest does not answer its liveness probe and would be restarted
    /// for ever.
    ///
    /// KubeVirt's check: [`validateStartStrategy`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       startStrategy: Paused
    ///       livenessProbe:
    ///         exec:
    ///           command:
    ///             - 'true'
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       startStrategy: Paused
    /// ```
    ///
    /// ## Limits
    ///
    /// None: everything it looks at is in the manifest.
    "invalid-start-strategy": "the start strategy is unknown or meets a liveness probe"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let Some(strategy) = guest.spec.get("startStrategy").and_then(Node::as_str) else {
        return;
    };
    let field = guest.at("startStrategy");
    if strategy != "Paused" {
        let message = format!("{field} is set with an unrecognized option: {strategy}");
        causes
            .push(&RULE, field, message)
            .help("use `Paused`, or leave it out");
    } else if guest.has("livenessProbe") {
        let message = format!(
            "either {field} or {} should be provided.Pausing VMI with LivenessProbe is not supported",
            guest.at("livenessProbe")
        );
        causes
            .push(&RULE, field, message)
            .help("remove one of the two");
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
        let bad = json!({"spec": {"template": {"spec": {"startStrategy": "Paused", "livenessProbe": {"exec": {"command": ["true"]}}}}}});
        assert_eq!(
            words(&RULE, Release::V1_9, &bad, &json!({})),
            [(
                "spec.template.spec.startStrategy",
                "either spec.template.spec.startStrategy or spec.template.spec.livenessProbe should be provided.Pausing VMI with LivenessProbe is not supported"
            ),]
        );
        let good = json!({"spec": {"template": {"spec": {"startStrategy": "Paused"}}}});
        assert!(words(&RULE, Release::V1_9, &good, &json!({})).is_empty());
    }
}
