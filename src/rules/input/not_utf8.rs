//! Bytes that are not UTF-8.

rule! {
    /// ## What it does
    ///
    /// Reports a file whose bytes are neither UTF-8 nor UTF-16 with a byte order mark.
    ///
    /// ## Why it matters
    ///
    /// kubectl refuses such a file. It is usually a text saved as Latin-1 or Windows-1252.
    ///
    /// ## Example
    ///
    /// The example stands for a file saved as Latin-1.
    ///
    /// ```yaml,bad,latin-1
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata:
    ///   name: web
    ///   annotations: {description: "été"}
    /// ```
    ///
    /// ```text
    /// the file is not UTF-8
    /// ```
    ///
    /// ```yaml,good
    /// metadata:
    ///   annotations: {description: "été"}
    /// ```
    ///
    /// ## Limits
    ///
    /// Only files that mention KubeVirt are read.
    "not-utf8": "the file is not UTF-8",
    level: Error,
    check: Input,
}
