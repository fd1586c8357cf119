//! The names of VM and instance type are too long together.

use super::prelude::*;
use crate::resource::Resource;
use crate::stored::{LATEST, Matcher};

rule! {
    /// ## What it does
    ///
    /// Reports a virtual machine whose name and that of its instance type, or of its preference, have more than 205
    /// characters together.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt keeps both under a name made of the two, the object's uid and its generation. The API server takes no
    /// name of more than 253 characters: the controller fails, and the machine never starts.
    ///
    /// KubeVirt's name: [`GenerateName`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/instancetype/revision/store.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata:
    ///   name: <200 bytes>
    /// spec:
    ///   runStrategy: Always
    ///   instancetype:
    ///     kind: VirtualMachineInstancetype
    ///     name: medium
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    /// ---
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachineInstancetype
    /// metadata:
    ///   name: medium
    /// spec:
    ///   cpu:
    ///     guest: 2
    ///   memory:
    ///     guest: 2Gi
    /// ```
    ///
    /// ```text
    /// metadata.name: Invalid value: must be no more than 253 characters
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata:
    ///   name: <199 bytes>
    /// spec:
    ///   runStrategy: Always
    ///   instancetype:
    ///     kind: VirtualMachineInstancetype
    ///     name: medium
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    /// ---
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachineInstancetype
    /// metadata:
    ///   name: medium
    /// spec:
    ///   cpu:
    ///     guest: 2
    ///   memory:
    ///     guest: 2Gi
    /// ```
    ///
    /// ## Limits
    ///
    /// Where the cluster's configuration is not known, the finding is `depends-on-configuration`: a cluster that expands
    /// references keeps no revisions.
    "revision-name-too-long": "the names of virtual machine and instance type are too long together"
}

/// Most characters of a name.
const MOST: usize = 253;

/// Characters of a uid.
const UID: usize = 36;

pub(super) fn check(vm: &Node, matcher: Matcher, object: &Resource, causes: &mut Causes) {
    let generation = object.node.int_at("metadata.generation").max(1).to_string();
    let parts = [
        vm.str_at("metadata.name").len(),
        object.id.name.len(),
        LATEST.len(),
        UID,
        generation.len(),
    ];
    let length = parts.iter().sum::<usize>() + parts.len() - 1;
    if length > MOST {
        RULE.refuse(causes, "metadata.name")
            .because(format!(
                "Invalid value: must be no more than {MOST} characters"
            ))
            .at(FieldPath::from("spec").field(matcher.field()).field("name"))
            .setting("`instancetype.referencePolicy`")
            .help(format!("shorten one of the names by {}", length - MOST));
    }
}
