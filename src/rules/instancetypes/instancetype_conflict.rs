//! A field of the VM is also set by its instance type.

use crate::conflict::Conflicts;
use crate::rules::admission::causes::Causes;

rule! {
    /// ## What it does
    ///
    /// Reports each field that the VM and its instance type both set: CPU topology, memory, node selector, scheduler,
    /// I/O threads, launch security, GPUs, host devices and annotations with another value.
    ///
    /// ## Why it matters
    ///
    /// An instance type is the whole size of a guest. KubeVirt does not merge it with the VM's own; it refuses the VM.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   instancetype:
    ///     name: u1.small
    ///   template:
    ///     spec:
    ///       domain:
    ///         cpu:
    ///           sockets: 2
    ///         memory: null
    /// ```
    ///
    /// ```text,kubevirt=..=1.4
    /// spec.template.spec.domain.cpu.sockets: VM field spec.template.spec.domain.cpu.sockets conflicts with selected instance type
    /// ```
    ///
    /// ```text,kubevirt=1.5..
    /// spec.template.spec.domain.cpu.sockets: VM field(s) spec.template.spec.domain.cpu.sockets conflicts with selected instance type
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   instancetype:
    ///     name: u1.small
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory: null
    /// ```
    ///
    /// ## Limits
    ///
    /// An instance type that is not in the repository is not known; see `unresolved-instancetype`.
    "instancetype-conflict": "a field of the VM is also set by its instance type"
}

/// Puts conflicts among the causes.
pub(crate) fn refused(conflicts: &Conflicts, causes: &mut Causes) {
    for conflict in &conflicts.0 {
        RULE.refuse_for(causes, conflict.cause())
            .at(&conflict.field)
            .help("remove the field, or the reference to the instance type");
    }
}
