//! A `registry` source names no image that CDI can pull.

use super::prelude::*;
use super::url;

rule! {
    /// ## What it does
    ///
    /// Reports a `registry` source with neither `url` nor `imageStream`, or both; a `url` that does not begin with `docker://` or
    /// `oci-archive://`; a `pullMethod` other than `pod` and `node`; and an `imageStream` that is empty or not pulled by the node.
    ///
    /// ## Why it matters
    ///
    /// CDI pulls the image and takes the disk out of it. An image name without a scheme is the usual mistake.
    ///
    /// CDI's check: [`validateDataVolumeSourceRegistry`](https://github.com/kubevirt/containerized-data-importer/blob/v1.66.0/pkg/apiserver/webhooks/util.go).
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
    ///     registry:
    ///       url: quay.io/containerdisks/fedora:42
    ///   storage:
    ///     resources:
    ///       requests:
    ///         storage: 10Gi
    /// ```
    ///
    /// ```text
    /// spec.source.Registry.URL: Illegal registry source URL scheme quay.io/containerdisks/fedora:42
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: DataVolume
    /// metadata:
    ///   name: root
    /// spec:
    ///   source:
    ///     registry:
    ///       url: docker://quay.io/containerdisks/fedora:42
    ///   storage:
    ///     resources:
    ///       requests:
    ///         storage: 10Gi
    /// ```
    "invalid-registry-source": "a `registry` source names no image that CDI can pull"
}

pub(super) fn check(volume: &Volume<'_>, causes: &mut Causes) {
    let Some(registry) = volume.source("registry") else {
        return;
    };
    let text = |key: &str| registry.get(key).and_then(Node::as_str);
    let (written, stream, method) = (text("url"), text("imageStream"), text("pullMethod"));
    let mut refuse = |name: &str, place: &str, message: String, help: &str| {
        let (name, place) = (
            format!("source.Registry{name}"),
            format!("source.registry{place}"),
        );
        volume
            .refuse(&RULE, causes, &name, &place, message)
            .help(help);
    };
    if written.is_some() == stream.is_some() {
        let message = "Source registry should have either URL or ImageStream".to_owned();
        return refuse("", "", message, "keep one of `url` and `imageStream`");
    }
    if let Some(written) = written {
        let (words, help) = match url::of_text(written) {
            None => ("URL", "write `docker://` and the image"),
            Some(scheme) if ["docker", "oci-archive"].contains(&scheme.as_str()) => ("", ""),
            Some(_) => ("URL scheme", "write `docker://` before the image"),
        };
        if !words.is_empty() {
            let message = format!("Illegal registry source {words} {written}");
            return refuse(".URL", ".url", message, help);
        }
    }
    let (name, place) = (".importMethod", ".pullMethod");
    if let Some(method) = method.filter(|method| !["pod", "node"].contains(method)) {
        let message = format!("ImportMethod {method} is neither pod, node or \"\"");
        return refuse(
            name,
            place,
            message,
            "write `pod` or `node`, or leave it out",
        );
    }
    if stream == Some("") {
        let message = "Source registry ImageStream is not valid".to_owned();
        return refuse(name, ".imageStream", message, "name the image stream");
    }
    if stream.is_some() && method != Some("node") {
        let message =
            "Source registry ImageStream is supported only with node pull import method".to_owned();
        refuse(name, ".imageStream", message, "add `pullMethod: node`");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::super::review::tests::said;

    #[test]
    fn an_image_is_named_once_and_by_its_scheme() {
        let of = |registry: Json| {
            let claim = json!({"resources": {"requests": {"storage": "1Gi"}}});
            said(
                "1.66",
                &json!({"source": {"registry": registry}, "storage": claim}),
            )
            .join("")
        };
        for fine in [
            json!({"url": "docker://a/b:c"}),
            json!({"url": "oci-archive://a"}),
            json!({"url": "docker://a", "pullMethod": "node"}),
            json!({"imageStream": "a", "pullMethod": "node"}),
        ] {
            assert_eq!(of(fine), "");
        }
        let either = "Source registry should have either URL or ImageStream";
        for (registry, words) in [
            (json!({}), either),
            (json!({"url": "docker://a", "imageStream": "a"}), either),
            (
                json!({"url": "a/b:c"}),
                "Illegal registry source URL scheme a/b:c",
            ),
            (
                json!({"url": "https://a"}),
                "Illegal registry source URL scheme https://a",
            ),
            (
                json!({"url": "a:b/c"}),
                "Illegal registry source URL scheme a:b/c",
            ),
            (
                json!({"url": "1a:b/c"}),
                "Illegal registry source URL 1a:b/c",
            ),
            (json!({"url": ""}), "Illegal registry source URL scheme "),
            (
                json!({"url": "docker://a", "pullMethod": "x"}),
                "ImportMethod x is neither pod, node or \"\"",
            ),
            (
                json!({"imageStream": "", "pullMethod": "node"}),
                "Source registry ImageStream is not valid",
            ),
            (
                json!({"imageStream": "a"}),
                "Source registry ImageStream is supported only with node pull import method",
            ),
        ] {
            assert_eq!(of(registry), words);
        }
    }
}
