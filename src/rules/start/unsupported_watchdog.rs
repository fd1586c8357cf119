//! The guest's architecture does not have the watchdog.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports any watchdog on arm64 and, from 1.5 on, `diag288` on amd64 and `i6300esb` on s390x.
    ///
    /// ## Why it matters
    ///
    /// Each architecture has one watchdog. KubeVirt adds it beside the one that is written, and refuses the pair at
    /// every start.
    ///
    /// KubeVirt's checks: [`validateWatchdogAmd64`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/amd64.go) and those beside it.
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.5..
    /// spec:
    ///   template:
    ///     spec:
    ///       architecture: amd64
    ///       domain:
    ///         devices:
    ///           watchdog:
    ///             name: dog
    ///             diag288:
    ///               action: reset
    /// ```
    ///
    /// ```text
    /// spec.domain.devices.watchdog: amd64 only supports I6300ESB watchdog device
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       architecture: amd64
    ///       domain:
    ///         devices:
    ///           watchdog:
    ///             name: dog
    ///             i6300esb:
    ///               action: reset
    /// ```
    "unsupported-watchdog": "the guest's architecture does not have the watchdog"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let knows = guest.does(Behaviour::KnowsWatchdogs);
    let Some(watchdog) = guest.spec.path("domain.devices.watchdog") else {
        return;
    };
    let has = |device: &str| watchdog.get(device).is_some();
    let (message, help) = match guest.str("architecture") {
        "amd64" if knows && (!has("i6300esb") || has("diag288")) => (
            "amd64 only supports I6300ESB watchdog device",
            "use `i6300esb`",
        ),
        "s390x" if knows && (!has("diag288") || has("i6300esb")) => (
            "s390x only supports Diag288 watchdog device",
            "use `diag288`",
        ),
        "arm64" => ("Arm64 not support Watchdog device", "remove `watchdog`"),
        _ => return,
    };
    RULE.refuse(causes, guest.at("domain.devices.watchdog"))
        .because(message)
        .help(help);
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::start_edges;

    #[test]
    fn each_architecture_has_one_watchdog() {
        start_edges(
            &RULE,
            "{domain: {memory: {guest: 1Gi}, devices: {watchdog: {name: w, $}",
            &[
                ("diag288: {}}}}, architecture: amd64}", true),
                ("i6300esb: {}}}}, architecture: amd64}", false),
                ("}}}, architecture: amd64}", false),
                ("i6300esb: {}}}}, architecture: s390x}", true),
                ("diag288: {}}}}, architecture: s390x}", false),
                ("}}}, architecture: arm64}", true),
            ],
        );
    }
}
