//! A field that the target release no longer has.

rule! {
    /// ## What it does
    ///
    /// Reports a field that an earlier release of KubeVirt had and the target release does not have.
    ///
    /// ## Why it matters
    ///
    /// The API server drops it: `kubectl apply` refuses the object; Argo CD applies it without the field and stays
    /// OutOfSync. `spec.liveUpdateFeatures`, the opt-in of live updates before 1.3, is the usual one.
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.2..
    /// spec:
    ///   liveUpdateFeatures:
    ///     cpu: {}
    /// ```
    ///
    /// ```text
    /// spec.liveUpdateFeatures: `liveUpdateFeatures` is gone since KubeVirt 1.2: the API server drops it
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   runStrategy: Always
    /// ```
    ///
    /// ## Fix safety
    ///
    /// Safe: the API server removes the field anyway.
    ///
    /// ## Limits
    ///
    /// What replaces a field, if anything, is said only where it is a plain rename.
    "removed-field": "the target release no longer has the field, and its API server drops it",
    level: Error,
    check: Input,
}
