//! An affinity term is invalid.

use super::prelude::*;
use crate::field_path::Segment;
use crate::rules::admission::kubernetes;

rule! {
    /// ## What it does
    ///
    /// Reports node and pod affinity terms that Kubernetes would refuse: no terms, weights outside 1 to 100, unknown
    /// operators, operators with the wrong number of values, keys and values that are not labels, an empty topology key,
    /// namespaces that are not DNS labels.
    ///
    /// ## Why it matters
    ///
    /// The terms are copied to the guest's pod. KubeVirt repeats Kubernetes' checks when the VM is written, so that it
    /// does not fail at start.
    ///
    /// KubeVirt's check: [`validateSpecAffinity`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       affinity:
    ///         nodeAffinity:
    ///           requiredDuringSchedulingIgnoredDuringExecution:
    ///             nodeSelectorTerms:
    ///               - matchExpressions:
    ///                   - key: zone
    ///                     operator: In
    /// ```
    ///
    /// ```text
    /// spec.template.spec.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: spec.template.spec.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       affinity:
    ///         nodeAffinity:
    ///           requiredDuringSchedulingIgnoredDuringExecution:
    ///             nodeSelectorTerms:
    ///               - matchExpressions:
    ///                   - key: zone
    ///                     operator: In
    ///                     values:
    ///                       - a
    /// ```
    "invalid-affinity": "an affinity term is invalid"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let Some(affinity) = guest.spec.get("affinity") else {
        return;
    };
    let mut wrong = kubernetes::FieldErrors::default();
    kubernetes::affinity(affinity, &guest.place(), &mut wrong);
    for objection in wrong.0 {
        // Kubernetes leaves `affinity` out of its paths and says `namespace`.
        let mut place = guest.at("affinity");
        for step in objection.field.segments().iter().skip(3) {
            place.push(match step {
                Segment::Field(name) if name == "namespace" => Segment::Field("namespaces".into()),
                step => step.clone(),
            });
        }
        RULE.refuse(causes, objection.field)
            .because(objection.message)
            .at(place);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::{edges, words};

    #[test]
    fn every_kind_of_term_is_looked_at() {
        let bad = json!({"spec": {"template": {"spec": {"affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchFields": [{"key": "name", "operator": "Gt", "values": ["1"]}]}]},
                "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 101, "preference": {"matchExpressions": [{"key": "a b", "operator": "Gt", "values": ["1", "2"]}]}}]
            },
            "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "", "namespaces": ["A"], "labelSelector": {"matchLabels": {"a": "b c"}}}]},
            "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": {"topologyKey": "zone", "namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b c"]}]}}}]}
        }}}}});
        let fields: Vec<String> = words(&RULE, Release::V1_9, &bad, &json!({}))
            .into_iter()
            .map(|(field, _)| {
                field
                    .replace("spec.template.spec.", "")
                    .replace("DuringSchedulingIgnoredDuringExecution", "")
            })
            .collect();
        assert_eq!(
            fields,
            [
                "nodeAffinity.required.nodeSelectorTerms[0].matchFields[0].operator",
                "nodeAffinity.required.nodeSelectorTerms[0].matchFields[0].key",
                "nodeAffinity.preferred[0].weight",
                "nodeAffinity.preferred[0].preference.matchExpressions[0].values",
                "nodeAffinity.preferred[0].preference.matchExpressions[0].key",
                "podAffinity.required[0].labelSelector.matchLabels",
                "podAffinity.required[0].namespace",
                "podAffinity.required[0].topologyKey",
                "podAffinity.required[0].topologyKey",
                "podAffinity.required[0].topologyKey",
                "podAntiAffinity.preferred[0].podAffinityTerm.namespaceSelector.matchExpressions[0].values",
                "podAntiAffinity.preferred[0].podAffinityTerm.namespaceSelector.matchExpressions[0].values[0]",
            ]
        );
    }

    #[test]
    fn a_weight_is_1_to_100() {
        edges(
            &RULE,
            "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: $, preference: {matchExpressions: [{key: a, operator: Exists}]}}]}}",
            &[("0", true), ("1", false), ("100", false), ("101", true)],
        );
    }
}
