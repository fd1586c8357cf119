//! Kubernetes' own checks of scheduling terms, which KubeVirt's webhook repeats word for word.

use super::names;
use crate::field_path::FieldPath;
use crate::yaml::Node;

/// One objection: the field and the words, `field: kind: value: detail`.
#[derive(Debug)]
pub(super) struct FieldError {
    /// The field.
    pub field: FieldPath,
    /// The whole message.
    pub message: String,
}

/// Collects [`FieldError`]s.
#[derive(Debug, Default)]
pub(super) struct FieldErrors(pub Vec<FieldError>);

impl FieldErrors {
    fn push(&mut self, field: FieldPath, body: &str) {
        let message = format!("{field}: {body}");
        self.0.push(FieldError { field, message });
    }

    fn required(&mut self, field: FieldPath, detail: &str) {
        self.push(field, &format!("Required value: {detail}"));
    }

    fn forbidden(&mut self, field: FieldPath, detail: &str) {
        self.push(field, &format!("Forbidden: {detail}"));
    }

    fn invalid(&mut self, field: FieldPath, value: &str, detail: &str) {
        self.push(field, &format!("Invalid value: \"{value}\": {detail}"));
    }

    fn invalid_number(&mut self, field: FieldPath, value: i64, detail: &str) {
        self.push(field, &format!("Invalid value: {value}: {detail}"));
    }
}

/// What is wrong with `affinity`, whose parts lie at `field`.
pub(super) fn affinity(affinity: &Node, field: &FieldPath, wrong: &mut FieldErrors) {
    if let Some(node) = affinity.get("nodeAffinity") {
        node_affinity(node, &field.field("nodeAffinity"), wrong);
    }
    for kind in ["podAffinity", "podAntiAffinity"] {
        if let Some(pods) = affinity.get(kind) {
            pod_affinity(pods, &field.field(kind), wrong);
        }
    }
}

fn node_affinity(node: &Node, field: &FieldPath, wrong: &mut FieldErrors) {
    if let Some(selector) = node.get("requiredDuringSchedulingIgnoredDuringExecution") {
        let terms = field.then("requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms");
        if selector.items_at("nodeSelectorTerms").is_empty() {
            wrong.required(terms.clone(), "must have at least one node selector term");
        }
        for (at, term) in selector.items_at("nodeSelectorTerms").iter().enumerate() {
            node_selector_term(term, &terms.index(at), wrong);
        }
    }
    let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
    for (at, term) in node.items_at(preferred).iter().enumerate() {
        let field = field.field(preferred).index(at);
        weight(term, &field, wrong);
        if let Some(preference) = term.get("preference") {
            node_selector_term(preference, &field.field("preference"), wrong);
        }
    }
}

fn weight(term: &Node, field: &FieldPath, wrong: &mut FieldErrors) {
    let weight = term.int_at("weight");
    if !(1..=100).contains(&weight) {
        wrong.invalid_number(field.field("weight"), weight, "must be in the range 1-100");
    }
}

fn node_selector_term(term: &Node, field: &FieldPath, wrong: &mut FieldErrors) {
    for (at, expression) in term.items_at("matchExpressions").iter().enumerate() {
        let field = field.field("matchExpressions").index(at);
        let values = expression.items_at("values").len();
        match expression.str_at("operator") {
            "Gt" | "Lt" => {
                if values != 1 {
                    wrong.required(
                        field.field("values"),
                        "must be specified single value when `operator` is 'Lt' or 'Gt'",
                    );
                }
            }
            operator => set_operator(operator, values, &field, wrong),
        }
        key(expression.str_at("key"), &field.field("key"), wrong);
    }
    for (at, expression) in term.items_at("matchFields").iter().enumerate() {
        let field = field.field("matchFields").index(at);
        let values = expression.items_at("values");
        match expression.str_at("operator") {
            "In" | "NotIn" => {
                if values.len() != 1 {
                    wrong.required(
                        field.field("values"),
                        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
                    );
                }
            }
            operator => wrong.invalid(
                field.field("operator"),
                operator,
                "not a valid selector operator",
            ),
        }
        if expression.str_at("key") != "metadata.name" {
            wrong.invalid(
                field.field("key"),
                expression.str_at("key"),
                "not a valid field selector key",
            );
            continue;
        }
        for (at, value) in values.iter().enumerate() {
            let value = value.as_str().unwrap_or_default();
            for text in names::dns_subdomain(value) {
                wrong.invalid(field.field("values").index(at), value, &text);
            }
        }
    }
}

