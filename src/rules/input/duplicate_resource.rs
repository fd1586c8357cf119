//! Two different objects of one identity.

rule! {
    /// ## What it does
    ///
    /// Reports two objects of one kind, namespace and name that differ. Within one file or one kustomization it is an error, in
    /// a directory a warning, across roots (overlays, clusters) a note.
    ///
    /// ## Why it matters
    ///
    /// Only one of them can be in the cluster: whichever is applied last wins, and two controllers that apply one each undo each
    /// other for ever.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachineInstancetype
    /// metadata: {name: small}
    /// spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
    /// ---
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachineInstancetype
    /// metadata: {name: small}
    /// spec: {cpu: {guest: 2}, memory: {guest: 1Gi}}
    /// ```
    ///
    /// ```text
    /// metadata.name: VirtualMachineInstancetype small is in this file once more, with other content
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachineInstancetype
    /// metadata: {name: small}
    /// spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
    /// ---
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachineInstancetype
    /// metadata: {name: medium}
    /// spec: {cpu: {guest: 2}, memory: {guest: 1Gi}}
    /// ```
    ///
    /// ## Limits
    ///
    /// Equal copies are one object and not reported. Objects without a namespace are taken to be in the assumed one.
    "duplicate-resource": "two different objects have the same kind, namespace and name",
    level: Error,
    check: Input,
}
