//! A finalizer of the template is not valid.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a finalizer of `template.metadata` that is not a qualified name.
    ///
    /// ## Why it matters
    ///
    /// The API server does not look into a template. It looks at the instance that is made of it, which gets the finalizers.
    ///
    /// Kubernetes' check: [`ValidateFinalizers`](https://github.com/kubernetes/apimachinery/blob/v0.33.0/pkg/api/validation/objectmeta.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     metadata:
    ///       finalizers:
    ///         - hold on
    /// ```
    ///
    /// ```text
    /// metadata.finalizers: Invalid value: "hold on": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     metadata:
    ///       labels:
    ///         app: web
    /// ```
    "invalid-guest-finalizer": "a finalizer of the template is not valid"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let finalizers = guest
        .metadata("finalizers")
        .map(Node::items)
        .unwrap_or_default();
    for (at, finalizer) in finalizers.iter().enumerate() {
        let finalizer = finalizer.as_str().unwrap_or_default();
        for words in names::label_key(finalizer) {
            let field = guest.metadata_at("finalizers");
            RULE.refuse(causes, &field)
                .because(format!("Invalid value: \"{finalizer}\": {words}"))
                .at(field.index(at))
                .help("remove the finalizer: whoever sets one has to take it away again");
        }
    }
}
