//! A source has no URL that CDI can read.

use super::prelude::*;
use super::url;

rule! {
    /// ## What it does
    ///
    /// Reports the `url` of an `http`, `s3`, `gcs`, `imageio` or `vddk` source that is empty, no URL, or of another scheme than `http`,
    /// `https` and `gs`.
    ///
    /// ## Why it matters
    ///
    /// The importer fetches the disk from there.
    ///
    /// CDI's check: [`validateSourceURL`](https://github.com/kubevirt/containerized-data-importer/blob/v1.66.0/pkg/apiserver/webhooks/util.go).
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
    ///     http:
    ///       url: s3://images/fedora.qcow2
    ///   storage:
    ///     resources:
    ///       requests:
    ///         storage: 10Gi
    /// ```
    ///
    /// ```text
    /// spec.source.HTTP.url: spec.source Invalid source URL scheme: s3://images/fedora.qcow2
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: DataVolume
    /// metadata:
    ///   name: root
    /// spec:
    ///   source:
    ///     http:
    ///       url: https://example.com/fedora.qcow2
    ///   storage:
    ///     resources:
    ///       requests:
    ///         storage: 10Gi
    /// ```
    "invalid-source-url": "a source has no URL that CDI can read"
}

/// What CDI calls the sources with a URL, by their key.
const NAMED: [(&str, &str); 5] = [
    ("http", "HTTP"),
    ("s3", "S3"),
    ("gcs", "GCS"),
    ("imageio", "ImageIO"),
    ("vddk", "VDDK"),
];

pub(super) fn check(volume: &Volume<'_>, kind: &str, causes: &mut Causes) {
    let Some(source) = volume.source(kind) else {
        return;
    };
    let Some((_, word)) = NAMED.iter().find(|(key, _)| *key == kind) else {
        return;
    };
    let text = source.str_at("url");
    let wrong = match url::of_request(text) {
        _ if text.is_empty() => "source URL is empty".to_owned(),
        None => format!("Invalid source URL: {text}"),
        Some(scheme) if ["http", "https", "gs"].contains(&scheme.as_str()) => return,
        Some(_) => format!("Invalid source URL scheme: {text}"),
    };
    let message = format!("{}.source {wrong}", volume.field);
    let (name, place) = (format!("source.{word}.url"), format!("source.{kind}.url"));
    volume
        .refuse(&RULE, causes, &name, &place, message)
        .help("write a whole URL that begins with `http://` or `https://`; `s3` and `gcs` take such URLs too");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::review::tests::said;

    #[test]
    fn a_url_is_whole_and_of_http() {
        let of = |kind: &str, url: &str| {
            let claim = json!({"resources": {"requests": {"storage": "1Gi"}}});
            said(
                "1.66",
                &json!({"source": {kind: {"url": url}}, "storage": claim}),
            )
            .join("")
        };
        for kind in ["http", "s3", "gcs"] {
            assert_eq!(of(kind, "http://a/b"), "");
            assert_eq!(of(kind, "gs://a/b"), "");
            assert_eq!(of(kind, ""), "spec.source source URL is empty");
            assert_eq!(of(kind, "a/b"), "spec.source Invalid source URL: a/b");
            assert_eq!(
                of(kind, "/a/b"),
                "spec.source Invalid source URL scheme: /a/b"
            );
            assert_eq!(
                of(kind, "ftp://a"),
                "spec.source Invalid source URL scheme: ftp://a"
            );
        }
    }
}
