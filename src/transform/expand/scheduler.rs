//! `schedulerName` of an instance type.

use super::Application;

/// Mirrors applySchedulerName, pkg/instancetype/apply/scheduler.go @ v1.9.0.
pub(super) fn apply(to: &mut Application) {
    let Some(name) = to.given("schedulerName").cloned() else {
        return;
    };
    if !to.conflict_if_set("schedulerName") {
        to.spec().set("schedulerName", name);
    }
}
