//! A null that the API server drops.

rule! {
    /// ## What it does
    ///
    /// Reports a key whose value is null in a place that cannot hold one. The API server drops it.
    ///
    /// ## Why it matters
    ///
    /// Git says something that the cluster does not store, and a comparison of the two may show it for ever. It is usually a
    /// value that was taken out while its key stayed. Under server-side apply (Flux, Argo CD with ServerSideApply, Helm 4)
    /// the API server does not drop the null: it refuses the object. A null among the VM's own labels or annotations is not
    /// dropped either, it is stored as an empty text.
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
    /// `creationTimestamp: null` is `runtime-data`. In a list and below `template.metadata` nobody drops a null: `wrong-type`.
    "dropped-null": "the API server drops the null",
    level: Note,
    check: Input,
}
