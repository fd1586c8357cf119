//! A DataVolume template has no source, or several.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports an entry of `dataVolumeTemplates` that names no source, that names a `source` or `sourceRef` beside a
    /// `dataSource` or `dataSourceRef` of its claim, or whose `source` is empty or names several.
    ///
    /// ## Why it matters
    ///
    /// A disk is filled from one place. An empty one is `source: {blank: {}}`.
    ///
    /// KubeVirt's check: [`validateDataVolume`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/storage/admitters/data-volume-template.go).
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
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           dataVolume:
    ///             name: web-root
    /// ```
    ///
    /// ```text
    /// spec.dataVolumeTemplate[0].source.sourceRef: Data volume should have either Source, SourceRef, or be externally populated
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
    "data-volume-template-source": "a DataVolume template has no source, or several"
}

/// Whether the template is in order so far.
pub(in crate::rules) fn check(template: Item<'_>, causes: &mut Causes) -> bool {
    let spec = |key: &str| template.get("spec").and_then(|spec| spec.get(key));
    let claim = spec("pvc").or_else(|| spec("storage"));
    let populated = claim.is_some_and(|claim| {
        ["dataSourceRef", "dataSource"]
            .into_iter()
            .any(|key| claim.get(key).is_some())
    });
    let source = spec("source");
    let filled = source.is_some() || spec("sourceRef").is_some();
    let sources = source.map_or(1, |source| source.entries().len());
    if sources == 1 && populated != filled {
        return true;
    }
    let field = FieldPath::from("spec.dataVolumeTemplate").index(template.index);
    let (field, message, help) = match (populated, filled) {
        (true, true) => (
            field.field("source"),
            "External population is incompatible with Source and SourceRef",
            "keep either `source` or the claim's `dataSourceRef`",
        ),
        (false, false) => (
            field.then("source.sourceRef"),
            "Data volume should have either Source, SourceRef, or be externally populated",
            "name a `source` or `sourceRef`; an empty disk is `source: {blank: {}}`",
        ),
        _ if sources == 0 => (
            field.field("source"),
            "Missing dataVolume valid source",
            "name what to fill the disk from; an empty disk is `source: {blank: {}}`",
        ),
        _ if sources > 1 => (
            field.field("source"),
            "Multiple dataVolume sources",
            "keep one source",
        ),
        _ => return true,
    };
    let mut place = template.at("spec");
    if source.is_some() {
        place = place.field("source");
    }
    RULE.refuse(causes, field)
        .because(message)
        .at(place)
        .help(help);
    false
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::words;

    #[test]
    fn a_disk_is_filled_from_one_place() {
        let fields = |spec: serde_json::Value| {
            let vm = json!({"spec": {"dataVolumeTemplates": [{"metadata": {"name": "a"}, "spec": spec}], "template": {"spec": {"volumes": [{"name": "a", "dataVolume": {"name": "a"}}]}}}});
            words(&RULE, Release::V1_9, &vm, &json!({}))
                .into_iter()
                .map(|(_, message)| message)
                .collect::<Vec<_>>()
        };
        let populated = json!({"dataSourceRef": {"kind": "Other", "name": "x"}});
        assert!(fields(json!({"storage": populated})).is_empty());
        assert_eq!(
            fields(json!({"storage": populated, "source": {"blank": {}}})),
            ["External population is incompatible with Source and SourceRef"]
        );
        assert_eq!(
            fields(json!({"pvc": {}, "source": {}})),
            ["Missing dataVolume valid source"]
        );
        assert_eq!(
            fields(json!({"pvc": {}, "source": {"blank": {}, "http": {"url": "u"}}})),
            ["Multiple dataVolume sources"]
        );
    }
}
