//! A GPU or host device does not name its device or claim correctly.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports GPUs and (from 1.8 on) host devices with neither `deviceName` nor a claim, or both; claims where the
    /// feature gate `GPUsWithDRA` or `HostDevicesWithDRA` is off; claims without claim or request name, used twice, or
    /// missing from `resourceClaims`; GPUs of both kinds in one guest.
    ///
    /// ## Why it matters
    ///
    /// A device comes either from a device plugin (`deviceName`) or from a resource claim (`claimName`, `requestName`).
    /// KubeVirt 1.6 and 1.7 crash on a claimed GPU without claim name, which is reported as `kubevirt-would-crash`.
    ///
    /// KubeVirt's check: [`validateCreationDRA`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/dra/admitter/dra_admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.6..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           gpus:
    ///             - name: gpu1
    /// ```
    ///
    /// ```text,kubevirt=1.6..=1.7
    /// spec.template.spec.spec.domain.devices.gpus: vmi.spec.domain.devices.gpus contains GPUs without deviceName
    /// ```
    ///
    /// ```text,kubevirt=1.8..
    /// spec.template.spec.domain.devices.gpus: vmi.spec.domain.devices.gpus contains GPUs without deviceName or claimRequest; each GPU must specify either a deviceName or a claimRequest
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           gpus:
    ///             - name: gpu1
    ///               deviceName: nvidia.com/A100
    /// ```
    ///
    /// ## Limits
    ///
    /// Whether claims, templates and devices exist is not looked at. Without a known configuration a missing gate is
    /// `depends-on-configuration`.
    "invalid-device-claim": "a GPU or host device does not name its device or claim correctly"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if !guest.does(Behaviour::ChecksDeviceClaims) {
        return;
    }
    if !guest.does(Behaviour::ChecksResourceClaimNames) {
        check_gpus_only(guest, causes);
        return;
    }
    let mut claims = Vec::new();
    let gpus = check_kind(guest, &GPUS, &mut claims, causes);
    let hosts = check_kind(guest, &HOST_DEVICES, &mut claims, causes);
    check_pairs(guest, &gpus, &hosts, causes);
    if !claims.iter().all(|claim| declares(guest, claim)) {
        RULE.refuse(causes, guest.at("resourceClaims"))
            .because("vmi.spec.resourceClaims must specify all claims used in vmi.spec.domain.devices.gpus and vmi.spec.domain.devices.hostDevices");
    }
}

struct DeviceList {
    list: &'static str,
    name: &'static str,
    gate: &'static str,
    apart: bool,
}

const GPUS: DeviceList = DeviceList {
    list: "gpus",
    name: "GPU",
    gate: "GPUsWithDRA",
    apart: true,
};

const HOST_DEVICES: DeviceList = DeviceList {
    list: "hostDevices",
    name: "HostDevice",
    gate: "HostDevicesWithDRA",
    apart: false,
};

fn is_claimed(device: &Node) -> bool {
    device.get("claimName").is_some() || device.get("requestName").is_some()
}

fn by_claim(device: &Node) -> bool {
    device.str_at("deviceName").is_empty() && is_claimed(device)
}

/// Whether the guest names the claim in `resourceClaims`.
fn declares(guest: AdmittedGuest<'_>, claim: &str) -> bool {
    let mut declared = guest.items("resourceClaims").iter();
    declared.any(|item| named(item, claim))
}

/// Checks one list; gives the claim/request pairs with their first position and adds the claims used.
fn check_kind<'a>(
    guest: AdmittedGuest<'a>,
    kind: &DeviceList,
    claims: &mut Vec<&'a str>,
    causes: &mut Causes,
) -> Vec<(String, usize)> {
    let DeviceList {
        list, name, gate, ..
    } = kind;
    let field = guest.at("domain.devices").field(list);
    let devices = guest.devices(list);
    let claimed = devices.iter().filter(|device| by_claim(device)).count();
    let mut pairs: Vec<(String, usize)> = Vec::new();
    if kind.apart && claimed > 0 && claimed < devices.len() {
        RULE.refuse(causes, field)
            .because(format!("vmi.spec.domain.devices.{list} contains both DRA and non-DRA {name}s; each {name} must be either DRA or non-DRA"));
        return pairs;
    }
    let numbered = || devices.iter().enumerate();
    for (at, device) in numbered().filter(|(_, device)| !by_claim(device)) {
        let words = if device.str_at("deviceName").is_empty() {
            format!(
                "vmi.spec.domain.devices.{list} contains {name}s without deviceName or claimRequest; each {name} must specify either a deviceName or a claimRequest"
            )
        } else if is_claimed(device) {
            format!(
                "vmi.spec.domain.devices.{list} contains {name}s with both deviceName and claimRequest"
            )
        } else {
            continue;
        };
        RULE.refuse(causes, &field)
            .because(words)
            .at(field.index(at))
            .help("name the device in `deviceName`, or its claim and request");
    }
    if claimed > 0 && !guest.gate(gate) {
        RULE.refuse(causes, field)
            .because(format!("vmi.spec.domain.devices.{list} contains DRA enabled {name}s but feature gate is not enabled"))
            .gate(gate);
        return pairs;
    }
    let mut repeated = Vec::new();
    for (at, device) in numbered().filter(|(_, device)| by_claim(device)) {
        let (claim, request) = (device.str_at("claimName"), device.str_at("requestName"));
        for (part, text) in [("claimName", claim), ("requestName", request)] {
            if text.is_empty() {
                RULE.refuse(causes, field.index(at).field(part))
                    .because(format!("{part} is required for DRA {name}"));
            }
        }
        if claim.is_empty() || request.is_empty() {
            continue;
        }
        claims.push(claim);
        let pair = format!("{claim}/{request}");
        if pairs.iter().any(|(other, _)| *other == pair) {
            repeated.push((at, pair));
        } else {
            pairs.push((pair, at));
        }
    }
    for (at, pair) in repeated {
        RULE.refuse(causes, field.index(at))
            .because(format!("duplicate claimName/requestName pair {pair:?}"));
    }
    pairs
}

