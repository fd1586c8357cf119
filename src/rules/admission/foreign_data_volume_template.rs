//! A DataVolume template belongs to another namespace.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports an entry of `dataVolumeTemplates` whose `metadata.namespace` is not the VM's.
    ///
    /// ## Why it matters
    ///
    /// The DataVolume is made beside its VM. On an update KubeVirt looks only where the templates changed.
    ///
    /// KubeVirt's check: [`validateVirtualMachineDataVolumeTemplateNamespace`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/storage/admitters/data-volume-template.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   dataVolumeTemplates:
    ///     - metadata:
    ///         name: web-root
    ///         namespace: images
    ///       spec:
    ///         storage:
    ///           resources:
    ///             requests:
    ///               storage: 10Gi
    ///         source:
    ///           registry:
    ///             url: docker://example.com/fedora:42
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           dataVolume:
    ///             name: web-root
    /// ```
    ///
    /// ```text
    /// spec.dataVolumeTemplates[0]: Embedded DataVolume namespace images differs from VM namespace default
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   dataVolumeTemplates:
    ///     - metadata:
    ///         name: web-root
    ///       spec:
    ///         storage:
    ///           resources:
    ///             requests:
    ///               storage: 10Gi
    ///         source:
    ///           registry:
    ///             url: docker://example.com/fedora:42
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           dataVolume:
    ///             name: web-root
    /// ```
    "foreign-data-volume-template": "a DataVolume template belongs to another namespace"
}

/// `old` is the VM before an update; `namespace` the VM's.
pub(super) fn check(
    guest: AdmittedGuest<'_>,
    old: Option<&Node>,
    namespace: &str,
    causes: &mut Causes,
) {
    let templates = guest.vm.items_at("dataVolumeTemplates");
    if let Some(old) = old {
        let before = old.path("spec.dataVolumeTemplates").map(Node::items);
        let before = before.unwrap_or_default();
        let same = before.len() == templates.len()
            && before.iter().zip(templates).all(|(a, b)| a.same_value(b));
        if same {
            return;
        }
    }
    for template in guest.templates() {
        let theirs = template.str_at("metadata.namespace");
        if !theirs.is_empty() && theirs != namespace {
            RULE.refuse(causes, template.place())
                .because(format!(
                    "Embedded DataVolume namespace {theirs} differs from VM namespace {namespace}"
                ))
                .at(template.at("metadata.namespace"))
                .help("leave the namespace out");
        }
    }
}
