//! A volume does not name its ConfigMap, Secret or service account.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::AdmittedGuest;
use crate::yaml::Node;

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

pub(super) fn check(guest: AdmittedGuest<'_>, at: usize, volume: &Node, causes: &mut Causes) {
    for (source, key) in [
        ("configMap", "name"),
        ("secret", "secretName"),
        ("serviceAccount", "serviceAccountName"),
    ] {
        let source_node = volume.get(source);
        if source_node.is_some_and(|node| node.str_at(key).is_empty()) {
            let field = guest.at("volumes").index(at).field(source).field(key);
            let message = format!("{field} is a required field");
            causes.push(&RULE, field, message);
        }
    }
}
