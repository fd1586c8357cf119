//! Network interfaces: pod NIC with masquerade and multus bridge NIC `b` unless the row says otherwise.

use serde_json::{Value as Json, json};

use super::{Setting, cell, held, releases, run, vm, with};

/// A VM with these NICs: name, binding or more fields, network.
fn nics(nics: &[(&str, Json, Json)]) -> Json {
    let named = |name: &str, fields: &Json| {
        let mut out = fields.clone();
        out["name"] = json!(name);
        out
    };
    let interfaces: Vec<Json> = nics
        .iter()
        .map(|(name, fields, _)| named(name, fields))
        .collect();
    let networks: Vec<Json> = nics.iter().map(|(name, _, net)| named(name, net)).collect();
    vm(&json!({"architecture": "amd64", "domain": {
        "cpu": {"sockets": 1, "cores": 1, "threads": 1, "model": "host-model"},
        "devices": {"interfaces": interfaces, "disks": [{"name": "root", "disk": {"bus": "virtio"}}]},
        "memory": {"guest": "2Gi"}},
        "networks": networks, "volumes": [{"name": "root", "containerDisk": {"image": "quay.io/x/y:1"}}]}))
}

#[test]
fn nics_match_the_recorded_probes() {
    let pod = || ("default", json!({"masquerade": {}}), json!({"pod": {}}));
    let net = || json!({"multus": {"networkName": "ns/nad"}});
    let other = || json!({"multus": {"networkName": "ns/other"}});
    let bridge = |name: &'static str| (name, json!({"bridge": {}}), net());
    let b = |fields: Json| ("b", fields, net());
    let state = |state: &str| b(json!({"bridge": {}, "state": state}));
    let base = || nics(&[pod(), bridge("b")]);
    let only_b = || nics(&[bridge("b")]);
    let ordinal = Setting {
        ordinal: true,
        ..Setting::default()
    };
    let gate = Setting {
        gates: &["LiveUpdateNADRef"],
        ..Setting::default()
    };
    let none = Setting::default();
    let all = |text: &'static str| vec![text];
    let linked = || vec!["-/-", "-/net"];
    let rows: Vec<(&str, Setting, Json, Json, Vec<&str>)> = vec![
        ("no change", none, base(), base(), all("-/-")),
        (
            "add multus bridge",
            none,
            base(),
            nics(&[pod(), bridge("b"), bridge("c")]),
            all("-/net"),
        ),
        (
            "add multus sriov",
            none,
            base(),
            nics(&[pod(), bridge("b"), ("c", json!({"sriov": {}}), net())]),
            all("-/net"),
        ),
        (
            "add multus binding plugin",
            none,
            base(),
            nics(&[
                pod(),
                bridge("b"),
                ("c", json!({"binding": {"name": "plug"}}), net()),
            ]),
            all("-/-"),
        ),
        (
            "add multus bridge, state absent",
            none,
            base(),
            nics(&[
                pod(),
                bridge("b"),
                ("c", json!({"bridge": {}, "state": "absent"}), net()),
            ]),
            all("-/-"),
        ),
        (
            "add multus bridge, state down",
            none,
            base(),
            nics(&[
                pod(),
                bridge("b"),
                ("c", json!({"bridge": {}, "state": "down"}), net()),
            ]),
            all("-/net"),
        ),
        (
            "remove multus (both entries)",
            none,
            base(),
            nics(&[pod()]),
            all("R/-"),
        ),
        (
            "multus state absent",
            none,
            base(),
            nics(&[pod(), state("absent")]),
            all("-/net"),
        ),
        (
            "multus state absent, ordinal names",
            ordinal,
            base(),
            nics(&[pod(), state("absent")]),
            all("-/-"),
        ),
        (
            "multus state down",
            none,
            base(),
            nics(&[pod(), state("down")]),
            linked(),
        ),
        (
            "multus state down -> up",
            none,
            nics(&[pod(), state("down")]),
            nics(&[pod(), state("up")]),
            linked(),
        ),
        (
            "multus state down -> unset",
            none,
            nics(&[pod(), state("down")]),
            base(),
            linked(),
        ),
        (
            "absent entry removed",
            none,
            nics(&[pod(), state("absent")]),
            nics(&[pod()]),
            all("R/-"),
        ),
        (
            "pod NIC state down",
            none,
            base(),
            nics(&[
                (
                    "default",
                    json!({"masquerade": {}, "state": "down"}),
                    json!({"pod": {}}),
                ),
                bridge("b"),
            ]),
            linked(),
        ),
        (
            "pod NIC state absent",
            none,
            base(),
            nics(&[
                (
                    "default",
                    json!({"masquerade": {}, "state": "absent"}),
                    json!({"pod": {}}),
                ),
                bridge("b"),
            ]),
            vec!["-/net!", "-/net!", "-/net!", "-/net", "-/net", "-/net"],
        ),
        (
            "networkName changed",
            none,
            base(),
            nics(&[pod(), ("b", json!({"bridge": {}}), other())]),
            vec!["R/-", "R/-", "R/-", "R/-", "R/-", "-/net"],
        ),
        (
            "networkName changed, gate",
            gate,
            base(),
            nics(&[pod(), ("b", json!({"bridge": {}}), other())]),
            vec!["R/-", "R/-", "R/-", "R/-", "-/net", "-/net"],
        ),
        (
            "networkName changed + state down",
            none,
            base(),
            nics(&[
                pod(),
                ("b", json!({"bridge": {}, "state": "down"}), other()),
            ]),
            vec!["R/-", "R/net", "R/net", "R/net", "R/net", "-/net"],
        ),
        (
            "pod network added (masquerade)",
            none,
            only_b(),
            base(),
            vec!["-/-", "-/-", "-/-", "-/-", "R/-", "R/-"],
        ),
        (
            "pod network added (bridge)",
            none,
            only_b(),
            nics(&[
                ("default", json!({"bridge": {}}), json!({"pod": {}})),
                bridge("b"),
            ]),
            vec!["-/net", "-/net", "-/net", "-/net", "R/net", "R/net"],
        ),
        (
            "multus model changed",
            none,
            base(),
            nics(&[pod(), b(json!({"bridge": {}, "model": "e1000"}))]),
            all("R/-"),
        ),
        (
            "pod NIC model changed",
            none,
            base(),
            nics(&[
                (
                    "default",
                    json!({"masquerade": {}, "model": "e1000"}),
                    json!({"pod": {}}),
                ),
                bridge("b"),
            ]),
            all("R/-"),
        ),
        (
            "multus macAddress set",
            none,
            base(),
            nics(&[
                pod(),
                b(json!({"bridge": {}, "macAddress": "02:00:00:00:00:01"})),
            ]),
            all("R/-"),
        ),
        (
            "order of NICs reversed",
            none,
            base(),
            nics(&[bridge("b"), pod()]),
            all("-/-"),
        ),
        (
            "add multus bridge + cpu.model",
            none,
            base(),
            with(
                nics(&[pod(), bridge("b"), bridge("c")]),
                "/domain/cpu/model",
                json!("host-passthrough"),
            ),
            all("R/net"),
        ),
        (
            "add multus bridge + sockets",
            none,
            base(),
            with(
                nics(&[pod(), bridge("b"), bridge("c")]),
                "/domain/cpu/sockets",
                json!(2),
            ),
            vec!["R/net", "S R/net; L -/net+cpu"],
        ),
    ];
    let mut wrong = Vec::new();
    for (name, setting, old, new, answers) in &rows {
        for (release, answer) in releases().zip(held(answers)) {
            for strategy in ["Stage", "LiveUpdate"] {
                let got = run(release, strategy, *setting, old, new);
                let wanted = cell(answer, strategy);
                if got != wanted {
                    wrong.push(format!(
                        "{name}, {release} {strategy}: {got}, recorded {wanted}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
