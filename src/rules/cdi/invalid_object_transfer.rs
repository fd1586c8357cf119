//! An ObjectTransfer does not say what to move where.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports an ObjectTransfer whose `target` has neither `namespace` nor `name`, or whose source is neither a DataVolume nor a
    /// PersistentVolumeClaim.
    ///
    /// ## Why it matters
    ///
    /// The object would stay where it is.
    ///
    /// CDI's check: [`Admit`](https://github.com/kubevirt/containerized-data-importer/blob/v1.66.0/pkg/apiserver/webhooks/transfer-validate.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: ObjectTransfer
    /// metadata:
    ///   name: move
    /// spec:
    ///   source:
    ///     kind: DataVolume
    ///     namespace: old
    ///     name: root
    ///   target: {}
    /// ```
    ///
    /// ```text
    /// Target namespace and/or target name must be supplied
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: ObjectTransfer
    /// metadata:
    ///   name: move
    /// spec:
    ///   source:
    ///     kind: DataVolume
    ///     namespace: old
    ///     name: root
    ///   target:
    ///     namespace: new
    /// ```
    "invalid-object-transfer": "an ObjectTransfer does not say what to move where"
}

pub(super) fn check(spec: &Node, causes: &mut Causes) {
    let target = |key: &str| {
        spec.path("target")
            .and_then(|target| target.get(key))
            .is_some()
    };
    let kind = spec.str_at("source.kind");
    let (place, message, help) = if !target("namespace") && !target("name") {
        (
            "spec.target",
            "Target namespace and/or target name must be supplied".to_owned(),
            "name where it goes",
        )
    } else if !["DataVolume", "PersistentVolumeClaim"].contains(&kind) {
        (
            "spec.source.kind",
            format!("Unsupported kind {kind:?}"),
            "write `DataVolume` or `PersistentVolumeClaim`",
        )
    } else {
        return;
    };
    RULE.refuse(causes, place)
        .because(message)
        .named("")
        .help(help);
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::super::review::tests::object_said;

    #[test]
    fn what_moves_and_where_is_said() {
        let of = |kind: &str, target: Json| {
            let spec =
                json!({"source": {"kind": kind, "name": "a", "namespace": "b"}, "target": target});
            object_said(
                "1.66",
                "ObjectTransfer",
                &json!({"metadata": {"name": "a"}, "spec": spec}),
            )
            .join("")
        };
        assert_eq!(of("DataVolume", json!({"name": "c"})), "");
        assert_eq!(of("PersistentVolumeClaim", json!({"namespace": "c"})), "");
        assert_eq!(
            of("DataVolume", json!({})),
            "Target namespace and/or target name must be supplied"
        );
        assert_eq!(of("Pod", json!({"name": "c"})), "Unsupported kind \"Pod\"");
    }
}
