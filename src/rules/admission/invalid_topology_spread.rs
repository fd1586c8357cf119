//! A topology spread constraint is invalid.

use super::prelude::*;
use crate::field_path::Segment;
use crate::rules::admission::kubernetes;

rule! {
    /// ## What it does
    ///
    /// Reports `topologySpreadConstraints` that Kubernetes would refuse: a `maxSkew` under 1, a topology key that is no
    /// label, a `whenUnsatisfiable` other than `DoNotSchedule` and `ScheduleAnyway`, a bad label selector, two
    /// constraints of one key and action.
    ///
    /// ## Why it matters
    ///
    /// The constraints are copied to the guest's pod, and KubeVirt repeats Kubernetes' checks.
    ///
    /// KubeVirt's check: [`validateSpecTopologySpreadConstraints`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       topologySpreadConstraints:
    ///         - maxSkew: 0
    ///           topologyKey: zone
    ///           whenUnsatisfiable: DoNotSchedule
    /// ```
    ///
    /// ```text
    /// spec.template.spec.topologySpreadConstraints[0].maxSkew: spec.template.spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       topologySpreadConstraints:
    ///         - maxSkew: 1
    ///           topologyKey: zone
    ///           whenUnsatisfiable: DoNotSchedule
    /// ```
    "invalid-topology-spread": "a topology spread constraint is invalid"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let field = guest.at("topologySpreadConstraints");
    let mut wrong = kubernetes::FieldErrors::default();
    kubernetes::topology_spread(guest.items("topologySpreadConstraints"), &field, &mut wrong);
    for objection in wrong.0 {
        let place = match objection.field.segments().last() {
            Some(Segment::Field(name)) if name.starts_with('{') => objection.field.parent(),
            _ => objection.field.clone(),
        };
        RULE.refuse(causes, objection.field)
            .because(objection.message)
            .at(place);
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::edges;

    #[test]
    fn a_skew_is_positive() {
        edges(
            &RULE,
            "topologySpreadConstraints: [{maxSkew: $, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]",
            &[("-1", true), ("0", true), ("1", false)],
        );
    }
}
