//! A resource claim of the guest is invalid.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `resourceClaims` (1.8 and later) with a repeated name; from 1.9 on also an empty name, one that is not a DNS
    /// label, and claims that do not name exactly one of `resourceClaimName` and `resourceClaimTemplateName`.
    ///
    /// ## Why it matters
    ///
    /// Devices name the claims they come from; each claim is one object or one template.
    ///
    /// KubeVirt's check: [`validateResourceClaims`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/dra/admitter/dra_admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.9..
    /// spec:
    ///   template:
    ///     spec:
    ///       resourceClaims:
    ///         - name: gpu
    /// ```
    ///
    /// ```text
    /// spec.template.spec.resourceClaims[0]: must specify one of: resourceClaimName, resourceClaimTemplateName
    /// ```
    ///
    /// ```yaml,good,kubevirt=1.6..
    /// spec:
    ///   template:
    ///     spec:
    ///       resourceClaims:
    ///         - name: gpu
    ///           resourceClaimTemplateName: gpu
    /// ```
    "invalid-resource-claim": "a resource claim of the guest is invalid"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if !guest.does(Behaviour::ChecksResourceClaimNames) {
        return;
    }
    let claims = guest.items("resourceClaims");
    let strict = guest.does(Behaviour::ChecksResourceClaims);
    for claim in guest.each("resourceClaims") {
        let field = claim.place();
        let name = claim.str_at("name");
        if strict && name.is_empty() {
            RULE.refuse(causes, field.field("name"))
                .because(format!("{field}.name is a required field"));
        } else if claims[..claim.index].iter().any(|other| named(other, name)) {
            RULE.refuse(causes, field.field("name"))
                .because(format!("duplicate resourceClaims name {name:?}"));
        } else if strict {
            let wrong = names::dns_label(name);
            if !wrong.is_empty() {
                RULE.refuse(causes, field.field("name")).because(format!(
                    "{field}.name does not conform to the kubernetes DNS_LABEL rules: {}",
                    wrong.join(", ")
                ));
            }
        }
        if strict {
            check_source(&field, &claim, causes);
        }
    }
}

fn check_source(field: &FieldPath, claim: &Node, causes: &mut Causes) {
    let sources = ["resourceClaimName", "resourceClaimTemplateName"];
    let words = match count(claim, &sources) {
        0 => "must specify one of: resourceClaimName, resourceClaimTemplateName",
        _ => "at most one of resourceClaimName or resourceClaimTemplateName may be specified",
    };
    if count(claim, &sources) != 1 {
        RULE.refuse(causes, field).because(words);
    }
    for source in sources {
        let Some(name) = claim.get(source).and_then(Node::as_str) else {
            continue;
        };
        for text in names::dns_subdomain(name) {
            RULE.refuse(causes, field.field(source)).because(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::words;

    /// A name twice is refused before, by the API server, which tells claims apart by their names.
    #[test]
    fn names_are_labels() {
        let bad = json!({"spec": {"template": {"spec": {"resourceClaims": [{"name": "A", "resourceClaimName": "a"}, {"name": "b", "resourceClaimName": "B", "resourceClaimTemplateName": "c"}]}}}});
        let fields = |release| {
            words(&RULE, release, &bad, &json!({}))
                .into_iter()
                .map(|(field, _)| field.replace("spec.template.spec.resourceClaims", ""))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            fields(Release::V1_9),
            ["[0].name", "[1]", "[1].resourceClaimName"]
        );
        assert_eq!(fields(Release::V1_8), Vec::<String>::new());
    }
}
