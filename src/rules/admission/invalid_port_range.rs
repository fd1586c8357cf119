//! Port ranges are not enabled, or are invalid.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `portRanges` (1.9 and later) where the feature gate `PortRangesSpec` is off, and where it is on: beside
    /// `ports`, without `masquerade`, more than ten, with a bad protocol, start or end, and ranges that overlap.
    ///
    /// ## Why it matters
    ///
    /// Only masquerade can forward port ranges.
    ///
    /// KubeVirt's check: [`validatePortRangesConfiguration`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/netiface.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.9..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           interfaces:
    ///             - name: default
    ///               masquerade: {}
    ///               portRanges:
    ///                 - protocol: TCP
    ///                   start: 80
    ///                   end: 90
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.interfaces[0].name: portRanges is specified on interface but the PortRangesSpec feature gate is not enabled
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
    ///               ports:
    ///                 - port: 80
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    ///
    /// ## Limits
    ///
    /// Without a known configuration the missing gate is `depends-on-configuration`.
    "invalid-port-range": "port ranges are not enabled, or are invalid"
}

pub(super) fn check(guest: AdmittedGuest<'_>, interface: Item<'_>, causes: &mut Causes) {
    let ranges = interface.items_at("portRanges");
    if ranges.is_empty() {
        return;
    }
    let field = interface.place();
    if !guest.gate("PortRangesSpec") {
        RULE.refuse(causes, field.field("name"))
            .because("portRanges is specified on interface but the PortRangesSpec feature gate is not enabled")
            .at(field.field("portRanges"))
            .gate("PortRangesSpec");
        return;
    }
    if !guest.on_pod_network(&interface) {
        return;
    }
    if !interface.items_at("ports").is_empty() {
        RULE.refuse(causes, field.field("name"))
            .because("Cannot define both ports and portRanges on interface")
            .at(field.field("portRanges"));
    }
    if interface.get("masquerade").is_none() {
        RULE.refuse(causes, field.field("name"))
            .because("portRanges are only supported on masquerade interfaces")
            .at(field.field("portRanges"));
    }
    check_ranges(&field.field("portRanges"), ranges, causes);
}

