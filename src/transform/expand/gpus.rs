//! GPUs of an instance type: the whole list, or a conflict.

use super::Application;

/// Mirrors applyGPUs, pkg/instancetype/apply/gpu.go @ v1.9.0.
pub(super) fn apply(to: &mut Application) {
    let Some(gpus) = to.given("gpus").cloned() else {
        return;
    };
    if !to.conflict_if_set("domain.devices.gpus") {
        to.spec().set("domain.devices.gpus", gpus);
    }
}
