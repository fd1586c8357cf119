//! Running and runStrategy are both set.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a VM with both `running` and `runStrategy`.
    ///
    /// ## Why it matters
    ///
    /// They say the same thing in two ways, and KubeVirt refuses the VM even where they agree. It often happens when a
    /// tool or a Kustomize patch adds one to a manifest that has the other.
    ///
    /// KubeVirt's check: [`validateRunStrategy`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   running: true
    ///   runStrategy: Always
    /// ```
    ///
    /// ```text
    /// spec.running: Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please use RunStrategy instead
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   runStrategy: Always
    /// ```
    "run-strategy-conflict": "running and runStrategy are both set"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if guest.vm.get("running").is_some() && guest.vm.get("runStrategy").is_some() {
        RULE.refuse(causes, "spec.running")
            .because("Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please use RunStrategy instead")
            .help("remove `running`");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::release::Release;

    /// Behaviour B01: both set is refused even where they agree, and so is neither.
    #[test]
    fn running_and_run_strategy_exclude_each_other() {
        use crate::rules::testing::rules;
        for strategy in ["Always", "Halted"] {
            for running in [true, false] {
                let both = json!({"spec": {"running": running, "runStrategy": strategy}});
                assert_eq!(
                    rules(Release::V1_9, &both, &json!({})),
                    ["run-strategy-conflict"]
                );
            }
        }
        let neither = json!({"spec": {"runStrategy": null}});
        assert_eq!(
            rules(Release::V1_9, &neither, &json!({})),
            ["missing-run-strategy"]
        );
        let running = json!({"spec": {"running": true, "runStrategy": null}});
        assert!(rules(Release::V1_9, &running, &json!({})).is_empty());
    }
}
