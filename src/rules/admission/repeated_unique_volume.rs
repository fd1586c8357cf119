//! The guest has two volumes of a kind that it can have once.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports more than one `serviceAccount`, `downwardMetrics` or `memoryDump` volume.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt supports one of each.
    ///
    /// KubeVirt's check: [`validateVolumes`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: a
    ///           serviceAccount:
    ///             serviceAccountName: web
    ///         - name: b
    ///           serviceAccount:
    ///             serviceAccountName: db
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes: spec.template.spec.volumes must have max one serviceAccount volume set
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: a
    ///           serviceAccount:
    ///             serviceAccountName: web
    /// ```
    "repeated-unique-volume": "the guest has two volumes of a kind that it can have once"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let field = guest.at("volumes");
    for (source, words) in [
        ("serviceAccount", "serviceAccount"),
        ("downwardMetrics", "downwardMetric"),
        ("memoryDump", "memory dump"),
    ] {
        let volumes = guest.each("volumes");
        let mut these = volumes.filter(|volume| volume.get(source).is_some());
        if let (Some(_), Some(second)) = (these.next(), these.next()) {
            RULE.refuse(causes, &field)
                .because_it(format!("must have max one {words} volume set"))
                .at(second.at(source))
                .help("keep one");
        }
    }
}
