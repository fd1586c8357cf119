//! A source cannot give what `contentType` says.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `contentType: archive` beside a `blank` or `registry` source.
    ///
    /// ## Why it matters
    ///
    /// An empty disk has no archive to unpack, and a container image holds a disk.
    ///
    /// CDI's check: [`validateBlankSource`](https://github.com/kubevirt/containerized-data-importer/blob/v1.66.0/pkg/apiserver/webhooks/util.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: DataVolume
    /// metadata:
    ///   name: root
    /// spec:
    ///   contentType: archive
    ///   source:
    ///     blank: {}
    ///   storage:
    ///     resources:
    ///       requests:
    ///         storage: 10Gi
    /// ```
    ///
    /// ```text
    /// spec.contentType: SourceType cannot be blank and the contentType be archive
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: DataVolume
    /// metadata:
    ///   name: root
    /// spec:
    ///   contentType: kubevirt
    ///   source:
    ///     blank: {}
    ///   storage:
    ///     resources:
    ///       requests:
    ///         storage: 10Gi
    /// ```
    "invalid-content-type": "a source cannot give what `contentType` says"
}

pub(super) fn check(volume: &Volume<'_>, causes: &mut Causes) -> bool {
    if volume.node.str_at("contentType") != "archive" {
        return true;
    }
    let message = if volume.source("blank").is_some() {
        "SourceType cannot be blank and the contentType be archive"
    } else if volume.source("registry").is_some() {
        "ContentType must be kubevirt when Source is Registry"
    } else {
        return true;
    };
    volume
        .refuse(&RULE, causes, "contentType", "contentType", message)
        .help("leave `contentType` out");
    false
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::super::review::tests::said;

    #[test]
    fn an_archive_comes_from_where_files_are() {
        let of = |source: Json, content: &str| {
            let claim = json!({"resources": {"requests": {"storage": "1Gi"}}});
            said(
                "1.66",
                &json!({"contentType": content, "source": source, "storage": claim}),
            )
            .join("")
        };
        let registry = json!({"registry": {"url": "docker://example.com/a"}});
        assert_eq!(of(registry.clone(), "kubevirt"), "");
        assert_eq!(
            of(registry, "archive"),
            "ContentType must be kubevirt when Source is Registry"
        );
        assert_eq!(
            of(json!({"blank": {}}), "archive"),
            "SourceType cannot be blank and the contentType be archive"
        );
        assert_eq!(of(json!({"http": {"url": "http://a"}}), "archive"), "");
    }
}