/// A pair is used once over GPUs, host devices and networks.
fn check_pairs(
    guest: AdmittedGuest<'_>,
    gpus: &[(String, usize)],
    hosts: &[(String, usize)],
    causes: &mut Causes,
) {
    let mut networks: Vec<(String, usize)> = Vec::new();
    if guest.does(Behaviour::ChecksResourceClaims) && guest.gate("NetworkDevicesWithDRA") {
        for network in guest.each("networks") {
            let claim = network.str_at("resourceClaim.claimName");
            let request = network.str_at("resourceClaim.requestName");
            let pair = format!("{claim}/{request}");
            if !claim.is_empty() && !request.is_empty() && !networks.iter().any(|(p, _)| *p == pair)
            {
                networks.push((pair, network.index));
            }
        }
    }
    let lists = [
        ("GPUs", "domain.devices.gpus", gpus),
        ("HostDevices", "domain.devices.hostDevices", hosts),
        ("Networks", "networks", &networks),
    ];
    let mut seen: Vec<(&str, &str, usize)> = Vec::new();
    for (name, path, pairs) in lists {
        for (pair, at) in pairs {
            let Some((_, other, there)) = seen.iter().find(|(seen, ..)| seen == pair) else {
                seen.push((pair, name, *at));
                continue;
            };
            RULE.refuse(causes, guest.at(path).index(*at))
                .because(format!("duplicate claimName/requestName pair {pair:?} between {other}[{there}] and {name}[{at}]"));
        }
    }
}

/// Up to 1.7 only GPUs can be claimed, and the first nameless one ends the check.
fn check_gpus_only(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let field = guest.at("spec.domain.devices.gpus");
    let place = guest.at("domain.devices.gpus");
    let gpus = guest.devices("gpus");
    for gpu in gpus.iter().filter(|gpu| !by_claim(gpu)) {
        if gpu.str_at("deviceName").is_empty() {
            RULE.refuse(causes, field)
                .because("vmi.spec.domain.devices.gpus contains GPUs without deviceName")
                .at(place);
            return;
        }
        if is_claimed(gpu) {
            RULE.refuse(causes, &field)
                .because("vmi.spec.domain.devices.gpus contains GPUs with both deviceName and claimRequest")
                .at(&place);
        }
    }
    let claimed: Vec<&Node> = gpus.iter().filter(|gpu| by_claim(gpu)).collect();
    if claimed.is_empty() {
        return;
    }
    if !guest.gate("GPUsWithDRA") {
        RULE.refuse(causes, field)
            .because("vmi.spec.domain.devices.gpus contains DRA enabled GPUs but feature gate is not enabled")
            .at(place)
            .gate("GPUsWithDRA");
        return;
    }
    if claimed.iter().any(|gpu| gpu.get("claimName").is_none()) {
        causes.crash("a GPU has a requestName and no claimName");
        return;
    }
    let mut names = claimed.iter().map(|gpu| gpu.str_at("claimName"));
    if !names.all(|claim| declares(guest, claim)) {
        RULE.refuse(causes, guest.at("resourceClaims")).because(
            "vmi.spec.resourceClaims must specify all claims used in vmi.spec.domain.devices.gpus",
        );
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::words;

    #[test]
    fn claims_are_declared_and_used_once() {
        let bad = json!({"spec": {"template": {"spec": {"domain": {"devices": {
            "gpus": [{"name": "a", "claimName": "c", "requestName": "r"}, {"name": "b", "claimName": "c", "requestName": "r"}, {"name": "c", "claimName": "d"}],
            "hostDevices": [{"name": "d", "claimName": "c", "requestName": "r"}]
        }}}}}});
        let config = json!({"developerConfiguration": {"featureGates": ["HostDevices"]}});
        let fields: Vec<String> = words(&RULE, Release::V1_9, &bad, &config)
            .into_iter()
            .map(|(field, _)| field.replace("spec.template.spec.", ""))
            .collect();
        assert_eq!(
            fields,
            [
                "domain.devices.gpus[2].requestName",
                "domain.devices.gpus[1]",
                "domain.devices.hostDevices[0]",
                "resourceClaims"
            ]
        );
    }

    #[test]
    fn an_empty_request_of_a_machine_is_no_claim() {
        let with = |extra: serde_json::Value| {
            let mut gpu = json!({"name": "g", "deviceName": "x.com/y"});
            gpu.as_object_mut()
                .unwrap()
                .extend(extra.as_object().unwrap().clone());
            let change =
                json!({"spec": {"template": {"spec": {"domain": {"devices": {"gpus": [gpu]}}}}}});
            words(&RULE, Release::V1_9, &change, &json!({})).len()
        };
        assert_eq!(with(json!({"requestName": ""})), 0);
        assert_eq!(with(json!({"claimName": "", "requestName": ""})), 0);
        assert_eq!(with(json!({"claimName": "c", "requestName": ""})), 1);
    }
}
