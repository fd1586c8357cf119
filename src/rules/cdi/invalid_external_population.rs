//! A DataVolume that something else fills does not say by what.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a DataVolume, or an entry of `dataVolumeTemplates`, whose claim has a `dataSource` or `dataSourceRef` and whose `source` or
    /// `sourceRef` says otherwise, or where the reference lacks its name, kind or API group, names a namespace, or differs between the
    /// two.
    ///
    /// ## Why it matters
    ///
    /// A volume populator fills the claim, and CDI hands the reference on to it.
    ///
    /// CDI's check: [`validateExternalPopulation`](https://github.com/kubevirt/containerized-data-importer/blob/v1.66.0/pkg/apiserver/webhooks/datavolume-validate.go).
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
    ///     dataSourceRef:
    ///       kind: VolumeSnapshot
    ///       name: nightly
    ///     resources:
    ///       requests:
    ///         storage: 10Gi
    /// ```
    ///
    /// ```text
    /// spec.dataSourceRef.apiGroup: Required value: DataSourceRef apiGroup when kind is not 'PersistentVolumeClaim'
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: DataVolume
    /// metadata:
    ///   name: root
    /// spec:
    ///   storage:
    ///     dataSourceRef:
    ///       apiGroup: snapshot.storage.k8s.io
    ///       kind: VolumeSnapshot
    ///       name: nightly
    ///     resources:
    ///       requests:
    ///         storage: 10Gi
    /// ```
    "invalid-external-population": "a DataVolume that something else fills does not say by what"
}

/// Whether something else than CDI fills the volume.
pub(super) fn check(volume: &Volume<'_>, causes: &mut Causes) -> bool {
    let Some((key, claim)) = volume.claim() else {
        return false;
    };
    let (source, reference) = (claim.get("dataSource"), claim.get("dataSourceRef"));
    if source.is_none() && reference.is_none() {
        return false;
    }
    let filled = ["source", "sourceRef"].into_iter();
    if let Some(filled) = filled
        .into_iter()
        .find(|key| volume.node.get(key).is_some())
    {
        let message = "External population is incompatible with Source and SourceRef";
        volume
            .refuse(&RULE, causes, "source", filled, message)
            .help("keep either `source` or the claim's `dataSourceRef`");
    }
    let at = |field: &str| format!("{key}.{field}");
    // Values of two types are never equal to Go: both together are always a difference.
    if source.is_some() && reference.is_some() {
        let message = "DataSourceRef and DataSource must match";
        volume
            .refuse(&RULE, causes, "", &at("dataSource"), message)
            .named("")
            .help("keep `dataSourceRef` alone");
    }
    for (field, word, reference) in [
        ("dataSource", "DataSource", source),
        ("dataSourceRef", "DataSourceRef", reference),
    ] {
        let Some(reference) = reference else { continue };
        let mut refuse = |part: &str, message: String, help: &str| {
            let name = format!("{field}.{part}");
            let place = at(&name);
            volume
                .refuse(&RULE, causes, &name, &place, message)
                .help(help);
        };
        let text = |part: &str| reference.str_at(part);
        if field == "dataSourceRef" && !text("namespace").is_empty() {
            let message = "Invalid value: DataSourceRef namespace not supported";
            refuse("namespace", message.to_owned(), "leave the namespace out");
        }
        for part in ["name", "kind"] {
            if text(part).is_empty() {
                let message = format!("Required value: {word} {part}");
                refuse(part, message, "name the object that fills the claim");
            }
        }
        if text("apiGroup").is_empty() && text("kind") != "PersistentVolumeClaim" {
            let message =
                format!("Required value: {word} apiGroup when kind is not 'PersistentVolumeClaim'");
            let help = "name the kind's API group: `snapshot.storage.k8s.io`";
            refuse("apiGroup", message, help);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::super::review::tests::said;

    #[test]
    fn the_reference_is_whole_and_alone() {
        let of = |claim: Json| {
            let mut claim = claim;
            claim["resources"] = json!({"requests": {"storage": "1Gi"}});
            said("1.66", &json!({"storage": claim}))
        };
        let claim = json!({"kind": "PersistentVolumeClaim", "name": "a"});
        assert!(of(json!({"dataSource": claim})).is_empty());
        assert!(of(json!({"dataSourceRef": claim})).is_empty());
        assert_eq!(
            of(json!({"dataSource": claim, "dataSourceRef": claim})),
            ["DataSourceRef and DataSource must match"]
        );
        assert_eq!(
            of(json!({"dataSourceRef": {"kind": "Other", "name": "", "namespace": "x"}})),
            [
                "Invalid value: DataSourceRef namespace not supported",
                "Required value: DataSourceRef name",
                "Required value: DataSourceRef apiGroup when kind is not 'PersistentVolumeClaim'",
            ]
        );
    }
}
