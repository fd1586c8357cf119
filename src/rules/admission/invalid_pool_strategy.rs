//! A pool says in no clear way how it scales or updates.

use super::prelude::*;
use crate::release::Release;
use crate::yaml::Value;

rule! {
    /// ## What it does
    ///
    /// Reports a VirtualMachinePool with more than one `updateStrategy` or `scaleInStrategy` (1.7 and later), or with a
    /// `maxUnavailable` (1.6 and later) that is neither a number above 0 nor a percentage from 1% to 100%.
    ///
    /// ## Why it matters
    ///
    /// The controller could not tell which of the strategies is meant.
    ///
    /// KubeVirt's check: [`ValidateVMPoolSpec`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmpool-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.7..
    /// apiVersion: pool.kubevirt.io/v1beta1
    /// kind: VirtualMachinePool
    /// metadata:
    ///   name: web
    /// spec:
    ///   maxUnavailable: 0%
    ///   selector:
    ///     matchLabels:
    ///       app: web
    ///   virtualMachineTemplate:
    ///     metadata:
    ///       labels:
    ///         app: web
    ///     spec:
    ///       runStrategy: Always
    ///       template:
    ///         spec:
    ///           domain:
    ///             devices: {}
    ///             memory:
    ///               guest: 1Gi
    /// ```
    ///
    /// ```text
    /// spec.maxUnavailable: maxUnavailable percentage value 0 must be between 1 and 100
    /// ```
    ///
    /// ```yaml,good,kubevirt=1.7..
    /// apiVersion: pool.kubevirt.io/v1beta1
    /// kind: VirtualMachinePool
    /// metadata:
    ///   name: web
    /// spec:
    ///   maxUnavailable: 25%
    ///   selector:
    ///     matchLabels:
    ///       app: web
    ///   virtualMachineTemplate:
    ///     metadata:
    ///       labels:
    ///         app: web
    ///     spec:
    ///       runStrategy: Always
    ///       template:
    ///         spec:
    ///           domain:
    ///             devices: {}
    ///             memory:
    ///               guest: 1Gi
    /// ```
    "invalid-pool-strategy": "a pool says in no clear way how it scales or updates"
}

const STRATEGIES: [&str; 3] = ["unmanaged", "opportunistic", "proactive"];

pub(in crate::rules) fn check(pool: &Node, release: Release, causes: &mut Causes) {
    if let Some(most) = pool.path("spec.maxUnavailable")
        && let Some(words) = wrong_share(most)
    {
        RULE.refuse(causes, "spec.maxUnavailable")
            .because(words)
            .help("use a number above 0, or a percentage from `1%` to `100%`");
    }
    if !release.has(Behaviour::PoolsHaveStrategies) {
        return;
    }
    for field in ["updateStrategy", "scaleInStrategy"] {
        let strategy = pool.path("spec").and_then(|spec| spec.get(field));
        let has = |one: &&str| strategy.is_some_and(|strategy| strategy.get(one).is_some());
        let set: Vec<&str> = STRATEGIES.into_iter().filter(has).collect();
        if set.len() > 1 {
            RULE.refuse(causes, FieldPath::from("spec").field(field))
                .because(format!(
                    "only one strategy can be configured at a time: but found {} strategies",
                    set.join(", ")
                ))
                .help("keep one of them");
        }
    }
}

fn wrong_share(most: &Node) -> Option<String> {
    match &most.value {
        Value::Int(number) if *number <= 0 => {
            Some("maxUnavailable must be greater than 0".to_owned())
        }
        Value::String(text) => {
            let Some(number) = text.strip_suffix('%') else {
                return Some("maxUnavailable percentage must end with %".to_owned());
            };
            match number.parse::<i64>() {
                Ok(share) if (1..=100).contains(&share) => None,
                Ok(share) => Some(format!(
                    "maxUnavailable percentage value {share} must be between 1 and 100"
                )),
                Err(_) => Some(format!(
                    "maxUnavailable percentage value \"{number}\" is invalid: strconv.Atoi: parsing \"{number}\": invalid syntax"
                )),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_share_is_above_nothing_and_at_most_all() {
        for (most, refused) in [
            (json!(0), true),
            (json!(1), false),
            (json!("0%"), true),
            (json!("1%"), false),
            (json!("100%"), false),
            (json!("101%"), true),
            (json!("25"), true),
            (json!("half%"), true),
        ] {
            assert_eq!(
                wrong_share(&Node::from_json(&most)).is_some(),
                refused,
                "{most}"
            );
        }
    }

    #[test]
    fn one_strategy_is_one() {
        let count = |strategy: serde_json::Value| {
            let pool = Node::from_json(&json!({"spec": {"updateStrategy": strategy}}));
            let mut causes = Causes::default();
            check(&pool, Release::NEWEST, &mut causes);
            causes.into_hits().len()
        };
        assert_eq!(count(json!({"proactive": {}})), 0);
        assert_eq!(count(json!({"proactive": {}, "unmanaged": {}})), 1);
    }
}
