//! A value the field cannot hold.

rule! {
    /// ## What it does
    ///
    /// Reports a value that the field cannot hold: text where a number is wanted, a mapping for a list, a word outside the list
    /// a field allows, a number or a text beyond its limits, something that is not a quantity; and a null that nobody drops:
    /// in a list, or where the API server keeps everything (`template.metadata`).
    ///
    /// ## Why it matters
    ///
    /// The API server refuses the object, or KubeVirt's webhook does before it.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         cpu:
    ///           cores: "2"
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.cpu.cores: `cores` is a string, not a whole number
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
    /// Values are judged as kubectl reads them: `yes`, `no`, `on` and `off` are booleans, so a label `country: no` is one too.
    "wrong-type": "the value does not have the field's type",
    level: Error,
    check: Input,
}
