//! A disk option has an unknown value.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a disk `cache` other than `none`, `writethrough` and `writeback`, an `io` other than `native` and
    /// `threads`, and an `errorPolicy` other than `stop`, `ignore`, `report` and `enospace`.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt's webhook refuses any other value.
    ///
    /// KubeVirt's check: [`validateCacheMode`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/storage/admitters/disks.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           disks:
    ///             - name: root
    ///               cache: unsafe
    ///               disk:
    ///                 bus: virtio
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.disks[0].cache: spec.template.spec.domain.devices.disks[0].cache has invalid value unsafe
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           disks:
    ///             - name: root
    ///               cache: writeback
    ///               disk:
    ///                 bus: virtio
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    "unsupported-disk-option": "a disk option has an unknown value"
}

pub(super) fn check(guest: AdmittedGuest<'_>, disk: Item<'_>, causes: &mut Causes) {
    let cache = disk.str_at("cache");
    if !matches!(cache, "" | "none" | "writethrough" | "writeback") {
        RULE.refuse(causes, disk.at("cache"))
            .because_it(format!("has invalid value {cache}"))
            .help("use `none`, `writethrough` or `writeback`");
    }
    if !matches!(disk.str_at("io"), "" | "native" | "threads") {
        RULE.refuse(causes, disk.doubled_place().field("io"))
            .because(format!(
                "Disk IO mode for {} is not supported. Supported modes are: native, threads.",
                guest.at("domain.devices.disks")
            ))
            .at(disk.at("io"))
            .help("use `native` or `threads`");
    }
    let policy = disk.get("errorPolicy").and_then(Node::as_str);
    if let Some(policy) = policy
        && !matches!(policy, "stop" | "ignore" | "report" | "enospace")
    {
        RULE.refuse(causes, disk.at("errorPolicy"))
            .because_it(format!("has invalid value \"{policy}\""))
            .help("use `stop`, `ignore`, `report` or `enospace`");
    }
}
