//! Two items of a list that the API server cannot tell apart.

rule! {
    /// ## What it does
    ///
    /// Reports a second item with the same key in a list whose items the API server tells apart by a key
    /// (`topologySpreadConstraints`, `resourceClaims`, `utilityVolumes`), and a value that a set has already.
    ///
    /// ## Why it matters
    ///
    /// The API server refuses the object.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       accessCredentials:
    ///         - sshPublicKey:
    ///             source:
    ///               secret:
    ///                 secretName: keys
    ///             propagationMethod:
    ///               qemuGuestAgent:
    ///                 users: [root, fedora, root]
    /// ```
    ///
    /// ```text
    /// spec.template.spec.accessCredentials[0].sshPublicKey.propagationMethod.qemuGuestAgent.users[2]: `users[2]` repeats an earlier item
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       accessCredentials:
    ///         - sshPublicKey:
    ///             source:
    ///               secret:
    ///                 secretName: keys
    ///             propagationMethod:
    ///               qemuGuestAgent:
    ///                 users: [root, fedora]
    /// ```
    "repeated-list-item": "a list has an item twice that the API server tells apart",
    level: Error,
    check: Input,
}
