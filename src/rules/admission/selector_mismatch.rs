//! A pool's or replica set's selector does not select what it makes.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a VirtualMachinePool or VirtualMachineInstanceReplicaSet whose `selector` does not match the labels of its
    /// template, or is none that Kubernetes can read.
    ///
    /// ## Why it matters
    ///
    /// The controller counts by the selector. With one that finds nothing it would create without end.
    ///
    /// KubeVirt's checks: [`ValidateVMIRSSpec`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmirs-admitter.go) and [`ValidateVMPoolSpec`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmpool-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachineInstanceReplicaSet
    /// metadata:
    ///   name: web
    /// spec:
    ///   selector:
    ///     matchLabels:
    ///       app: web
    ///   template:
    ///     metadata:
    ///       labels:
    ///         app: database
    ///     spec:
    ///       domain:
    ///         devices: {}
    ///         memory:
    ///           guest: 1Gi
    /// ```
    ///
    /// ```text
    /// spec.selector: selector does not match labels.
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachineInstanceReplicaSet
    /// metadata:
    ///   name: web
    /// spec:
    ///   selector:
    ///     matchLabels:
    ///       app: web
    ///   template:
    ///     metadata:
    ///       labels:
    ///         app: web
    ///     spec:
    ///       domain:
    ///         devices: {}
    ///         memory:
    ///           guest: 1Gi
    /// ```
    "selector-mismatch": "the selector does not match the labels of the template"
}

/// Holds the selector of `object` against the labels at a path.
pub(in crate::rules) fn check(object: &Node, labels: &str, causes: &mut Causes) {
    let labels = object.path(labels);
    let selects = match object.path("spec.selector") {
        None => Ok(false),
        Some(selector) => matches(selector, labels),
    };
    let words = match selects {
        Ok(true) => return,
        Ok(false) => "selector does not match labels.".to_owned(),
        Err(words) => words,
    };
    RULE.refuse(causes, "spec.selector")
        .because(words)
        .help("give the template the labels that the selector asks for");
}

/// Whether a label selector fits, or why it is none. Mirrors `LabelSelectorAsSelector` of apimachinery.
fn matches(selector: &Node, labels: Option<&Node>) -> Result<bool, String> {
    let held = |key: &str| {
        let value = labels.and_then(|labels| labels.get(key));
        value.map(|value| value.as_str().unwrap_or_default())
    };
    let wanted = selector.get("matchLabels").map(Node::entries);
    let mut fits = wanted
        .unwrap_or_default()
        .iter()
        .all(|label| held(&label.key) == Some(label.node.as_str().unwrap_or_default()));
    for expression in selector.items_at("matchExpressions") {
        let key = expression.str_at("key");
        if let Some(words) = names::label_key(key).into_iter().next() {
            return Err(format!("key: Invalid value: \"{key}\": {words}"));
        }
        let values = expression.items_at("values");
        let has = |value: &str| values.iter().any(|other| other.as_str() == Some(value));
        let operator = expression.str_at("operator");
        let needs_values = matches!(operator, "In" | "NotIn");
        if needs_values && values.is_empty() {
            return Err("values: Invalid value: []string{}: for 'in', 'notin' operators, values set can't be empty".to_owned());
        }
        if matches!(operator, "Exists" | "DoesNotExist") && !values.is_empty() {
            return Err(
                "values: Invalid value: values set must be empty for exists and does not exist"
                    .to_owned(),
            );
        }
        fits &= match operator {
            "In" => held(key).is_some_and(has),
            "NotIn" => !held(key).is_some_and(has),
            "Exists" => held(key).is_some(),
            "DoesNotExist" => held(key).is_none(),
            other => {
                return Err(format!(
                    "\"{other}\" is not a valid label selector operator"
                ));
            }
        };
    }
    Ok(fits)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    #[test]
    fn a_selector_is_read_as_kubernetes_reads_it() {
        let labels = Node::from_json(&json!({"app": "web", "tier": "gold"}));
        let fits = |selector: Json| matches(&Node::from_json(&selector), Some(&labels)).ok();
        let expression = |operator: &str, values: Json| json!({"matchExpressions": [{"key": "tier", "operator": operator, "values": values}]});
        for (selector, answer) in [
            (json!({}), Some(true)),
            (json!({"matchLabels": {"app": "web"}}), Some(true)),
            (
                json!({"matchLabels": {"app": "web", "a": "b"}}),
                Some(false),
            ),
            (expression("In", json!(["gold"])), Some(true)),
            (expression("In", json!(["silver"])), Some(false)),
            (expression("NotIn", json!(["silver"])), Some(true)),
            (expression("NotIn", json!([])), None),
            (expression("Exists", json!([])), Some(true)),
            (expression("Exists", json!(["gold"])), None),
            (expression("DoesNotExist", json!([])), Some(false)),
            (expression("Has", json!([])), None),
        ] {
            assert_eq!(fits(selector.clone()), answer, "{selector}");
        }
    }
}
