//! The start strategy is unknown, or is combined with a liveness probe.

use super::prelude::*;

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
    /// ```text
    /// spec.template.spec.startStrategy: either spec.template.spec.startStrategy or spec.template.spec.livenessProbe should be provided.Pausing VMI with LivenessProbe is not supported
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       startStrategy: Paused
    /// ```
    "invalid-start-strategy": "the start strategy is unknown, or is combined with a liveness probe"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let Some(strategy) = guest.spec.get("startStrategy").and_then(Node::as_str) else {
        return;
    };
    let field = guest.at("startStrategy");
    if strategy != "Paused" {
        RULE.refuse(causes, field)
            .because_it(format!("is set with an unrecognized option: {strategy}"))
            .help("use `Paused`, or leave it out");
    } else if guest.has("livenessProbe") {
        RULE.refuse(causes, &field)
            .because(format!("either {field} or {} should be provided.Pausing VMI with LivenessProbe is not supported", guest.at("livenessProbe")))
            .help("remove one of the two");
    }
}
