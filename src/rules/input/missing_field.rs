//! A required field that is absent.

rule! {
    /// ## What it does
    ///
    /// Reports a field that the API requires and the manifest does not have.
    ///
    /// ## Why it matters
    ///
    /// The API server, or KubeVirt's own schema check behind it, refuses the object.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           containerDisk: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[0].containerDisk.image: `spec.template.spec.volumes[0].containerDisk.image` is required and missing
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: quay.io/containerdisks/fedora:42
    /// ```
    ///
    /// ## Limits
    ///
    /// A kustomize patch is a part of an object and is left out where a kustomization names it; elsewhere it is taken for a
    /// whole object.
    "missing-field": "a required field is missing",
    level: Error,
    check: Input,
}
