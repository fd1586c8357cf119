//! The kernel to boot is incomplete.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `firmware.kernelBoot` with arguments but no container, and a container without an image, without both
    /// kernel and initrd path, or with a path that is not absolute and plain.
    ///
    /// ## Why it matters
    ///
    /// The kernel is taken from files of a container image.
    ///
    /// KubeVirt's check: [`validateKernelBoot`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         firmware:
    ///           kernelBoot:
    ///             kernelArgs: console=ttyS0
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.firmware.kernelBoot.kernelArgs: kernel arguments cannot be provided without an external kernel
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         firmware:
    ///           kernelBoot:
    ///             kernelArgs: console=ttyS0
    ///             container:
    ///               image: example.com/kernel:1
    ///               kernelPath: /boot/vmlinuz
    /// ```
    "invalid-kernel-boot": "the kernel to boot is incomplete"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let Some(boot) = guest.spec.path("domain.firmware.kernelBoot") else {
        return;
    };
    let field = guest.at("domain.firmware.kernelBoot");
    let Some(container) = boot.get("container") else {
        if !boot.str_at("kernelArgs").is_empty() {
            RULE.refuse(causes, field.field("kernelArgs"))
                .because("kernel arguments cannot be provided without an external kernel")
                .help("name the image with the kernel in `container`");
        }
        return;
    };
    let field = field.field("container");
    if container.str_at("image").is_empty() {
        RULE.refuse(causes, field.field("image"))
            .because(format!("{field} must be defined with an image"));
    }
    let paths = ["kernelPath", "initrdPath"].map(|part| (part, container.str_at(part)));
    if paths.iter().all(|(_, path)| path.is_empty()) {
        RULE.refuse(causes, &field).because_it(
            "must be defined with at least one of the following: kernelPath, initrdPath",
        );
    }
    for (part, path) in paths {
        let field = field.field(part);
        if let Some(words) = super::invalid_container_disk_path::objection(path) {
            RULE.refuse(causes, &field).because_it(words);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::words;

    #[test]
    fn a_container_needs_image_and_paths() {
        let bad = json!({"spec": {"template": {"spec": {"domain": {"firmware": {"kernelBoot": {"container": {"image": "", "kernelPath": "boot", "initrdPath": "/"}}}}}}}});
        let fields: Vec<String> = words(&RULE, Release::V1_9, &bad, &json!({}))
            .into_iter()
            .map(|(field, _)| {
                field.replace(
                    "spec.template.spec.domain.firmware.kernelBoot.container",
                    "",
                )
            })
            .collect();
        assert_eq!(fields, [".image", ".kernelPath", ".initrdPath"]);
    }
}
