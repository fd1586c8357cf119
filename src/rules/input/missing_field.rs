//! A required field that is absent.

rule! {
    /// ## What it does
    ///
    /// Reports a field that the API requires and the manifest does not have. In a VM a text or number that is missing is a
    /// warning.
    ///
    /// ## Why it matters
    ///
    /// The API server, or KubeVirt's own schema check before it, refuses the object. A text or number of a VM is another
    /// matter: KubeVirt's webhook writes it back as `""` or `0` before the API server asks for it, so that the VM is stored
    /// with an empty name, image or port, unless a check of the webhook's own refuses that.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           emptyDisk: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[0].emptyDisk.capacity: `spec.template.spec.volumes[0].emptyDisk.capacity` is required and missing
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           emptyDisk:
    ///             capacity: 2Gi
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
