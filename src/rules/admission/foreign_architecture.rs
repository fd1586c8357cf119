//! The guest's architecture differs from the control plane's.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports an `architecture` other than the one the cluster's virt-api runs on (amd64 is assumed), up to 1.7 and
    /// without the feature gate `MultiArchitecture`.
    ///
    /// ## Why it matters
    ///
    /// Up to 1.7 the webhook refuses guests of other architectures unless the gate is on; from 1.8 on any is accepted.
    ///
    /// KubeVirt's check: [`validateArchitecture`](https://github.com/kubevirt/kubevirt/blob/v1.7.4/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=..=1.7
    /// spec:
    ///   template:
    ///     spec:
    ///       architecture: arm64
    ///       domain:
    ///         machine:
    ///           type: virt
    /// ```
    ///
    /// ```text
    /// spec.template.spec.architecture: MultiArchitecture feature gate is not enabled in kubevirt-config, invalid entry spec.template.spec.architecture
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       architecture: amd64
    /// ```
    ///
    /// ## Limits
    ///
    /// Targets up to 1.7 only. Assumes a control plane on amd64. Without a known configuration the finding is
    /// `depends-on-configuration`.
    "foreign-architecture": "the guest's architecture differs from the control plane's"
}

/// The architecture virt-api is taken to run on.
const HOST: &str = "amd64";

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let architecture = guest.str("architecture");
    if guest.does(Behaviour::ChecksHostArchitecture)
        && !architecture.is_empty()
        && architecture != HOST
        && !guest.gate("MultiArchitecture")
    {
        let field = guest.at("architecture");
        RULE.refuse(causes, &field)
            .because(format!("MultiArchitecture feature gate is not enabled in kubevirt-config, invalid entry {field}")).gate("MultiArchitecture");
    }
}
