//! The service account is invalid or contradictory.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `serviceAccountName` (1.9 and later) that is not a DNS subdomain, or differs from that of a
    /// `serviceAccount` volume.
    ///
    /// ## Why it matters
    ///
    /// The guest's pod runs under one account.
    ///
    /// KubeVirt's check: [`validateServiceAccountName`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.9..
    /// spec:
    ///   template:
    ///     spec:
    ///       serviceAccountName: web
    ///       volumes:
    ///         - name: account
    ///           serviceAccount:
    ///             serviceAccountName: db
    /// ```
    ///
    /// ```text
    /// spec.template.spec.serviceAccountName: spec.serviceAccountName "web" and serviceAccount volume "db" must reference the same service account
    /// ```
    ///
    /// ```yaml,good,kubevirt=1.9..
    /// spec:
    ///   template:
    ///     spec:
    ///       serviceAccountName: web
    ///       volumes:
    ///         - name: account
    ///           serviceAccount:
    ///             serviceAccountName: web
    /// ```
    "invalid-service-account": "the service account is invalid or contradictory"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let account = guest.str("serviceAccountName");
    if account.is_empty() {
        return;
    }
    let field = guest.at("serviceAccountName");
    let wrong = names::dns_subdomain(account);
    if !wrong.is_empty() {
        RULE.refuse(causes, &field).because_it(format!(
            "is not a valid service account name: {}",
            wrong.join("; ")
        ));
    }
    let other = guest
        .volumes()
        .iter()
        .filter_map(|volume| volume.get("serviceAccount"))
        .map(|source| source.str_at("serviceAccountName"))
        .find(|name| *name != account);
    if let Some(other) = other {
        RULE.refuse(causes, &field)
            .because(format!("spec.serviceAccountName {account:?} and serviceAccount volume {other:?} must reference the same service account"))
            .help("name one account in both places");
    }
}
