//! A disk's block size is invalid.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a custom `blockSize` beside `matchVolume`, a logical size above the physical one, sizes that are not powers
    /// of two between 512 and 2097152, and from 1.7 on a logical size other than 512 on SATA and a discard granularity
    /// that is not a multiple of the logical size.
    ///
    /// ## Why it matters
    ///
    /// The emulated disk supports no other sizes.
    ///
    /// KubeVirt's check: [`validateCustomBlockSize`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/storage/admitters/disks.go).
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
    ///               blockSize:
    ///                 custom:
    ///                   logical: 512
    ///                   physical: 1000
    ///               disk:
    ///                 bus: virtio
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.disks[0].blockSize.custom.physical: Provided size of 1000 is not a power of 2
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
    ///               blockSize:
    ///                 custom:
    ///                   logical: 512
    ///                   physical: 4096
    ///               disk:
    ///                 bus: virtio
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    "invalid-block-size": "a disk's block size is invalid"
}

pub(super) fn check(guest: AdmittedGuest<'_>, disk: Item<'_>, causes: &mut Causes) {
    let Some(custom) = disk.path("blockSize.custom") else {
        return;
    };
    let field = disk.at("blockSize");
    if switched_on(disk.path("blockSize.matchVolume")) {
        RULE.refuse(causes, field)
            .because("Block size matching can't be enabled together with a custom value")
            .help("keep either `custom` or `matchVolume`");
        return;
    }
    let (logical, physical) = (custom.int_at("logical"), custom.int_at("physical"));
    let newer = guest.does(Behaviour::ChecksDiscardGranularity);
    let (_, bus) = super::unsupported_disk_bus::bus(&disk);
    let discard = custom.get("discardGranularity").and_then(Node::as_i64);
    let uneven = |discard: &i64| logical != 0 && discard % logical != 0;
    if logical > physical {
        RULE.refuse(causes, field.then("custom.logical"))
            .because(format!("Logical size {logical} must be the same or less than the physical size of {physical}"));
    } else if newer && bus == "sata" && logical != 512 {
        RULE.refuse(causes, field.then("custom.logical"))
            .because(format!(
                "Logical size {logical} must be 512 for SATA devices"
            ));
    } else if let Some(discard) = discard.filter(uneven)
        && newer
    {
        RULE.refuse(causes, field.then("custom.discardGranularity"))
            .because(format!(
                "Discard granularity {discard} must be multiples of logical size {logical}"
            ));
    } else {
        for (part, size) in [("logical", logical), ("physical", physical)] {
            if let Some(message) = wrong_size(size) {
                RULE.refuse(causes, field.field("custom").field(part))
                    .because(message)
                    .help("use a power of two from 512 to 2097152");
            }
        }
    }
}

fn wrong_size(size: i64) -> Option<String> {
    let words = if size < 512 {
        "is less than the supported minimum size of 512"
    } else if size > 2_097_152 {
        "is greater than the supported maximum size of 2097152"
    } else if size & (size - 1) != 0 {
        "is not a power of 2"
    } else {
        return None;
    };
    Some(format!("Provided size of {size} {words}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::{edges, words};

    #[test]
    fn sata_and_discard_are_checked_from_1_7_on() {
        let fields = |release, disk: serde_json::Value| {
            let bad = json!({"spec": {"template": {"spec": {"domain": {"devices": {"disks": [disk]}}, "volumes": [{"name": "root", "emptyDisk": {"capacity": "1Gi"}}]}}}});
            words(&RULE, release, &bad, &json!({}))
                .into_iter()
                .map(|(field, _)| {
                    field.replace("spec.template.spec.domain.devices.disks[0].blockSize", "")
                })
                .collect::<Vec<_>>()
        };
        let sata = json!({"name": "root", "disk": {"bus": "sata"}, "blockSize": {"custom": {"logical": 4096, "physical": 4096}}});
        assert_eq!(fields(Release::V1_7, sata.clone()), [".custom.logical"]);
        assert!(fields(Release::V1_6, sata).is_empty());
        let discard = json!({"name": "root", "disk": {"bus": "scsi"}, "blockSize": {"custom": {"logical": 512, "physical": 512, "discardGranularity": 700}}});
        assert_eq!(
            fields(Release::V1_9, discard),
            [".custom.discardGranularity"]
        );
        let both = json!({"name": "root", "disk": {"bus": "scsi"}, "blockSize": {"matchVolume": {}, "custom": {"logical": 512, "physical": 512}}});
        assert_eq!(fields(Release::V1_9, both), [""]);
    }

    #[test]
    fn a_size_is_a_power_of_two_from_512_to_2097152() {
        edges(
            &RULE,
            "domain: {devices: {disks: [{name: root, disk: {bus: virtio}, blockSize: {custom: {logical: $, physical: $}}}]}}\nvolumes: [{name: root, containerDisk: {image: example.com/fedora:42}}]",
            &[
                ("256", true),
                ("511", true),
                ("512", false),
                ("513", true),
                ("1024", false),
                ("2097152", false),
                ("2097153", true),
                ("4194304", true),
            ],
        );
    }

    #[test]
    fn the_logical_size_is_at_most_the_physical() {
        edges(
            &RULE,
            "domain: {devices: {disks: [{name: root, disk: {bus: virtio}, blockSize: {custom: {logical: $, physical: 4096}}}]}}\nvolumes: [{name: root, containerDisk: {image: example.com/fedora:42}}]",
            &[("2048", false), ("4096", false), ("8192", true)],
        );
    }
}
