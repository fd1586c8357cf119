//! Guest memory of an instance type, and the memory request its overcommit makes.

use super::Application;
use crate::release::Behaviour;
use crate::resource::quantity::{Quantity, QuantityFormat};
use crate::yaml::Node;

/// Mirrors applyMemory, pkg/instancetype/apply/memory.go @ v1.9.0 and v1.5.3. Only the first conflict is reported.
pub(super) fn apply(to: &mut Application) {
    if conflicts(to) {
        return;
    }
    let given = to.instancetype.node.get("memory");
    let origin = given.map_or(to.instancetype.node.origin, |memory| memory.origin);
    let guest = given
        .and_then(|memory| memory.get("guest").cloned())
        .unwrap_or_else(|| Node::string("0").with_origin(origin));
    let request = given.and_then(|memory| {
        let percent = memory.get("overcommitPercent")?;
        Some(overcommitted(&guest, percent.as_i64()?)?.with_origin(percent.origin))
    });
    let spec = to.spec();
    spec.set("domain.memory.guest", guest);
    if let Some(request) = request {
        spec.set("domain.resources.requests.memory", request);
    }
    for key in ["hugepages", "maxGuest"] {
        if let Some(value) = given.and_then(|memory| memory.get(key)) {
            spec.ensure_map("domain.memory", value.origin)
                .insert(key, value.clone());
        }
    }
}

/// The memory request of a guest whose memory is overcommitted by `percent`. KubeVirt computes it with 32-bit floats,
/// so the low bits are what those leave.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "the loss is KubeVirt's, and part of the answer"
)]
fn overcommitted(guest: &Node, percent: i64) -> Option<Node> {
    if percent <= 0 {
        return None;
    }
    let guest = Quantity::from_node(guest);
    let (value, format) = guest.map_or((0, QuantityFormat::DecimalSI), |guest| {
        (guest.value(), guest.format())
    });
    let request = value as f32 * (1.0 - percent as f32 / 100.0);
    let request = Quantity::from_value(request as i64, format);
    Some(Node::string(request.to_string()))
}

/// Mirrors validateMemory, pkg/instancetype/apply/memory.go @ v1.9.0. Before 1.7 any memory of the VM, even an empty
/// mapping, is one conflict.
fn conflicts(to: &mut Application) -> bool {
    if to.release.has(Behaviour::MemoryConflictsByField) {
        if to.conflict_if_set("domain.memory.guest") {
            return true;
        }
        for key in ["hugepages", "maxGuest"] {
            let gives = to
                .given("memory")
                .is_some_and(|memory| memory.get(key).is_some());
            if gives && to.conflict_if_set(&format!("domain.memory.{key}")) {
                return true;
            }
        }
    } else if to.conflict_if_set("domain.memory") {
        return true;
    }
    to.conflict_if_set("domain.resources.requests.memory")
        || to.conflict_if_set("domain.resources.limits.memory")
}