fn check_ranges(field: &FieldPath, ranges: &[Node], causes: &mut Causes) {
    if ranges.len() > 10 {
        RULE.refuse(causes, field)
            .because("No more than 10 portRanges are allowed");
        return;
    }
    let mut good: [(&str, Vec<(i64, i64)>); 2] = [("TCP", Vec::new()), ("UDP", Vec::new())];
    for (at, range) in ranges.iter().enumerate() {
        let (start, end) = (range.int_at("start"), range.int_at("end"));
        let valid = |port: i64| (1..65_536).contains(&port);
        let protocol = range.str_at("protocol");
        let Some((_, kept)) = good.iter_mut().find(|(name, _)| *name == protocol) else {
            let message = "Unknown protocol, only TCP or UDP allowed";
            RULE.refuse(causes, field.index(at).field("protocol"))
                .because(message);
            continue;
        };
        let (part, message) = if !valid(start) {
            ("start", "Start must be a valid port number, 0 < x < 65536")
        } else if !valid(end) {
            ("end", "End must be a valid port number, 0 < x < 65536")
        } else if start > end {
            ("start", "Start must be less than or equal to end")
        } else {
            kept.push((start, end));
            continue;
        };
        RULE.refuse(causes, field.index(at).field(part))
            .because(message);
    }
    for (protocol, mut ranges) in good {
        ranges.sort_unstable();
        for pair in ranges.windows(2) {
            let ((a, b), (c, d)) = (pair[0], pair[1]);
            if c <= b {
                RULE.refuse(causes, field).because(format!(
                    "{protocol} portRanges [{a}-{b}] and [{c}-{d}] overlap"
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::{edges_on, words};

    #[test]
    fn with_the_gate_the_ranges_themselves_are_checked() {
        let bad = json!({"spec": {"template": {"spec": {"domain": {"devices": {"interfaces": [{"name": "default", "bridge": {}, "ports": [{"port": 1}], "portRanges": [
            {"protocol": "TCP", "start": 80, "end": 90}, {"protocol": "TCP", "start": 85, "end": 86}, {"protocol": "SCTP", "start": 1, "end": 2},
            {"protocol": "UDP", "start": 0, "end": 2}, {"protocol": "UDP", "start": 3, "end": 2}, {"protocol": "UDP", "start": 1, "end": 70000}
        ]}]}}, "networks": [{"name": "default", "pod": {}}]}}}});
        let config = json!({"developerConfiguration": {"featureGates": ["PortRangesSpec"]}});
        let fields: Vec<String> = words(&RULE, Release::V1_9, &bad, &config)
            .into_iter()
            .map(|(field, _)| field.replace("spec.template.spec.domain.devices.interfaces[0].", ""))
            .collect();
        assert_eq!(
            fields,
            [
                "name",
                "name",
                "portRanges[2].protocol",
                "portRanges[3].start",
                "portRanges[4].start",
                "portRanges[5].end",
                "portRanges"
            ]
        );
    }

    #[test]
    fn a_port_is_1_to_65535() {
        edges_on(
            &RULE,
            Release::NEWEST,
            &json!({"developerConfiguration": {"featureGates": ["PortRangesSpec"]}}),
            "domain: {devices: {interfaces: [{name: default, masquerade: {}, portRanges: [{protocol: TCP, start: $, end: 65535}]}]}}\nnetworks: [{name: default, pod: {}}]",
            &[("0", true), ("1", false), ("65535", false), ("65536", true)],
        );
    }

    #[test]
    fn an_end_is_a_port_from_the_start_on() {
        edges_on(
            &RULE,
            Release::NEWEST,
            &json!({"developerConfiguration": {"featureGates": ["PortRangesSpec"]}}),
            "domain: {devices: {interfaces: [{name: default, masquerade: {}, portRanges: [{protocol: TCP, start: 80, end: $}]}]}}\nnetworks: [{name: default, pod: {}}]",
            &[
                ("79", true),
                ("80", false),
                ("65535", false),
                ("65536", true),
            ],
        );
    }

    #[test]
    fn ten_ranges_at_most() {
        edges_on(
            &RULE,
            Release::NEWEST,
            &json!({"developerConfiguration": {"featureGates": ["PortRangesSpec"]}}),
            "domain: {devices: {interfaces: [{name: default, masquerade: {}, portRanges: [$]}]}}\nnetworks: [{name: default, pod: {}}]",
            &[
                (
                    "{protocol: TCP, start: 1, end: 1}, {protocol: TCP, start: 2, end: 2}, {protocol: TCP, start: 3, end: 3}, {protocol: TCP, start: 4, end: 4}, {protocol: TCP, start: 5, end: 5}, {protocol: TCP, start: 6, end: 6}, {protocol: TCP, start: 7, end: 7}, {protocol: TCP, start: 8, end: 8}, {protocol: TCP, start: 9, end: 9}, {protocol: TCP, start: 10, end: 10}",
                    false,
                ),
                (
                    "{protocol: TCP, start: 1, end: 1}, {protocol: TCP, start: 2, end: 2}, {protocol: TCP, start: 3, end: 3}, {protocol: TCP, start: 4, end: 4}, {protocol: TCP, start: 5, end: 5}, {protocol: TCP, start: 6, end: 6}, {protocol: TCP, start: 7, end: 7}, {protocol: TCP, start: 8, end: 8}, {protocol: TCP, start: 9, end: 9}, {protocol: TCP, start: 10, end: 10}, {protocol: TCP, start: 11, end: 11}",
                    true,
                ),
            ],
        );
    }

    #[test]
    fn ranges_may_touch_and_not_overlap() {
        edges_on(
            &RULE,
            Release::NEWEST,
            &json!({"developerConfiguration": {"featureGates": ["PortRangesSpec"]}}),
            "domain: {devices: {interfaces: [{name: default, masquerade: {}, portRanges: [{protocol: TCP, start: 80, end: 90}, {protocol: TCP, start: $, end: 95}]}]}}\nnetworks: [{name: default, pod: {}}]",
            &[("91", false), ("90", true)],
        );
    }
}
