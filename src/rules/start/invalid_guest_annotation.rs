//! An annotation of the guest is not valid.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports an annotation of `template.metadata`, or of the `annotations` of an instance type or preference, whose key is not a
    /// qualified name, and annotations of more than 262144 bytes together.
    ///
    /// ## Why it matters
    ///
    /// The API server does not look into a template, an instance type or a preference. It looks at the instance that is made of them.
    ///
    /// Kubernetes' check: [`ValidateAnnotations`](https://github.com/kubernetes/apimachinery/blob/v0.33.0/pkg/api/validation/objectmeta.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     metadata:
    ///       annotations:
    ///         web team: gold
    /// ```
    ///
    /// ```text
    /// metadata.annotations: Invalid value: "web team": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     metadata:
    ///       annotations:
    ///         example.com/team: web team
    /// ```
    "invalid-guest-annotation": "an annotation of the guest is not valid"
}

/// Most bytes of all keys and values together.
const MOST: usize = 256 * 1024;

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let annotations = guest
        .metadata("annotations")
        .map(Node::entries)
        .unwrap_or_default();
    let mut size = 0;
    for annotation in annotations {
        size += annotation.key.len() + annotation.node.as_str().map_or(0, str::len);
        for words in names::label_key(&annotation.key.to_lowercase()) {
            let field = guest.metadata_at("annotations");
            RULE.refuse(causes, &field)
                .because(format!("Invalid value: \"{}\": {words}", annotation.key))
                .at(field.field(&annotation.key))
                .help("correct the annotation's key");
        }
    }
    if size > MOST {
        RULE.refuse(causes, guest.metadata_at("annotations"))
            .because(format!("Too long: may not be more than {MOST} bytes"))
            .help("keep large data in a ConfigMap");
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::start_metadata_edges;

    #[test]
    fn keys_are_qualified_in_any_case_and_all_have_a_size() {
        // KubeVirt adds `kubevirt.io/pci-topology-version: v3`, 34 bytes.
        let longest = format!("a: {}", "x".repeat(super::MOST - 35));
        let too_long = format!("a: {}", "x".repeat(super::MOST - 34));
        start_metadata_edges(
            &RULE,
            "annotations: {$}",
            &[
                (&longest, false),
                (&too_long, true),
                ("Example.com/A: b", false),
                ("a b: c", true),
                ("a: 'b c'", false),
                ("a/b/c: d", true),
            ],
        );
    }
}
