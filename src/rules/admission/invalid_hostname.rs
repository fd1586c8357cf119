//! The hostname is not a DNS label.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `hostname` that is not a DNS label (RFC 1123): lower case letters, digits and dashes, at most 63.
    ///
    /// ## Why it matters
    ///
    /// The guest's hostname becomes the pod's, and Kubernetes takes only labels there.
    ///
    /// KubeVirt's check: [`appendNewStatusCauseForHostNameNotConformingToDNSLabelRules`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       hostname: Web_1
    /// ```
    ///
    /// ```text
    /// spec.template.spec.hostname: spec.template.spec.hostname does not conform to the kubernetes DNS_LABEL rules : a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       hostname: web-1
    /// ```
    "invalid-hostname": "the hostname is not a DNS label"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let hostname = guest.str("hostname");
    if hostname.is_empty() {
        return;
    }
    let wrong = names::dns_label(hostname);
    if !wrong.is_empty() {
        RULE.refuse(causes, guest.at("hostname"))
            .because_it(format!(
                "does not conform to the kubernetes DNS_LABEL rules : {}",
                wrong.join(", ")
            ))
            .help("use lower case letters, digits and dashes, at most 63, no dots");
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::edges;

    #[test]
    fn a_host_name_has_63_characters_at_most() {
        edges(
            &RULE,
            "hostname: $",
            &[(&"a".repeat(63), false), (&"a".repeat(64), true)],
        );
    }
}
