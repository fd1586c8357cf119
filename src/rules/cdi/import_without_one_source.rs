//! A DataVolume names no source, or several.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a DataVolume, a VolumeImportSource or an entry of `dataVolumeTemplates` that has no `source` or `sourceRef`, has both, or
    /// whose `source` is empty or names several.
    ///
    /// ## Why it matters
    ///
    /// A disk is filled from one place. An empty one is `source: {blank: {}}`.
    ///
    /// CDI's check: [`validateNumberOfSources`](https://github.com/kubevirt/containerized-data-importer/blob/v1.66.0/pkg/apiserver/webhooks/util.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: DataVolume
    /// metadata:
    ///   name: root
    /// spec:
    ///   storage:
    ///     resources:
    ///       requests:
    ///         storage: 10Gi
    /// ```
    ///
    /// ```text
    /// spec.source: Data volume should have either Source or SourceRef, or be externally populated
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: DataVolume
    /// metadata:
    ///   name: root
    /// spec:
    ///   source:
    ///     blank: {}
    ///   storage:
    ///     resources:
    ///       requests:
    ///         storage: 10Gi
    /// ```
    "import-without-one-source": "a DataVolume names no source, or several"
}

/// Whether the DataVolume has one of `source` and `sourceRef`.
pub(super) fn check(volume: &Volume<'_>, causes: &mut Causes) -> bool {
    let has = |key: &str| volume.node.get(key).is_some();
    if has("source") != has("sourceRef") {
        return true;
    }
    let message = "Data volume should have either Source or SourceRef, or be externally populated";
    let place = if has("source") { "source" } else { "" };
    volume
        .refuse(&RULE, causes, "source", place, message)
        .help("name one `source` or `sourceRef`; an empty disk is `source: {blank: {}}`");
    false
}

/// Whether the `source` names one; `of` is what CDI calls the object.
pub(super) fn one(volume: &Volume<'_>, of: &str, causes: &mut Causes) -> bool {
    let source = volume.node.get("source");
    let (word, help) = match source.map_or(0, |source| source.entries().len()) {
        0 => (
            format!("Missing {of} source"),
            "name what to fill the disk from; an empty disk is `source: {blank: {}}`",
        ),
        1 => return true,
        _ => (format!("Multiple {of} sources"), "keep one source"),
    };
    volume
        .refuse(&RULE, causes, "source", "source", word)
        .help(help);
    false
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::super::review::tests::said;

    #[test]
    fn a_disk_is_filled_from_one_place() {
        let of = |mut spec: Json| {
            spec["storage"] = json!({"resources": {"requests": {"storage": "1Gi"}}});
            said("1.66", &spec)
        };
        let either =
            "Data volume should have either Source or SourceRef, or be externally populated";
        let reference = json!({"kind": "DataSource", "name": "a"});
        assert!(of(json!({"sourceRef": reference})).is_empty());
        assert_eq!(of(json!({})), [either]);
        assert_eq!(
            of(json!({"source": {"blank": {}}, "sourceRef": reference})),
            [either]
        );
        assert_eq!(of(json!({"source": {}})), ["Missing Data volume source"]);
        let two = json!({"blank": {}, "upload": {}});
        assert_eq!(of(json!({"source": two})), ["Multiple Data volume sources"]);
    }
}
