//! The template has a resource version.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `resourceVersion` in `template.metadata`, as `kubectl get -o yaml` of an instance leaves it.
    ///
    /// ## Why it matters
    ///
    /// The instance that is made of the template gets it, and the API server creates no object that has one.
    ///
    /// Kubernetes' check: [`Create`](https://github.com/kubernetes/apiserver/blob/v0.33.0/pkg/storage/etcd3/store.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,with=runtime-data
    /// spec:
    ///   template:
    ///     metadata:
    ///       resourceVersion: "4711"
    /// ```
    ///
    /// ```text
    /// metadata.resourceVersion: resourceVersion should not be set on objects to be created
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     metadata:
    ///       labels:
    ///         app: web
    /// ```
    "guest-resource-version": "the template has a resource version"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let version = guest.metadata("resourceVersion").and_then(Node::as_str);
    if version.is_some_and(|version| !version.is_empty()) {
        RULE.refuse(causes, guest.metadata_at("resourceVersion"))
            .because("resourceVersion should not be set on objects to be created")
            .help("remove `resourceVersion`");
    }
}
