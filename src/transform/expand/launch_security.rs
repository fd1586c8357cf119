//! Launch security of an instance type.

use super::Application;

/// Mirrors applyLaunchSecurity, pkg/instancetype/apply/launchsecurity.go @ v1.9.0.
pub(super) fn apply(to: &mut Application) {
    let Some(security) = to.given("launchSecurity").cloned() else {
        return;
    };
    if !to.conflict_if_set("domain.launchSecurity") {
        to.spec().set("domain.launchSecurity", security);
    }
}
