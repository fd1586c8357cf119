//! A resource claim of the guest is invalid.

use crate::field_path::FieldPath;
use crate::release::Behaviour;
use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::{AdmittedGuest, named};
use crate::rules::admission::names;
use crate::yaml::Node;

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
    for (at, claim) in claims.iter().enumerate() {
        let field = guest.at("resourceClaims").index(at);
        let name = claim.str_at("name");
        if strict && name.is_empty() {
            let message = format!("{field}.name is a required field");
            causes.push(&RULE, field.field("name"), message);
        } else if claims[..at].iter().any(|other| named(other, name)) {
            let message = format!("duplicate resourceClaims name {name:?}");
            causes.push(&RULE, field.field("name"), message);
        } else if strict {
            let wrong = names::dns_label(name);
            if !wrong.is_empty() {
                let message = format!(
                    "{field}.name does not conform to the kubernetes DNS_LABEL rules: {}",
                    wrong.join(", ")
                );
                causes.push(&RULE, field.field("name"), message);
            }
        }
        if strict {
            check_source(&field, claim, causes);
        }
    }
}

fn check_source(field: &FieldPath, claim: &Node, causes: &mut Causes) {
    let sources = ["resourceClaimName", "resourceClaimTemplateName"];
    match sources
        .iter()
        .filter(|source| claim.get(source).is_some())
        .count()
    {
        0 => {
            causes.push(
                &RULE,
                field,
                "must specify one of: resourceClaimName, resourceClaimTemplateName",
            );
        }
        1 => {}
        _ => {
            causes.push(
                &RULE,
                field,
                "at most one of resourceClaimName or resourceClaimTemplateName may be specified",
            );
        }
    }
    for source in sources {
        let Some(name) = claim.get(source).and_then(Node::as_str) else {
            continue;
        };
        for text in names::dns_subdomain(name) {
            causes.push(&RULE, field.field(source), text);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::words;

    #[test]
    fn names_are_unique_labels() {
        let bad = json!({"spec": {"template": {"spec": {"resourceClaims": [{"name": "A", "resourceClaimName": "a"}, {"name": "b", "resourceClaimName": "B", "resourceClaimTemplateName": "c"}, {"name": "b", "resourceClaimName": "c"}]}}}});
        let fields = |release| {
            words(&RULE, release, &bad, &json!({}))
                .into_iter()
                .map(|(field, _)| field.replace("spec.template.spec.resourceClaims", ""))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            fields(Release::V1_9),
            ["[0].name", "[1]", "[1].resourceClaimName", "[2].name"]
        );
        assert_eq!(fields(Release::V1_8), ["[2].name"]);
    }
}
