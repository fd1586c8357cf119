//! What a preference says of network interfaces.

use super::fill;
use crate::yaml::Node;

/// The ways an interface is bound.
const BINDINGS: [&str; 8] = [
    "bridge",
    "slirp",
    "masquerade",
    "sriov",
    "macvtap",
    "passt",
    "passtBinding",
    "binding",
];

/// Masquerade is preferred only for an interface without a binding, on the pod network.
/// Mirrors applyInterfacePreferences, pkg/instancetype/preference/apply/interface.go @ v1.9.0.
pub(super) fn apply(preferred: &Node, spec: &mut Node) {
    let masquerade = preferred.get("preferredInterfaceMasquerade");
    let on_pod: Vec<bool> = spec
        .items_at("domain.devices.interfaces")
        .iter()
        .map(|interface| masquerade.is_some() && is_on_pod_network(interface, spec))
        .collect();
    let Some(interfaces) = spec
        .path_mut("domain.devices.interfaces")
        .and_then(Node::items_mut)
    else {
        return;
    };
    for (interface, on_pod) in interfaces.iter_mut().zip(on_pod) {
        fill(interface, "model", preferred.get("preferredInterfaceModel"));
        let unbound = BINDINGS
            .iter()
            .all(|binding| interface.get(binding).is_none());
        if on_pod && unbound {
            fill(interface, "masquerade", masquerade);
        }
    }
}

/// The first network of the interface's name decides.
fn is_on_pod_network(interface: &Node, spec: &Node) -> bool {
    let name = interface.str_at("name");
    spec.items_at("networks")
        .iter()
        .find(|network| network.str_at("name") == name)
        .is_some_and(|network| network.get("pod").is_some())
}
