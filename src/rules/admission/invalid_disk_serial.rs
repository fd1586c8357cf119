//! A disk's serial number is invalid.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a disk `serial` with other characters than letters, digits and `_ . + -`, or longer than 256.
    ///
    /// ## Why it matters
    ///
    /// The number goes into the guest's libvirt domain as it is.
    ///
    /// KubeVirt's check: [`validateSerialNumValue`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/storage/admitters/disks.go).
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
    ///               serial: disk 1
    ///               disk:
    ///                 bus: virtio
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.disks[0].serial: spec.template.spec.domain.devices.disks[0] must be made up of the following characters [A-Za-z0-9_.+-], if specified
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
    ///               serial: disk-1
    ///               disk:
    ///                 bus: virtio
    ///       volumes:
    ///         - name: root
    ///           containerDisk:
    ///             image: example.com/fedora:42
    /// ```
    "invalid-disk-serial": "a disk's serial number is invalid"
}

pub(super) fn check(disk: Item<'_>, causes: &mut Causes) {
    let serial = disk.str_at("serial");
    if serial.is_empty() {
        return;
    }
    let field = disk.place();
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_.+-".contains(&byte);
    if !serial.bytes().all(fits) {
        RULE.refuse(causes, field.field("serial"))
            .because(format!(
                "{field} must be made up of the following characters [A-Za-z0-9_.+-], if specified"
            ))
            .help("use letters, digits and `_ . + -`");
    }
    if serial.chars().count() > 256 {
        RULE.refuse(causes, field.field("serial")).because(format!(
            "{field} must be less than or equal to 256 in length, if specified"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::edges;

    #[test]
    fn a_serial_has_256_characters_at_most() {
        edges(
            &RULE,
            "domain: {devices: {disks: [{name: root, disk: {bus: virtio}, serial: \"$\"}]}}\nvolumes: [{name: root, containerDisk: {image: example.com/fedora:42}}]",
            &[
                (&"a".repeat(255), false),
                (&"a".repeat(256), false),
                (&"a".repeat(257), true),
                ("a b", true),
                ("a_B.1+-", false),
            ],
        );
    }
}
