//! `nodeSelector` of an instance type.

use super::{Application, set_plain};

/// Mirrors applyNodeSelector, pkg/instancetype/apply/nodeselector.go @ v1.9.0.
pub(super) fn apply(to: &mut Application) {
    if !to.instancetype.has_node_selector || to.conflict_if_set("nodeSelector") {
        return;
    }
    if let Some(selector) = to.given("nodeSelector").cloned() {
        set_plain(to.spec(), "nodeSelector", selector);
    }
}
