//! A refusal that depends on a setting nobody gave.

rule! {
    /// ## What it does
    ///
    /// Says that KubeVirt refuses or accepts a field depending on a feature gate or setting of the cluster, and that no KubeVirt
    /// object was found or given.
    ///
    /// ## Why it matters
    ///
    /// An error would be a false alarm where the gate is on, and no finding would be a false pass where it is off. With
    /// `--cluster-config FILE`, or a `kind: KubeVirt` object in the tree, the note becomes the verdict of that cluster.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           hostDevices:
    ///             - name: nic
    ///               deviceName: vendor.example/nic
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.hostDevices: whether KubeVirt accepts this depends on the feature gate `HostDevices`
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   runStrategy: Always
    /// ```
    ///
    /// ## Limits
    ///
    /// Only the settings that admission reads are looked at.
    "depends-on-configuration": "whether KubeVirt accepts it depends on the cluster's configuration",
    level: Note,
    check: Raised,
}
