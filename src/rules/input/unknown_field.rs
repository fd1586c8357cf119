//! A field that no release has.

rule! {
    /// ## What it does
    ///
    /// Reports a field that the API does not know, with what may have been meant.
    ///
    /// ## Why it matters
    ///
    /// The API server drops it. `kubectl apply` refuses the object unless told otherwise; Argo CD and Flux apply it
    /// without the field, and Argo CD stays OutOfSync for good. The intended setting has no effect.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         cpu:
    ///           core: 2
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.cpu.core: unknown field `core`: the API server drops it
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         cpu:
    ///           cores: 2
    /// ```
    ///
    /// ## Limits
    ///
    /// `fieldValidation: warn` or `ignore` in driftless.yaml lowers or silences it, as kubectl's `--validate` does. `status` is
    /// not looked at: the API server takes it from nobody but controllers.
    "unknown-field": "no release of KubeVirt has the field, and the API server drops it",
    level: Error,
    check: Input,
}
