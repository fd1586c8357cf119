//! The update strategy of volumes needs feature gates.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports on 1.4, where running guests may change, `updateVolumesStrategy` where the feature gate
    /// `VolumesUpdateStrategy` is off, and `Migration` where `VolumeMigration` is.
    ///
    /// ## Why it matters
    ///
    /// The webhook refuses the VM. From 1.5 on neither gate is needed; where guests do not change while they run, the
    /// strategy is accepted and does nothing.
    ///
    /// KubeVirt's check: [`validateLiveUpdateFeatures`](https://github.com/kubevirt/kubevirt/blob/v1.4.1/pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,configuration
    /// vmRolloutStrategy: LiveUpdate
    /// developerConfiguration:
    ///   featureGates: [VMLiveUpdateFeatures]
    /// ```
    ///
    /// ```yaml,bad,kubevirt=1.3..=1.4
    /// spec:
    ///   updateVolumesStrategy: Replacement
    /// ```
    ///
    /// ```text
    /// updateVolumesStrategy: VolumesUpdateStrategy feature gate is not enabled in kubevirt-config
    /// ```
    ///
    /// ```yaml,good,kubevirt=1.5..
    /// spec:
    ///   updateVolumesStrategy: Replacement
    /// ```
    ///
    /// ## Limits
    ///
    /// Targets up to 1.4 only. Without a known configuration the finding is `depends-on-configuration`.
    "volumes-strategy-without-gate": "the update strategy of volumes needs feature gates"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let Some(strategy) = guest.vm.get("updateVolumesStrategy") else {
        return;
    };
    if !guest.does(Behaviour::VolumesStrategyNeedsGates) || !guest.live_update() {
        return;
    }
    let migrates = strategy.as_str() == Some("Migration");
    for (gate, is_needed) in [
        ("VolumesUpdateStrategy", true),
        ("VolumeMigration", migrates),
    ] {
        if is_needed && !guest.gate(gate) {
            RULE.refuse(causes, "updateVolumesStrategy")
                .because(format!(
                    "{gate} feature gate is not enabled in kubevirt-config"
                ))
                .at(FieldPath::from("spec.updateVolumesStrategy"))
                .gate(gate);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::words;

    /// How many causes 1.4 has for a strategy in a cluster with these gates.
    fn refused(strategy: &str, gates: &[&str]) -> usize {
        let vm = json!({"spec": {"updateVolumesStrategy": strategy}});
        let config = json!({
            "vmRolloutStrategy": "LiveUpdate",
            "developerConfiguration": {"featureGates": gates},
        });
        assert!(words(&RULE, Release::V1_5, &vm, &config).is_empty());
        words(&RULE, Release::V1_4, &vm, &config).len()
    }

    #[test]
    fn each_gate_is_missed_by_itself_and_only_where_guests_change_while_they_run() {
        let live = "VMLiveUpdateFeatures";
        let (update, migration) = ("VolumesUpdateStrategy", "VolumeMigration");
        assert_eq!(refused("Migration", &[live]), 2);
        assert_eq!(refused("Migration", &[live, update]), 1);
        assert_eq!(refused("Migration", &[live, migration]), 1);
        assert_eq!(refused("Migration", &[live, update, migration]), 0);
        assert_eq!(refused("Replacement", &[live]), 1);
        assert_eq!(refused("Replacement", &[live, update]), 0);
        assert_eq!(refused("Migration", &[]), 0);
    }
}
