//! The MAC address is the in-pod bridge's.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::AdmittedGuest;
use crate::yaml::Node;

rule! {
    /// ## What it does
    ///
    /// Reports the MAC address `02:00:00:00:00:00` on an interface with `masquerade`.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt gives that address to its own bridge in the pod; a guest with the same one has no network.
    ///
    /// KubeVirt's check: [`validateMasqueradeBinding`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/binding.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           interfaces:
    ///             - name: default
    ///               masquerade: {}
    ///               macAddress: 02:00:00:00:00:00
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           interfaces:
    ///             - name: default
    ///               masquerade: {}
    ///               macAddress: 02:00:00:00:00:01
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    ///
    /// ## Limits
    ///
    /// None: everything it looks at is in the manifest.
    "reserved-mac-address": "the MAC address is the in-pod bridge's"
}

pub(super) fn check(guest: AdmittedGuest<'_>, at: usize, interface: &Node, causes: &mut Causes) {
    if interface.get("masquerade").is_some()
        && interface.str_at("macAddress") == "02:00:00:00:00:00"
    {
        causes
            .push(
                &RULE,
                guest.at(&format!("domain.devices.interfaces[{at}].macAddress")),
                "The requested MAC address is reserved for the in-pod bridge. Please choose another one.",
            )
            .help("use another address, or leave it out");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::words;

    #[test]
    fn the_bad_is_refused_and_the_good_is_not() {
        let bad = json!({"spec": {"template": {"spec": {"domain": {"devices": {"interfaces": [{"name": "default", "masquerade": {}, "macAddress": "02:00:00:00:00:00"}]}}, "networks": [{"name": "default", "pod": {}}]}}}});
        assert_eq!(
            words(&RULE, Release::V1_9, &bad, &json!({})),
            [(
                "spec.template.spec.domain.devices.interfaces[0].macAddress",
                "The requested MAC address is reserved for the in-pod bridge. Please choose another one."
            ),]
        );
        let good = json!({"spec": {"template": {"spec": {"domain": {"devices": {"interfaces": [{"name": "default", "masquerade": {}, "macAddress": "02:00:00:00:00:01"}]}}, "networks": [{"name": "default", "pod": {}}]}}}});
        assert!(words(&RULE, Release::V1_9, &good, &json!({})).is_empty());
    }
}