fn set_operator(operator: &str, values: usize, field: &FieldPath, wrong: &mut FieldErrors) {
    match operator {
        "In" | "NotIn" => {
            if values == 0 {
                wrong.required(
                    field.field("values"),
                    "must be specified when `operator` is 'In' or 'NotIn'",
                );
            }
        }
        "Exists" | "DoesNotExist" => {
            if values > 0 {
                wrong.forbidden(
                    field.field("values"),
                    "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
                );
            }
        }
        _ => wrong.invalid(
            field.field("operator"),
            operator,
            "not a valid selector operator",
        ),
    }
}

fn key(value: &str, field: &FieldPath, wrong: &mut FieldErrors) {
    for text in names::label_key(value) {
        wrong.invalid(field.clone(), value, &text);
    }
}

/// What stands for a term that is absent.
static NOTHING: Node = Node::map();

fn pod_affinity(pods: &Node, field: &FieldPath, wrong: &mut FieldErrors) {
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    for (at, term) in pods.items_at(required).iter().enumerate() {
        pod_affinity_term(term, &field.field(required).index(at), wrong);
    }
    let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
    for (at, term) in pods.items_at(preferred).iter().enumerate() {
        let field = field.field(preferred).index(at);
        weight(term, &field, wrong);
        let term = term.get("podAffinityTerm").unwrap_or(&NOTHING);
        pod_affinity_term(term, &field.field("podAffinityTerm"), wrong);
    }
}

fn pod_affinity_term(term: &Node, field: &FieldPath, wrong: &mut FieldErrors) {
    for kind in ["labelSelector", "namespaceSelector"] {
        if let Some(selector) = term.get(kind) {
            label_selector(selector, &field.field(kind), wrong);
        }
    }
    for namespace in term.items_at("namespaces") {
        let namespace = namespace.as_str().unwrap_or_default();
        for text in names::dns_label(namespace) {
            wrong.invalid(field.field("namespace"), namespace, &text);
        }
    }
    let topology = term.str_at("topologyKey");
    if topology.is_empty() {
        wrong.required(field.field("topologyKey"), "can not be empty");
    }
    key(topology, &field.field("topologyKey"), wrong);
}

fn label_selector(selector: &Node, field: &FieldPath, wrong: &mut FieldErrors) {
    for label in selector
        .get("matchLabels")
        .map(Node::entries)
        .unwrap_or_default()
    {
        let field = field.field("matchLabels");
        key(&label.key, &field, wrong);
        let value = label.node.as_str().unwrap_or_default();
        for text in names::label_value(value) {
            wrong.invalid(field.clone(), value, &text);
        }
    }
    for (at, expression) in selector.items_at("matchExpressions").iter().enumerate() {
        let field = field.field("matchExpressions").index(at);
        let values = expression.items_at("values");
        set_operator(expression.str_at("operator"), values.len(), &field, wrong);
        key(expression.str_at("key"), &field.field("key"), wrong);
        for (at, value) in values.iter().enumerate() {
            let value = value.as_str().unwrap_or_default();
            for text in names::label_value(value) {
                wrong.invalid(field.field("values").index(at), value, &text);
            }
        }
    }
}

/// What is wrong with `topologySpreadConstraints`, which lie at `field`.
pub(super) fn topology_spread(constraints: &[Node], field: &FieldPath, wrong: &mut FieldErrors) {
    for (at, constraint) in constraints.iter().enumerate() {
        let item = field.index(at);
        let skew = constraint.int_at("maxSkew");
        if skew <= 0 {
            wrong.invalid_number(item.field("maxSkew"), skew, "must be greater than zero");
        }
        let topology = constraint.str_at("topologyKey");
        if topology.is_empty() {
            wrong.required(item.field("topologyKey"), "can not be empty");
        } else {
            key(topology, &item.field("topologyKey"), wrong);
        }
        let action = constraint.str_at("whenUnsatisfiable");
        if !matches!(action, "DoNotSchedule" | "ScheduleAnyway") {
            wrong.push(
                item.field("whenUnsatisfiable"),
                &format!(
                    "Unsupported value: \"{action}\": supported values: \"DoNotSchedule\", \"ScheduleAnyway\""
                ),
            );
        }
        if let Some(selector) = constraint.get("labelSelector") {
            label_selector(selector, &field.field("labelSelector"), wrong);
        }
        let repeated = constraints[at + 1..].iter().any(|other| {
            other.str_at("topologyKey") == topology && other.str_at("whenUnsatisfiable") == action
        });
        if repeated {
            wrong.push(
                item.field("{topologyKey, whenUnsatisfiable}"),
                &format!("Duplicate value: \"{{{topology}, {action}}}\""),
            );
        }
    }
}
