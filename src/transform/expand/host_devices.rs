//! Host devices of an instance type: the whole list, or a conflict.

use super::Application;

/// Mirrors applyHostDevices, pkg/instancetype/apply/hostdevices.go @ v1.9.0.
pub(super) fn apply(to: &mut Application) {
    let Some(devices) = to.given("hostDevices").cloned() else {
        return;
    };
    if !to.conflict_if_set("domain.devices.hostDevices") {
        to.spec().set("domain.devices.hostDevices", devices);
    }
}
