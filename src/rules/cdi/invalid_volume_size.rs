//! A DataVolume has no size, or too small a one.

use super::prelude::*;
use crate::resource::quantity::Quantity;

rule! {
    /// ## What it does
    ///
    /// Reports a DataVolume, or an entry of `dataVolumeTemplates`, whose `pvc` or `storage` requests no `storage`, nothing, or, from CDI
    /// 1.60 on, less than 1Mi. With `storage`, a clone (`source.pvc`, `source.snapshot`, `sourceRef`) may leave the size to its source.
    ///
    /// ## Why it matters
    ///
    /// CDI makes the claim with that size. A virtual machine with such a template is stored and waits for its disk for ever.
    ///
    /// CDI's check: [`validateStorageSize`](https://github.com/kubevirt/containerized-data-importer/blob/v1.66.0/pkg/apiserver/webhooks/datavolume-validate.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: DataVolume
    /// metadata:
    ///   name: root
    /// spec:
    ///   source:
    ///     blank: {}
    ///   storage:
    ///     storageClassName: fast
    /// ```
    ///
    /// ```text
    /// spec.Storage.resources.requests.size: Storage size is missing
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
    ///   storage: {}
    /// ```
    "invalid-volume-size": "a DataVolume has no size, or too small a one"
}

pub(super) fn check(volume: &Volume<'_>, causes: &mut Causes) {
    let Some((key, claim)) = volume.claim() else {
        return;
    };
    let name = if key == "pvc" { "PVC" } else { "Storage" };
    let requests = claim.path("resources.requests");
    let size = requests.and_then(|requests| requests.get("storage"));
    let is_clone = volume.node.get("sourceRef").is_some()
        || ["pvc", "snapshot"]
            .into_iter()
            .any(|kind| volume.source(kind).is_some());
    let field = format!("{name}.resources.requests.size");
    let place = format!("{key}.resources.requests.storage");
    let Some(size) = size.and_then(Quantity::from_node) else {
        if key == "pvc" || !is_clone {
            let message = format!("{name} size is missing");
            volume
                .refuse(&RULE, causes, &field, &place, message)
                .help("state the size under `resources.requests.storage`");
        }
        return;
    };
    let bytes = size.value();
    if bytes <= 0 {
        let message = format!("{name} size can't be equal or less than zero");
        volume
            .refuse(&RULE, causes, &field, &place, message)
            .help("give the disk a size");
    } else if bytes < MEBIBYTE && volume.cdi.has(CdiBehaviour::LeastSize) {
        let message = format!("{name} size should be at least 1MiB");
        let hit = volume.refuse(&RULE, causes, &field, &place, message);
        volume.cdi.since(hit, CdiBehaviour::LeastSize);
        hit.help("give the disk at least `1Mi`; a suffix may be missing");
    }
}

const MEBIBYTE: i64 = 1 << 20;

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::super::review::tests::said;

    #[test]
    fn a_disk_has_at_least_a_mebibyte() {
        let of = |cdi: &str, size: Json| {
            let claim = json!({"resources": {"requests": {"storage": size}}});
            said(cdi, &json!({"source": {"blank": {}}, "storage": claim})).join("")
        };
        assert_eq!(of("1.66", json!("1Mi")), "");
        assert_eq!(
            of("1.66", json!("1023Ki")),
            "Storage size should be at least 1MiB"
        );
        assert_eq!(of("1.59", json!("1023Ki")), "");
        assert_eq!(
            of("1.59", json!(0)),
            "Storage size can't be equal or less than zero"
        );
        assert_eq!(
            of("1.66", json!("-1Gi")),
            "Storage size can't be equal or less than zero"
        );
        assert_eq!(
            of("1.66", json!("1m")),
            "Storage size should be at least 1MiB"
        );
    }

    #[test]
    fn a_clone_may_leave_the_size_to_its_source() {
        let of = |key: &str, source: Json| {
            let mut spec = json!({"source": source});
            spec[key] = json!({"accessModes": ["ReadWriteOnce"]});
            said("1.66", &spec)
        };
        let claim = json!({"pvc": {"name": "a", "namespace": "b"}});
        let snapshot = json!({"snapshot": {"name": "a", "namespace": "b"}});
        assert!(of("storage", claim.clone()).is_empty());
        assert!(of("storage", snapshot).is_empty());
        assert_eq!(of("pvc", claim), ["PVC size is missing"]);
        assert_eq!(
            of("storage", json!({"blank": {}})),
            ["Storage size is missing"]
        );
        let reference = json!({"sourceRef": {"kind": "DataSource", "name": "a"}, "storage": {}});
        assert!(said("1.66", &reference).is_empty());
    }
}
