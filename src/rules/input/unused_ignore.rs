//! An ignore comment that keeps nothing quiet.

rule! {
    /// ## What it does
    ///
    /// Reports `# driftless: ignore[rule] reason` comments that match nothing, name an unknown rule, or give no reason.
    ///
    /// ## Why it matters
    ///
    /// An ignore that outlives its cause hides the next finding.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachineInstancetype
    /// metadata: {name: small}
    /// # driftless: ignore[missing-field] the memory is set by a patch
    /// spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
    /// ```
    ///
    /// ```text
    /// nothing here to ignore for `missing-field`
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachineInstancetype
    /// metadata: {name: small}
    /// spec:
    ///   cpu:
    ///     guest: 1
    ///   # driftless: ignore[dropped-null] kept as the vendor ships it
    ///   nodeSelector:
    ///   memory: {guest: 1Gi}
    /// ```
    ///
    /// ## Limits
    ///
    /// A comment for a rule that is off is not reported, nor are the entries of `ignores:` in driftless.yaml.
    "unused-ignore": "the ignore comment matches nothing, or cannot be used",
    level: Warning,
    check: Raised,
}
