//! Text that kubectl cannot read.

rule! {
    /// ## What it does
    ///
    /// Reports a document that kubectl's reader refuses: broken syntax, a merge conflict marker, text after `---`, nesting or
    /// aliases beyond what the API server takes. The other documents of the file are judged.
    ///
    /// ## Why it matters
    ///
    /// `kubectl apply` and every GitOps controller stop at such a document, and with it at the whole file.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: web
    /// spec: {}
    /// ```
    ///
    /// ```text
    /// `,` or `}` was expected here
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   runStrategy: Always
    /// ```
    ///
    /// ## Limits
    ///
    /// Files that neither look like Kubernetes manifests nor mention KubeVirt are not reported. A file with template marks is
    /// `templated-file` instead.
    "invalid-yaml": "the document is not YAML that kubectl can read",
    level: Error,
    check: Input,
}
