//! KubeVirt does not know the guest's architecture.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// From 1.5 on: reports an `architecture` other than amd64, arm64 and s390x; 1.6 alone also has ppc64le.
    ///
    /// ## Why it matters
    ///
    /// The webhook of virtual machines takes any text. No start gets past the webhook of instances.
    ///
    /// KubeVirt's check: [`ValidateVirtualMachineInstancePerArch`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,configuration
    /// developerConfiguration:
    ///   featureGates: [MultiArchitecture]
    /// ```
    ///
    /// ```yaml,bad,kubevirt=1.5..
    /// spec:
    ///   template:
    ///     spec:
    ///       architecture: riscv64
    /// ```
    ///
    /// ```text
    /// spec.architecture: unsupported architecture: riscv64
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       architecture: arm64
    /// ```
    "unknown-architecture": "KubeVirt does not know the guest's architecture"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let architecture = guest.str("architecture");
    let is_known = match architecture {
        "amd64" | "arm64" | "s390x" => true,
        "ppc64le" if guest.does(Behaviour::StartsPpc64le) => true,
        _ => !guest.does(Behaviour::KnowsWatchdogs),
    };
    if !is_known {
        RULE.refuse(causes, guest.at("architecture"))
            .because(format!("unsupported architecture: {architecture}"))
            .help("use `amd64`, `arm64` or `s390x`");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::start_edges_on;

    #[test]
    fn ppc64le_starts_in_1_4_and_1_6_alone() {
        let gate = json!({"developerConfiguration": {"featureGates": ["MultiArchitecture"]}});
        for (release, refused) in [
            (Release::V1_4, false),
            (Release::V1_5, true),
            (Release::V1_6, false),
            (Release::V1_7, true),
            (Release::V1_9, true),
        ] {
            start_edges_on(
                &RULE,
                release,
                &gate,
                "{architecture: $, domain: {memory: {guest: 1Gi}, devices: {}}}",
                &[("ppc64le", refused), ("s390x", false)],
            );
        }
    }
}
