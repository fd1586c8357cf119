//! A null that the API server drops.

rule! {
    /// ## What it does
    ///
    /// Reports a key whose value is null in a place that cannot hold one. The API server drops it.
    ///
    /// ## Why it matters
    ///
    /// Git says something that the cluster does not store, and a comparison of the two may show it for ever. It is usually a
    /// value that was taken out while its key stayed.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       nodeSelector:
    /// ```
    ///
    /// ```text
    /// spec.template.spec.nodeSelector: `nodeSelector: null` is dropped by the API server
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       nodeSelector: {disk: ssd}
    /// ```
    ///
    /// ## Limits
    ///
    /// `creationTimestamp: null` is `runtime-data`.
    "dropped-null": "the API server drops the null",
    level: Note,
    check: Input,
}
