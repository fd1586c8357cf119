//! Network interfaces (NIC hotplug): which changes force a restart, and which the network synchronizer plugs by itself.

use super::{Flow, Situation, Step, named, template_spec};
use crate::diff::{self, same};
use crate::field_path::FieldPath;
use crate::release::Behaviour;
use crate::yaml::Node;

/// The interfaces of a VMI spec.
pub fn interfaces(spec: &Node) -> &[Node] {
    spec.items_at("domain.devices.interfaces")
}

/// The networks of a VMI spec.
pub fn networks(spec: &Node) -> &[Node] {
    spec.items_at("networks")
}

/// Whether another network may be attached under the same name without a restart.
pub fn renames_attachments_live(situation: &Situation) -> bool {
    situation.release.has(Behaviour::LiveUpdatesNetworkName)
        || (situation
            .release
            .has(Behaviour::LiveUpdatesNetworkNameByGate)
            && situation
                .configuration
                .gate_enabled("LiveUpdateNADRef", situation.release))
}

/// Whether what the synchronizer does to the guest is finished by a migration: an interface comes, or another network.
///
/// Mirrors shouldVMIBeMarkedForAutoMigration, pkg/network/migration/evaluator.go.
pub fn needs_migration(situation: &Situation) -> bool {
    let guest = &situation.guest.spec;
    let wanted = template_spec(situation.vm);
    let is_renamed = |network: &Node| {
        let name = "multus.networkName";
        named(networks(guest), network.str_at("name"))
            .is_some_and(|other| other.str_at(name) != network.str_at(name))
    };
    interfaces(wanted)
        .iter()
        .any(|interface| is_plugged(guest, interface))
        || networks(wanted).iter().any(is_renamed)
}

/// Whether the synchronizer plugs an interface of the new VM: one of a bridge or SR-IOV that the guest does not have, and
/// whose state is not `absent`.
pub fn is_plugged(guest: &Node, interface: &Node) -> bool {
    interface.str_at("state") != "absent"
        && (interface.get("bridge").is_some() || interface.get("sriov").is_some())
        && named(interfaces(guest), interface.str_at("name")).is_none()
}

/// Whether the new VM's networks need a restart, compared with the guest's.
///
/// Mirrors IsRestartRequired, pkg/network/vmliveupdate/restart.go.
pub fn needs_restart(situation: &Situation, current: &Node) -> bool {
    let release = situation.release;
    let wanted = template_spec(current);
    let guest = &situation.guest.spec;
    let plain = |interface: &Node| {
        let mut interface = interface.clone();
        interface.remove("state");
        interface
    };
    for interface in interfaces(guest) {
        let Some(other) = named(interfaces(wanted), interface.str_at("name")) else {
            return true;
        };
        if !same(
            release,
            "v1.Interface",
            Some(&plain(other)),
            Some(&plain(interface)),
        ) {
            return true;
        }
    }
    let has_pod = |spec| networks(spec).iter().any(|net| net.get("pod").is_some());
    if release.has(Behaviour::PodNetworkAddedNeedsRestart) && has_pod(wanted) && !has_pod(guest) {
        return true;
    }
    let comparable = |network: &Node| {
        let mut network = network.clone();
        if renames_attachments_live(situation) {
            network.remove("multus.networkName");
        }
        network
    };
    networks(guest).iter().any(|network| {
        named(networks(wanted), network.str_at("name")).is_none_or(|other| {
            !same(
                release,
                "v1.Network",
                Some(&comparable(other)),
                Some(&comparable(network)),
            )
        })
    })
}

