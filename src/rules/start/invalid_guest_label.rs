//! A label of the template is not valid.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a label of `template.metadata` whose key is not a qualified name, or whose value has more than 63 characters or
    /// other characters than letters, digits, `-`, `_` and `.`.
    ///
    /// ## Why it matters
    ///
    /// The API server does not look into a template. It looks at the instance that is made of it, which gets the labels.
    ///
    /// Kubernetes' check: [`ValidateObjectMetaAccessor`](https://github.com/kubernetes/apimachinery/blob/v0.33.0/pkg/api/validation/objectmeta.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     metadata:
    ///       labels:
    ///         owner: web team
    /// ```
    ///
    /// ```text
    /// metadata.labels: Invalid value: "web team": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     metadata:
    ///       labels:
    ///         owner: web-team
    /// ```
    "invalid-guest-label": "a label of the template is not valid"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    for label in guest
        .metadata("labels")
        .map(Node::entries)
        .unwrap_or_default()
    {
        let value = label.node.as_str().unwrap_or_default();
        let key = names::label_key(&label.key).into_iter();
        let wrong = key.map(|words| (label.key.as_str(), words));
        let values = names::label_value(value).into_iter();
        for (value, words) in wrong.chain(values.map(|words| (value, words))) {
            let field = guest.metadata_at("labels");
            RULE.refuse(causes, &field)
                .because(format!("Invalid value: \"{value}\": {words}"))
                .at(field.field(&label.key))
                .help("correct the label, or make it an annotation");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::start_metadata_edges;

    #[test]
    fn keys_and_values_are_held_to_their_form() {
        let longest = format!("a: {}", "x".repeat(63));
        let too_long = format!("a: {}", "x".repeat(64));
        start_metadata_edges(
            &RULE,
            "labels: {$}",
            &[
                (&longest, false),
                (&too_long, true),
                ("a: ''", false),
                ("a: 'b c'", true),
                ("-a: b", true),
                ("example.com/a: b", false),
                ("a/b/c: d", true),
            ],
        );
    }
}
