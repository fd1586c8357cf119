//! The DNS settings are invalid.

use super::prelude::*;
use std::net::IpAddr;

rule! {
    /// ## What it does
    ///
    /// Reports a `dnsPolicy` Kubernetes does not have, `None` without name servers, and a `dnsConfig` with more than
    /// three name servers, name servers that are not IP addresses, more than six search paths or 256 characters of them,
    /// search paths that are not DNS names, and options without a name.
    ///
    /// ## Why it matters
    ///
    /// The settings are copied to the guest's pod, and KubeVirt repeats Kubernetes' checks.
    ///
    /// KubeVirt's check: [`validatePodDNSConfig`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       dnsPolicy: None
    /// ```
    ///
    /// ```text
    /// spec.template.spec.dnsConfig: must provide `dnsConfig` when `dnsPolicy` is None
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       dnsPolicy: None
    ///       dnsConfig:
    ///         nameservers:
    ///           - 192.0.2.53
    /// ```
    "invalid-dns-config": "the DNS settings are invalid"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let policy = guest.str("dnsPolicy");
    if !matches!(
        policy,
        "" | "ClusterFirstWithHostNet" | "ClusterFirst" | "Default" | "None"
    ) {
        RULE.refuse(causes, guest.at("dnsPolicy"))
            .because(format!("DNSPolicy: {policy} is not supported, valid values: [ClusterFirstWithHostNet ClusterFirst Default None ]"));
    }
    let config = guest.spec.get("dnsConfig");
    let servers = config
        .map(|config| config.items_at("nameservers"))
        .unwrap_or_default();
    if policy == "None" && servers.is_empty() {
        let (field, message) = match config {
            None => (
                guest.at("dnsConfig"),
                "must provide `dnsConfig` when `dnsPolicy` is None",
            ),
            Some(_) => (
                "nameservers".into(),
                "must provide at least one DNS nameserver when `dnsPolicy` is None",
            ),
        };
        RULE.refuse(causes, field)
            .because(message)
            .at(guest.at("dnsPolicy"))
            .help("name a server in `dnsConfig.nameservers`");
        return;
    }
    if let Some(config) = config {
        check_servers(guest, servers, causes);
        check_searches(guest, config, causes);
        for (at, option) in config.items_at("options").iter().enumerate() {
            if option.str_at("name").is_empty() {
                RULE.refuse(causes, "options")
                    .because("Option.Name must not be empty")
                    .at(guest.at("dnsConfig.options").index(at));
            }
        }
    }
}

fn check_servers(guest: AdmittedGuest<'_>, servers: &[Node], causes: &mut Causes) {
    let texts: Vec<&str> = servers
        .iter()
        .map(|s| s.as_str().unwrap_or_default())
        .collect();
    if texts.len() > 3 {
        RULE.refuse(causes, "nameservers")
            .because(format!(
                "must not have more than 3 nameservers: [{}]",
                texts.join(" ")
            ))
            .at(guest.at("dnsConfig.nameservers"));
    }
    for (at, text) in texts.iter().enumerate() {
        if text.parse::<IpAddr>().is_err() {
            RULE.refuse(causes, "nameservers")
                .because(format!("must be valid IP address: {text}"))
                .at(guest.at("dnsConfig.nameservers").index(at));
        }
    }
}

fn check_searches(guest: AdmittedGuest<'_>, config: &Node, causes: &mut Causes) {
    let searches: Vec<&str> = config
        .items_at("searches")
        .iter()
        .map(|search| search.as_str().unwrap_or_default())
        .collect();
    let here = guest.at("dnsConfig.searches");
    let mut push = |message: String, at: FieldPath| {
        RULE.refuse(causes, "searchDomains").because(message).at(at);
    };
    if searches.len() > 6 {
        push(
            "must not have more than 6 search paths".to_owned(),
            here.clone(),
        );
    }
    if searches.join(" ").len() > 256 {
        let message =
            "must not have more than 256 characters (including spaces) in the search list";
        push(message.to_owned(), here.clone());
    }
    for (at, search) in searches.iter().enumerate() {
        for text in names::dns_subdomain(search) {
            push(text, here.index(at));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::{edges, words};

    #[test]
    fn servers_searches_and_options_are_checked() {
        let bad = json!({"spec": {"template": {"spec": {"dnsConfig": {"nameservers": ["a", "192.0.2.1", "2001:db8::1", "192.0.2.2"], "searches": ["-a"], "options": [{"value": "1"}]}}}}});
        let fields: Vec<&str> = words(&RULE, Release::V1_9, &bad, &json!({}))
            .into_iter()
            .map(|(field, _)| field)
            .collect();
        assert_eq!(
            fields,
            ["nameservers", "nameservers", "searchDomains", "options"]
        );
    }

    #[test]
    fn three_name_servers_at_most() {
        edges(
            &RULE,
            "dnsConfig: {nameservers: [$]}",
            &[
                ("192.0.2.1", false),
                ("192.0.2.1, 192.0.2.2, 192.0.2.3", false),
                ("192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4", true),
                ("192.0.2.256", true),
            ],
        );
    }

    #[test]
    fn six_search_domains_at_most() {
        edges(
            &RULE,
            "dnsConfig: {searches: [$]}",
            &[("a, b, c, d, e, f", false), ("a, b, c, d, e, f, g", true)],
        );
    }

    #[test]
    fn the_search_list_has_256_characters_at_most() {
        let list = |last: usize| {
            let label = "a".repeat(63);
            format!("{label}, {label}, {label}, {}.b", "a".repeat(last))
        };
        edges(
            &RULE,
            "dnsConfig: {searches: [$]}",
            &[(&list(62), false), (&list(63), true)],
        );
    }
}
