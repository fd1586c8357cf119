//! The subdomain is not a DNS subdomain.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `subdomain` that is not a DNS subdomain (RFC 1123): labels joined by dots, at most 253 characters.
    ///
    /// ## Why it matters
    ///
    /// The subdomain becomes part of the guest's DNS name, and Kubernetes takes only DNS names there.
    ///
    /// KubeVirt's check: [`validateSubdomainDNSSubdomainRules`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       subdomain: Backend_
    /// ```
    ///
    /// ```text
    /// spec.template.spec.subdomain: spec.template.spec.subdomain does not conform to the kubernetes DNS_SUBDOMAIN rules : a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       subdomain: backend.example
    /// ```
    "invalid-subdomain": "the subdomain is not a DNS subdomain"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let subdomain = guest.str("subdomain");
    if subdomain.is_empty() {
        return;
    }
    let wrong = names::dns_subdomain(subdomain);
    if !wrong.is_empty() {
        RULE.refuse(causes, guest.at("subdomain"))
            .because_it(format!(
                "does not conform to the kubernetes DNS_SUBDOMAIN rules : {}",
                wrong.join(", ")
            ))
            .help("use lower case letters, digits, dashes and dots");
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::edges;

    #[test]
    fn a_subdomain_has_253_characters_at_most() {
        edges(
            &RULE,
            "subdomain: $",
            &[(&"a".repeat(253), false), (&"a".repeat(254), true)],
        );
    }
}
