//! Fields of an instance type that are taken whole, or conflict where the VM sets them too.

use super::Application;

/// Takes the field `given` of the instance type to `path` of the VMI spec.
fn take(to: &mut Application, given: &str, path: &str) {
    let Some(value) = to.given(given).cloned() else {
        return;
    };
    if !to.conflict_if_set(path) {
        to.spec().set(path, value);
    }
}

/// Mirrors applySchedulerName, pkg/instancetype/apply/scheduler.go @ v1.9.0.
pub(super) fn scheduler(to: &mut Application) {
    take(to, "schedulerName", "schedulerName");
}

/// Mirrors applyIOThreads, pkg/instancetype/apply/iothreads.go @ v1.9.0; the field exists from 1.7 on. Then
/// applyIOThreadPolicy, iothreadpolicy.go.
pub(super) fn io_threads(to: &mut Application) {
    let count = "ioThreads.supplementalPoolThreadCount";
    take(to, count, &format!("domain.{count}"));
    take(to, "ioThreadsPolicy", "domain.ioThreadsPolicy");
}

/// Mirrors applyLaunchSecurity, pkg/instancetype/apply/launchsecurity.go @ v1.9.0.
pub(super) fn launch_security(to: &mut Application) {
    take(to, "launchSecurity", "domain.launchSecurity");
}

/// Mirrors applyGPUs and applyHostDevices, pkg/instancetype/apply/gpu.go and hostdevices.go @ v1.9.0.
pub(super) fn devices(to: &mut Application) {
    take(to, "gpus", "domain.devices.gpus");
    take(to, "hostDevices", "domain.devices.hostDevices");
}
