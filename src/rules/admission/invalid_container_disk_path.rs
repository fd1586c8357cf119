//! A container disk's path is not a clean absolute path.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `containerDisk.path` that is `/`, relative, or has `.`, `..` or doubled slashes in it.
    ///
    /// ## Why it matters
    ///
    /// The path names the disk's file inside the image.
    ///
    /// KubeVirt's check: [`ValidatePath`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/storage/admitters/disks.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    ///             path: disk/../root.img
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[0].containerDisk: spec.template.spec.volumes[0].containerDisk must be an absolute path to a file without relative components
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    ///             path: /disk/root.img
    /// ```
    "invalid-container-disk-path": "a container disk's path is not a clean absolute path"
}

/// What is wrong with a path inside an image, if anything; an empty one is none.
pub(super) fn objection(path: &str) -> Option<&'static str> {
    if path.is_empty() {
        return None;
    }
    if path == "/" {
        return Some("must not point to root");
    }
    let given = path.strip_suffix('/').unwrap_or(path);
    // Go takes `//` for the root and lets it pass.
    let plain = given == "/"
        || given
            .strip_prefix('/')
            .is_some_and(|rest| rest.split('/').all(|part| !matches!(part, "" | "." | "..")));
    (!plain).then_some("must be an absolute path to a file without relative components")
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    for volume in guest.each("volumes") {
        let path = volume.str_at("containerDisk.path");
        if let Some(words) = objection(path) {
            let field = volume.at("containerDisk");
            RULE.refuse(causes, &field)
                .because_it(words)
                .at(field.field("path"))
                .help("write the path from `/`, such as `/disk/root.img`");
        }
    }
}
