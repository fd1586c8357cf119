//! No volume uses the DataVolume template.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports an entry of `dataVolumeTemplates` that no volume names, as `dataVolume` or as `persistentVolumeClaim`.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt would make a disk nobody uses, and takes it for a slip in one of the names.
    ///
    /// KubeVirt's check: [`ValidateDataVolumeTemplate`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/storage/admitters/data-volume-template.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
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
    ///             name: other
    /// ```
    ///
    /// ```text
    /// spec.dataVolumeTemplate[0]: DataVolumeTemplate entry spec.dataVolumeTemplate[0] must be referenced in the VMI template's 'volumes' list
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
    "unreferenced-data-volume-template": "no volume uses the DataVolume template"
}

pub(super) fn check(guest: AdmittedGuest<'_>, template: Item<'_>, causes: &mut Causes) {
    let name = template.str_at("metadata.name");
    let used = guest.volumes().iter().any(|volume| {
        let claim = volume.get("persistentVolumeClaim");
        claim.is_some_and(|claim| claim.str_at("claimName") == name)
            || volume
                .get("dataVolume")
                .is_some_and(|source| named(source, name))
    });
    if !used {
        let field = FieldPath::from("spec.dataVolumeTemplate").index(template.index);
        RULE.refuse(causes, &field)
            .because(format!("DataVolumeTemplate entry {field} must be referenced in the VMI template's 'volumes' list"))
            .at(template.at("metadata.name"))
            .help(format!(
                "add a volume with `dataVolume: {{name: {name}}}`, or remove the template"
            ));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::release::Release;

    /// Behaviour B12: name non-empty; exactly one of pvc and storage; one source; referenced by some volume.
    #[test]
    fn a_data_volume_template_is_whole_and_used() {
        use crate::rules::testing::rules;
        let storage = json!({"storage": {}, "source": {"blank": {}}});
        for (name, spec, volume, expected) in [
            ("", storage.clone(), "web", "unnamed-data-volume-template"),
            (
                "web",
                json!({"source": {"blank": {}}}),
                "web",
                "data-volume-template-storage",
            ),
            (
                "web",
                json!({"storage": {}, "pvc": {}, "source": {"blank": {}}}),
                "web",
                "data-volume-template-storage",
            ),
            (
                "web",
                json!({"storage": {}}),
                "web",
                "data-volume-template-source",
            ),
            ("web", storage, "db", "unreferenced-data-volume-template"),
        ] {
            let vm = json!({"spec": {"dataVolumeTemplates": [{"metadata": {"name": name}, "spec": spec}], "template": {"spec": {"volumes": [{"name": "root", "persistentVolumeClaim": {"claimName": volume}}]}}}});
            assert_eq!(rules(Release::V1_9, &vm, &json!({})), [expected]);
        }
    }
}
