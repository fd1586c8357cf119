//! A label of the guest is reserved for KubeVirt.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports labels under `spec.template.metadata.labels` that only KubeVirt may set: `kubevirt.io/created-by`,
    /// `kubevirt.io/migrationJobUID`, `kubevirt.io/nodeName`, `kubevirt.io/migrationTargetNodeName`,
    /// `kubevirt.io/schedulable` and `kubevirt.io/install-strategy`.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt tells its own pods and guests apart by these labels, and the webhook refuses them from anybody but its
    /// own service accounts. They usually got into the manifest by copying a running VirtualMachineInstance.
    ///
    /// KubeVirt's check: [`ValidateVirtualMachineInstanceMetadata`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     metadata:
    ///       labels:
    ///         kubevirt.io/nodeName: node-1
    /// ```
    ///
    /// ```text
    /// spec.template.metadata.labels: creation of the following reserved kubevirt.io/ labels on a VMI object is prohibited
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     metadata:
    ///       labels:
    ///         app: web
    /// ```
    "reserved-guest-label": "a label of the guest is reserved for KubeVirt"
}

/// Labels that only KubeVirt's own service accounts may set.
const RESERVED: [&str; 6] = [
    "kubevirt.io/created-by",
    "kubevirt.io/migrationJobUID",
    "kubevirt.io/nodeName",
    "kubevirt.io/migrationTargetNodeName",
    "kubevirt.io/schedulable",
    "kubevirt.io/install-strategy",
];

pub(in crate::rules) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let labels = guest.metadata("labels");
    let reserved = labels
        .map(Node::entries)
        .unwrap_or_default()
        .iter()
        .find(|label| RESERVED.contains(&label.key.as_str()));
    if let Some(label) = reserved {
        RULE.refuse(causes, guest.metadata_at("labels"))
            .because("creation of the following reserved kubevirt.io/ labels on a VMI object is prohibited")
            .at(guest.metadata_at("labels").field(&label.key))
            .help(format!("remove the label `{}`", label.key));
    }
}
