//! A volume does not name its ConfigMap, Secret or service account.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `configMap`, `secret` and `serviceAccount` volumes that name none.
    ///
    /// ## Why it matters
    ///
    /// There is nothing to take the data from.
    ///
    /// KubeVirt's check: [`validateVolumes`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: config
    ///           configMap: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[0].configMap.name: spec.template.spec.volumes[0].configMap.name is a required field
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: config
    ///           configMap:
    ///             name: web
    /// ```
    "volume-source-without-name": "a volume does not name its ConfigMap, Secret or service account"
}

pub(super) fn check(volume: Item<'_>, causes: &mut Causes) {
    for (source, key) in [
        ("configMap", "name"),
        ("secret", "secretName"),
        ("serviceAccount", "serviceAccountName"),
    ] {
        let source_node = volume.get(source);
        if source_node.is_some_and(|node| node.str_at(key).is_empty()) {
            let field = volume.at(source).field(key);
            RULE.refuse(causes, &field)
                .because(format!("{field} is a required field"));
        }
    }
}