/// Runs the network synchronizer.
///
/// Mirrors VMController.Sync, pkg/network/controllers/vm.go. The guest reports every interface it has, by names that are
/// not ordinal.
pub fn synchronize(situation: &Situation, flow: &mut Flow) {
    let wanted = template_spec(situation.vm);
    let guest = &situation.guest.spec;
    let mut plugged = interfaces(guest).to_vec();
    let mut attached = networks(guest).to_vec();
    for interface in interfaces(wanted) {
        let name = interface.str_at("name");
        let state = interface.str_at("state");
        match named(interfaces(guest), name) {
            None if is_plugged(guest, interface) => {
                attached.extend(named(networks(wanted), name).cloned());
                plugged.push(interface.clone());
            }
            Some(running)
                if (state == "absent" || situation.release.has(Behaviour::SetsInterfaceLinks))
                    && running.str_at("state") != state
                    && running.str_at("state") != "absent"
                    && !(state == "absent" && situation.guest.has_ordinal_interfaces) =>
            {
                if let Some(running) = plugged.iter_mut().find(|one| one.str_at("name") == name) {
                    if state.is_empty() {
                        running.remove("state");
                    } else {
                        running.set("state", Node::string(state));
                    }
                }
            }
            _ => {}
        }
    }
    if situation.release.has(Behaviour::SynchronizesNetworks) {
        // The controller rebuilds the list in the order of the interfaces.
        attached = plugged
            .iter()
            .filter_map(|interface| named(&attached, interface.str_at("name")).cloned())
            .collect();
    }
    if renames_attachments_live(situation) {
        for network in &mut attached {
            let name = network.str_at("name").to_owned();
            let other = named(networks(wanted), &name)
                .and_then(|other| other.path("multus"))
                .map(|multus| multus.str_at("networkName").to_owned());
            if let (Some(other), Some(_)) = (other, network.get("multus")) {
                network.set("multus.networkName", Node::string(other));
            }
        }
    }
    let list = |items: &[Node]| Node::new(crate::yaml::Value::Seq(items.to_vec()));
    let differs = |of: &str, before: &[Node], after: &[Node]| {
        !same(
            situation.release,
            of,
            Some(&list(before)),
            Some(&list(after)),
        )
    };
    let changed = differs("[]v1.Interface", interfaces(guest), &plugged)
        || (situation.release.has(Behaviour::SynchronizesNetworks)
            && differs("[]v1.Network", networks(guest), &attached));
    if !changed {
        return;
    }
    flow.live.push(Step::Network);
    if situation
        .release
        .has(Behaviour::RefusesAbsentPodInterfaceLive)
    {
        for interface in &plugged {
            let name = interface.str_at("name");
            let on_pod = named(&attached, name).is_some_and(|net| net.get("pod").is_some());
            if interface.str_at("state") == "absent" && on_pod {
                flow.denied.push((
                    Step::Network,
                    format!("\"{name}\" interface's state \"absent\" is not supported on default networks"),
                ));
            }
        }
    }
}

/// What differs between the networks of the guest and of the new VM, as paths of the VM.
pub fn differences(situation: &Situation) -> Vec<diff::Difference> {
    let wanted = template_spec(situation.vm);
    let guest = &situation.guest.spec;
    let base = FieldPath::parse("spec.template.spec");
    let mut out = Vec::new();
    for (field, of) in [
        ("domain.devices.interfaces", "[]v1.Interface"),
        ("networks", "[]v1.Network"),
    ] {
        let list = |spec: &Node| Node::new(crate::yaml::Value::Seq(spec.items_at(field).to_vec()));
        for mut difference in diff::differences(
            situation.release,
            of,
            &list(guest),
            &list(wanted),
            diff::Lists::ByKey,
        ) {
            difference.path = base.join(&FieldPath::parse(field)).join(&difference.path);
            out.push(difference);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_new_bridge_or_sriov_interface_that_is_not_absent_is_plugged() {
        let guest = Node::from_json(
            &json!({"domain": {"devices": {"interfaces": [{"name": "old", "bridge": {}}]}}}),
        );
        for (interface, plugged) in [
            (json!({"name": "new", "bridge": {}}), true),
            (json!({"name": "new", "sriov": {}}), true),
            (json!({"name": "new", "bridge": {}, "state": "down"}), true),
            (
                json!({"name": "new", "bridge": {}, "state": "absent"}),
                false,
            ),
            (
                json!({"name": "new", "sriov": {}, "state": "absent"}),
                false,
            ),
            (json!({"name": "new", "masquerade": {}}), false),
            (json!({"name": "new", "binding": {"name": "plug"}}), false),
            (json!({"name": "old", "bridge": {}}), false),
        ] {
            let node = Node::from_json(&interface);
            assert_eq!(is_plugged(&guest, &node), plugged, "{interface}");
        }
    }
}
