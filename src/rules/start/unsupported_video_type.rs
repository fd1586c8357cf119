//! The guest's architecture does not have the video device.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `devices.video` (1.6 and later) without a type, or with one that the guest's architecture does not have:
    /// amd64 has vga, cirrus, virtio, ramfb and bochs; arm64 virtio and ramfb; s390x virtio.
    ///
    /// ## Why it matters
    ///
    /// The webhook of virtual machines takes any type. No start gets past the webhook of instances.
    ///
    /// KubeVirt's checks: [`validateVideoTypeAmd64`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/amd64.go) and those beside it.
    ///
    /// ## Example
    ///
    /// ```yaml,configuration
    /// developerConfiguration:
    ///   featureGates: [VideoConfig]
    /// ```
    ///
    /// ```yaml,bad,kubevirt=1.6..
    /// spec:
    ///   template:
    ///     spec:
    ///       architecture: amd64
    ///       domain:
    ///         devices:
    ///           video: {}
    /// ```
    ///
    /// ```text
    /// spec.domain.devices.video.type: video model '' is not supported on amd64 architecture
    /// ```
    ///
    /// ```yaml,good,kubevirt=1.6..
    /// spec:
    ///   template:
    ///     spec:
    ///       architecture: amd64
    ///       domain:
    ///         devices:
    ///           video:
    ///             type: virtio
    /// ```
    "unsupported-video-type": "the guest's architecture does not have the video device"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if !guest.has("domain.devices.video") {
        return;
    }
    let architecture = guest.str("architecture");
    let types: &[&str] = match architecture {
        "amd64" => &["vga", "cirrus", "virtio", "ramfb", "bochs"],
        "arm64" => &["virtio", "ramfb"],
        "s390x" => &["virtio"],
        "ppc64le" if guest.does(Behaviour::StartsPpc64le) => &["virtio", "bochs", "vga", "cirrus"],
        _ => return,
    };
    let asked = guest.str("domain.devices.video.type");
    if !types.contains(&asked) {
        RULE.refuse(causes, guest.at("domain.devices.video.type"))
            .because(format!(
                "video model '{asked}' is not supported on {architecture} architecture"
            ))
            .help(format!("set `type` to one of {}", types.join(", ")));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::start_edges;

    #[test]
    fn each_architecture_has_its_types() {
        start_edges(
            &RULE,
            "{domain: {memory: {guest: 1Gi}, devices: {video: {type: $",
            &[
                ("ramfb}}}, architecture: amd64}", false),
                ("ramfb}}}, architecture: arm64}", false),
                ("ramfb}}}, architecture: s390x}", true),
                ("virtio}}}, architecture: s390x}", false),
                ("qxl}}}, architecture: amd64}", true),
                ("vga}}}, architecture: arm64}", true),
            ],
        );
    }
}
