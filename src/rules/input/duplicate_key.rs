//! A key written twice in one mapping.

rule! {
    /// ## What it does
    ///
    /// Reports a key that appears twice in one mapping, with both places. The second value is the one judged.
    ///
    /// ## Why it matters
    ///
    /// kubectl refuses the document (`mapping key already defined`); tools that read leniently keep the last value and
    /// lose the first without a word. A missing `---` between two objects has the same effect.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata:
    ///   name: web
    /// spec:
    ///   runStrategy: Halted
    ///   runStrategy: Always
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    ///         memory: {guest: 1Gi}
    /// ```
    ///
    /// ```text
    /// `runStrategy` stands twice in one mapping
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   runStrategy: Always
    /// ```
    ///
    /// ## Limits
    ///
    /// A key set again through a merge (`<<`) is reported as well: kubectl refuses that too.
    "duplicate-key": "a mapping has the same key twice",
    level: Error,
    check: Input,
}
