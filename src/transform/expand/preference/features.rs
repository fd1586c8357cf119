//! Guest features a preference turns on or off.

use super::super::set_plain;
use super::{fill, fill_all};
use crate::yaml::Node;

/// Mirrors applyFeaturePreferences, pkg/instancetype/preference/apply/features.go @ v1.9.0.
pub(super) fn apply(preference: &Node, spec: &mut Node) {
    let Some(preferred) = preference.get("features") else {
        return;
    };
    let features = spec.ensure("domain.features", preferred.origin);
    // Go cannot tell an ACPI setting that was written from none, so the preference wins.
    if let Some(acpi) = preferred.get("preferredAcpi") {
        set_plain(features, "acpi", acpi.clone());
    }
    fill(features, "apic", preferred.get("preferredApic"));
    if let Some(hyperv) = preferred.get("preferredHyperv") {
        apply_hyperv(hyperv, features);
    }
    let pairs = [
        ("kvm", "preferredKvm"),
        ("pvspinlock", "preferredPvspinlock"),
        ("smm", "preferredSmm"),
    ];
    fill_all(features, preferred, &pairs);
}

/// Every enlightenment for itself, none merged.
fn apply_hyperv(preferred: &Node, features: &mut Node) {
    let hyperv = features.ensure("hyperv", preferred.origin);
    for entry in preferred.entries() {
        fill(hyperv, &entry.key, Some(&entry.node));
    }
}
