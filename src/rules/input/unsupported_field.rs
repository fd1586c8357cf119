//! A field that a later release brought.

rule! {
    /// ## What it does
    ///
    /// Reports a field that a later release of KubeVirt brought, and names that release.
    ///
    /// ## Why it matters
    ///
    /// On the target release the API server drops the field as if it were not there, so the VM starts without what it asks for.
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=..=1.5
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           video:
    ///             type: virtio
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.video: `video` needs KubeVirt 1.6; the target is RELEASE, whose API server drops it
    /// ```
    ///
    /// ```yaml,good,kubevirt=1.6..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           video:
    ///             type: virtio
    /// ```
    ///
    /// ## Limits
    ///
    /// Patch releases are not told apart: 1.8 means the last one of that line.
    "unsupported-field": "the target release does not have the field yet, and its API server drops it",
    level: Error,
    check: Input,
}
