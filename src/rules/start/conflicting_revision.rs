//! The tree has a revision of the name that KubeVirt gives its own.

use super::prelude::*;
use crate::resolve::{Resolution, Resolved, Resolver};
use crate::stored::{self, Matcher};
use crate::transform::upgrade::capture;

rule! {
    /// ## What it does
    ///
    /// Reports a `ControllerRevision` of the name under which KubeVirt keeps the instance type or preference of a virtual
    /// machine, where it holds another one.
    ///
    /// ## Why it matters
    ///
    /// The name is made of the virtual machine's and the object's name, uid and generation. The controller finds the
    /// revision, compares it with the object and gives up: the machine never starts.
    ///
    /// KubeVirt's check: [`storeControllerRevision`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/instancetype/revision/store.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,with=runtime-data
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata:
    ///   name: web
    /// spec:
    ///   runStrategy: Always
    ///   instancetype:
    ///     kind: VirtualMachineInstancetype
    ///     name: small
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    /// ---
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachineInstancetype
    /// metadata:
    ///   name: small
    ///   uid: 9e1f3c1a-0000-4000-8000-000000000001
    ///   generation: 2
    /// spec:
    ///   cpu:
    ///     guest: 2
    ///   memory:
    ///     guest: 2Gi
    /// ---
    /// apiVersion: apps/v1
    /// kind: ControllerRevision
    /// metadata:
    ///   name: web-small-v1beta1-9e1f3c1a-0000-4000-8000-000000000001-2
    ///   labels:
    ///     instancetype.kubevirt.io/object-name: small
    /// data:
    ///   apiVersion: instancetype.kubevirt.io/v1beta1
    ///   kind: VirtualMachineInstancetype
    ///   metadata:
    ///     name: small
    ///   spec:
    ///     cpu:
    ///       guest: 1
    ///     memory:
    ///       guest: 1Gi
    /// revision: 0
    /// ```
    ///
    /// ```text
    /// found existing ControllerRevision with unexpected data: web-small-v1beta1-9e1f3c1a-0000-4000-8000-000000000001-2
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   runStrategy: Always
    /// ```
    ///
    /// ## Limits
    ///
    /// Only objects that are written with their uid can be told. Where the cluster's configuration is not known, the
    /// finding is `depends-on-configuration`: a cluster that expands references keeps no revisions.
    "conflicting-revision": "the tree has a revision of the name that KubeVirt gives its own"
}

/// Looks for the revision that the controller would make of the object that a matcher of `vm` leads to.
pub(super) fn check(
    vm: &Node,
    namespace: &str,
    matcher: Matcher,
    found: &Resolved<'_>,
    resolver: &Resolver<'_>,
    causes: &mut Causes,
) {
    let release = resolver.release();
    if found.resource.node.str_at("metadata.uid").is_empty() {
        return;
    }
    let revision = capture::revision_of(resolver, vm, found);
    let name = revision.str_at("metadata.name");
    let held = resolver.find("apps", "ControllerRevision", Some(namespace), name);
    let Resolution::Found(held) = held else {
        return;
    };
    let data = held.node.get("data").cloned().unwrap_or_else(Node::map);
    let words = match stored::decode_spec(release, &data, matcher) {
        Ok(spec) if spec.same_value(&found.spec.node) => return,
        Ok(_) | Err(stored::StoredError::Unexpected(_)) => {
            format!("found existing ControllerRevision with unexpected data: {name}")
        }
        Err(error) => error.to_string(),
    };
    RULE.refuse(causes, "")
        .because(words)
        .at(FieldPath::from("spec").field(matcher.field()).field("name"))
        .setting("`instancetype.referencePolicy`")
        .help(format!(
            "remove ControllerRevision {name}: KubeVirt makes its own"
        ));
}
