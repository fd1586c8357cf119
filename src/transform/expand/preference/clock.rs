//! The clock a preference sets.

use super::fill;
use crate::yaml::Node;

/// The offset is taken whole, and only where the VM sets neither half.
/// Mirrors applyClockPreferences, pkg/instancetype/preference/apply/clock.go @ v1.9.0.
pub(super) fn apply(preference: &Node, spec: &mut Node) {
    let Some(preferred) = preference.get("clock") else {
        return;
    };
    let clock = spec.ensure("domain.clock", preferred.origin);
    if let Some(offset) = preferred.get("preferredClockOffset")
        && clock.get("utc").is_none()
        && clock.get("timezone").is_none()
    {
        for half in ["utc", "timezone"] {
            if let Some(value) = offset.get(half) {
                clock.set(half, value.clone());
            }
        }
    }
    fill(clock, "timer", preferred.get("preferredTimer"));
}
