//! The guest has two volumes of a kind that it can have once.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::AdmittedGuest;

rule! {
    /// ## What it does
    ///
    /// Reports more than one `serviceAccount`, `downwardMetrics` or `memoryDump` volume.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt has one place for each of them.
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
        let mut these = guest.volumes().iter().enumerate();
        let mut these = these
            .by_ref()
            .filter(|(_, volume)| volume.get(source).is_some());
        if let (Some(_), Some((second, _))) = (these.next(), these.next()) {
            let message = format!("{field} must have max one {words} volume set");
            causes
                .push(&RULE, &field, message)
                .at(field.index(second).field(source))
                .help("keep one");
        }
    }
}
