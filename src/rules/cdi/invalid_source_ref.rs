//! A `sourceRef` names no DataSource.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `sourceRef` of a DataVolume, or of an entry of `dataVolumeTemplates`, whose `kind` is not `DataSource` or that has no `name`.
    ///
    /// ## Why it matters
    ///
    /// CDI looks a DataSource up and clones what it points to. It knows no other kind.
    ///
    /// CDI's check: [`validateSourceRef`](https://github.com/kubevirt/containerized-data-importer/blob/v1.66.0/pkg/apiserver/webhooks/datavolume-validate.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: DataVolume
    /// metadata:
    ///   name: root
    /// spec:
    ///   sourceRef:
    ///     kind: DataVolume
    ///     name: fedora
    ///   storage:
    ///     resources:
    ///       requests:
    ///         storage: 10Gi
    /// ```
    ///
    /// ```text
    /// spec.sourceRef.Kind: Unsupported sourceRef kind DataVolume, currently only DataSource is supported
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: DataVolume
    /// metadata:
    ///   name: root
    /// spec:
    ///   sourceRef:
    ///     kind: DataSource
    ///     name: fedora
    ///   storage:
    ///     resources:
    ///       requests:
    ///         storage: 10Gi
    /// ```
    "invalid-source-ref": "a `sourceRef` names no DataSource"
}

pub(super) fn check(volume: &Volume<'_>, causes: &mut Causes) {
    let Some(reference) = volume.node.get("sourceRef") else {
        return;
    };
    let (kind, name) = (reference.str_at("kind"), reference.str_at("name"));
    let (field, place, message) = match kind {
        "" => (
            "sourceRef.Kind",
            "sourceRef.kind",
            "Missing sourceRef kind".to_owned(),
        ),
        "DataSource" if name.is_empty() => (
            "sourceRef.Name",
            "sourceRef.name",
            "Missing sourceRef name".to_owned(),
        ),
        "DataSource" => return,
        _ => (
            "sourceRef.Kind",
            "sourceRef.kind",
            format!("Unsupported sourceRef kind {kind}, currently only DataSource is supported"),
        ),
    };
    volume
        .refuse(&RULE, causes, field, place, message)
        .help("write `kind: DataSource` and its name; a claim is cloned by `source.pvc`");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::review::tests::said;

    #[test]
    fn only_a_data_source_is_named() {
        let of = |kind: &str, name: &str| {
            let reference = json!({"kind": kind, "name": name});
            said("1.66", &json!({"sourceRef": reference, "storage": {}})).join("")
        };
        assert_eq!(of("DataSource", "a"), "");
        assert_eq!(of("", "a"), "Missing sourceRef kind");
        assert_eq!(of("DataSource", ""), "Missing sourceRef name");
        assert_eq!(
            of("datasource", ""),
            "Unsupported sourceRef kind datasource, currently only DataSource is supported"
        );
    }
}
