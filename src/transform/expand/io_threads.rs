//! IO threads and their policy, of an instance type.

use super::Application;

/// Mirrors applyIOThreads, pkg/instancetype/apply/iothreads.go @ v1.9.0; the field exists from 1.7 on.
pub(super) fn apply(to: &mut Application) {
    let Some(count) = to.given("ioThreads.supplementalPoolThreadCount").cloned() else {
        return;
    };
    if !to.conflict_if_set("domain.ioThreads.supplementalPoolThreadCount") {
        to.spec()
            .set("domain.ioThreads.supplementalPoolThreadCount", count);
    }
}

/// Mirrors applyIOThreadPolicy, pkg/instancetype/apply/iothreadpolicy.go @ v1.9.0.
pub(super) fn apply_policy(to: &mut Application) {
    let Some(policy) = to.given("ioThreadsPolicy").cloned() else {
        return;
    };
    if !to.conflict_if_set("domain.ioThreadsPolicy") {
        to.spec().set("domain.ioThreadsPolicy", policy);
    }
}
