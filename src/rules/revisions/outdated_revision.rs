//! A revision in a form that KubeVirt 1.7 cannot read.

use std::collections::BTreeSet;

use crate::resource::Resource;
use crate::rule::Severity;
use crate::rules::revisions::pin::revisions;
use crate::rules::{Context, Findings};
use crate::stored::{self, Form, Matcher};

rule! {
    /// ## What it does
    ///
    /// Reports ControllerRevisions that hold an instance type or preference as v1alpha1, v1alpha2 or bare spec. Where the target
    /// is KubeVirt 1.7 or later and a VM in the tree uses the revision, it is an error.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt 1.7 removed the code that reads those forms: a VM that uses such a revision fails to sync and to start, and no
    /// cluster of 1.7 can convert it any more.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: apps/v1
    /// kind: ControllerRevision
    /// metadata:
    ///   name: web-small-1
    ///   labels: {instancetype.kubevirt.io/object-name: small}
    /// data:
    ///   apiVersion: instancetype.kubevirt.io/v1alpha2
    ///   kind: VirtualMachineInstancetype
    ///   metadata: {name: small}
    ///   spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
    /// revision: 0
    /// ```
    ///
    /// ```text,kubevirt=..=1.6
    /// data: the revision holds the instance type as v1alpha2, which KubeVirt 1.7 and later cannot read
    /// ```
    ///
    /// ```text,kubevirt=1.7..
    /// data: KubeVirt RELEASE cannot read this revision: it holds the instance type as v1alpha2
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: apps/v1
    /// kind: ControllerRevision
    /// metadata:
    ///   name: web-small-1
    ///   labels: {instancetype.kubevirt.io/object-name: small}
    /// data:
    ///   apiVersion: instancetype.kubevirt.io/v1beta1
    ///   kind: VirtualMachineInstancetype
    ///   metadata: {name: small}
    ///   spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
    /// revision: 0
    /// ```
    ///
    /// ## Limits
    ///
    /// Whether VMs outside the tree use the revision cannot be seen.
    "outdated-revision": "the revision is stored in a form that KubeVirt 1.7 and later cannot read",
    level: Warning,
    check: Catalog(check),
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    let release = context.target.release;
    let mut used = BTreeSet::new();
    for resource in context.catalog.resources() {
        if resource.is("kubevirt.io", "VirtualMachine") {
            let namespace = resource.namespace_or(&context.target.namespace);
            for name in named(resource) {
                used.insert((namespace, name));
            }
        }
    }
    for (revision, data) in revisions(context.catalog) {
        let (form, what) = match stored::read(release, data, None) {
            Ok(held) if held.form != Form::V1beta1 => (held.form, held.matcher.to_string()),
            Err(stored::StoredError::Ambiguous) => {
                (Form::BareSpec, "instance type or preference".to_owned())
            }
            _ => continue,
        };
        let namespace = revision.namespace_or(&context.target.namespace);
        let unreadable = !form.decodable(release);
        let message = if unreadable {
            format!("KubeVirt {release} cannot read this revision: it holds the {what} as {form}")
        } else {
            format!(
                "the revision holds the {what} as {form}, which KubeVirt 1.7 and later cannot read"
            )
        };
        let finding = findings.report(revision, "data", message);
        if unreadable && used.contains(&(namespace, revision.id.name.as_str())) {
            finding.severity(Severity::Error);
        }
        finding.help("`driftless upgrade` writes it as v1beta1 and moves the references");
    }
}

/// The revisions a VM names, in its matchers and in an exported status.
fn named(vm: &Resource) -> impl Iterator<Item = &str> {
    let spec = vm.node.get("spec");
    let status = vm.node.get("status");
    Matcher::ALL.into_iter().flat_map(move |matcher| {
        let named = spec
            .and_then(|spec| spec.get(matcher.field()))
            .map_or("", |of| of.str_at("revisionName"));
        let held = status
            .and_then(|status| status.get(matcher.status_field()))
            .map_or("", |of| of.str_at("controllerRevisionRef.name"));
        [named, held].into_iter().filter(|name| !name.is_empty())
    })
}
