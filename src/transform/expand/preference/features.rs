//! Guest features a preference switches.

use super::super::set_plain;
use super::fill;
use crate::yaml::Node;

/// Mirrors applyFeaturePreferences, pkg/instancetype/preference/apply/features.go @ v1.9.0.
pub(super) fn apply(preference: &Node, spec: &mut Node) {
    let Some(preferred) = preference.get("features") else {
        return;
    };
    spec.ensure_map("domain.features", preferred.origin);
    let features = spec.path_mut("domain.features").expect("made above");
    // Go cannot tell an ACPI setting that was written from none, so the preference wins.
    if let Some(acpi) = preferred.get("preferredAcpi") {
        set_plain(features, "acpi", acpi.clone());
    }
    fill(features, "apic", preferred.get("preferredApic"));
    if let Some(hyperv) = preferred.get("preferredHyperv") {
        apply_hyperv(hyperv, features);
    }
    fill(features, "kvm", preferred.get("preferredKvm"));
    fill(features, "pvspinlock", preferred.get("preferredPvspinlock"));
    fill(features, "smm", preferred.get("preferredSmm"));
}

/// Every enlightenment for itself, none merged.
fn apply_hyperv(preferred: &Node, features: &mut Node) {
    features.ensure_map("hyperv", preferred.origin);
    let hyperv = features.get_mut("hyperv").expect("made above");
    for entry in preferred.entries() {
        fill(hyperv, &entry.key, Some(&entry.node));
    }
}
