//! The cluster refuses the VM that its controller expands.

use crate::cause::Cause;
use crate::rules::admission::causes::Causes;

rule! {
    /// ## What it does
    ///
    /// Reports a virtual machine that the cluster refuses once its controller has written the instance type, the
    /// preference and the default devices into it: with `instancetype.referencePolicy` set to `expand` or `expandAll`.
    ///
    /// ## Why it matters
    ///
    /// The machine as written is stored. The update with the expanded one passes the same webhooks and is refused at
    /// every sync, so that nothing ever starts.
    ///
    /// KubeVirt's update: [`handleExpand`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/instancetype/controller/vm/controller.go).
    ///
    /// ## Example
    ///
    /// ```yaml,configuration
    /// instancetype:
    ///   referencePolicy: expand
    /// developerConfiguration:
    ///   featureGates: [InstancetypeReferencePolicy]
    /// ```
    ///
    /// ```yaml,bad
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata:
    ///   name: web
    /// spec:
    ///   runStrategy: Always
    ///   preference:
    ///     kind: VirtualMachinePreference
    ///     name: old
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    ///         memory:
    ///           guest: 1Gi
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ---
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachinePreference
    /// metadata:
    ///   name: old
    /// spec:
    ///   devices:
    ///     preferredDiskBus: ide
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.disks[0].disk.bus: IDE bus is not supported
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata:
    ///   name: web
    /// spec:
    ///   runStrategy: Always
    ///   preference:
    ///     kind: VirtualMachinePreference
    ///     name: new
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    ///         memory:
    ///           guest: 1Gi
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ---
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachinePreference
    /// metadata:
    ///   name: new
    /// spec:
    ///   devices:
    ///     preferredDiskBus: virtio
    /// ```
    "refused-expansion": "the cluster refuses the virtual machine that its controller expands"
}

/// Takes over what the webhook of virtual machines says to the expanded one.
pub(super) fn refused<'c>(given: impl IntoIterator<Item = &'c Cause>, causes: &mut Causes) {
    for cause in given {
        RULE.refuse_for(causes, cause.clone());
    }
}
