//! A quantity that the API server spells otherwise.

use crate::field_path::{FieldPath, Segment};
use crate::finding::{Applicability, FixAction};
use crate::resource::{Resource, quantity};
use crate::rules::{Context, Findings, input};
use crate::yaml::{Node, Value};

rule! {
    /// ## What it does
    ///
    /// Reports quantities whose text the cluster rewrites: `1024Mi` is stored as `1Gi`, `1000m` as `1`, `0.5` as `500m`.
    ///
    /// ## Why it matters
    ///
    /// Argo CD compares custom resources as text, so the VM stays OutOfSync although nothing differs.
    ///
    /// ## Example
    ///
    /// ```yaml,bad,strict
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory:
    ///           guest: 1024Mi
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.memory.guest: the API server stores `1024Mi` as `1Gi`
    /// ```
    ///
    /// ```yaml,good,strict
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory:
    ///           guest: 1Gi
    /// ```
    ///
    /// ## Fix safety
    ///
    /// Safe: only the spelling changes. `1024M` and `1Gi` are two values and never exchanged.
    ///
    /// ## Limits
    ///
    /// Off unless `profile: strict` or a level turns it on. Only fields that are quantities are looked at; the page size of
    /// hugepages is a name and stays.
    "noncanonical-quantity": "the API server writes the quantity differently",
    level: Off,
    strict: Note,
    check: Catalog(check),
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    let release = context.target.release;
    for resource in context.catalog.resources() {
        let Some(decoded) = input::schema::decode(resource, release) else {
            continue;
        };
        let mut path = FieldPath::root();
        compare(resource, &decoded.node, &mut path, findings);
    }
}

/// Walks the decoded tree: where a text differs from what is written, reading has respelled a quantity.
fn compare(resource: &Resource, decoded: &Node, path: &mut FieldPath, findings: &mut Findings) {
    match &decoded.value {
        Value::Map(map) => {
            for entry in map.entries() {
                path.push(Segment::Field(entry.key.clone()));
                compare(resource, &entry.node, path, findings);
                path.pop();
            }
        }
        Value::Seq(items) => {
            for (at, item) in items.iter().enumerate() {
                path.push(Segment::Index(at));
                compare(resource, item, path, findings);
                path.pop();
            }
        }
        Value::String(canonical) => {
            let Some(written) = path.find(&resource.node) else {
                return;
            };
            let text = match &written.value {
                Value::String(text) => text.to_string(),
                Value::Int(_) | Value::UInt(_) | Value::Float(_) => written.to_json().to_string(),
                _ => return,
            };
            if text.trim() == canonical || !quantity::same_value(&text, canonical) {
                return;
            }
            findings
                .report(
                    resource,
                    path.clone(),
                    format!("the API server stores `{text}` as `{canonical}`"),
                )
                .help(format!("write `{canonical}`, which is the same value"))
                .fix(
                    Applicability::Safe,
                    format!("write `{canonical}`"),
                    [(path.clone(), FixAction::Set(Node::string(canonical)))],
                );
        }
        _ => {}
    }
}
