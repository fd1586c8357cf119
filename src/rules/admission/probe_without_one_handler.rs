//! A probe has no handler, or several.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `readinessProbe` or `livenessProbe` that does not have exactly one of `httpGet`, `tcpSocket`, `exec`
    /// and `guestAgentPing`.
    ///
    /// ## Why it matters
    ///
    /// A probe asks in one way.
    ///
    /// KubeVirt's check: [`validateProbe`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       readinessProbe:
    ///         periodSeconds: 5
    /// ```
    ///
    /// ```text
    /// spec.template.spec.readinessProbe: either spec.template.spec.readinessProbe.tcpSocket, spec.template.spec.readinessProbe.exec or spec.template.spec.readinessProbe.httpGet must be set if a spec.template.spec.readinessProbe is specified
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       readinessProbe:
    ///         periodSeconds: 5
    ///         guestAgentPing: {}
    /// ```
    "probe-without-one-handler": "a probe has no handler, or several"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    for kind in ["readinessProbe", "livenessProbe"] {
        let Some(probe) = guest.spec.get(kind) else {
            continue;
        };
        let field = guest.at(kind);
        let handlers = ["httpGet", "tcpSocket", "exec", "guestAgentPing"];
        let message = match count(probe, &handlers) {
            0 => format!(
                "either {field}.tcpSocket, {field}.exec or {field}.httpGet must be set if a {field} is specified"
            ),
            1 => continue,
            _ => format!("{field} must have exactly one probe type set"),
        };
        RULE.refuse(causes, field)
            .because(message)
            .help("give the probe one of `httpGet`, `tcpSocket`, `exec` and `guestAgentPing`");
    }
}
