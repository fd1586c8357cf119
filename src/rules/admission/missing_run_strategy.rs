//! The VM has no run strategy.

use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::AdmittedGuest;

rule! {
    /// ## What it does
    ///
    /// Reports a VM with neither `runStrategy` nor `running`.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt does not guess whether the guest is to run.
    ///
    /// KubeVirt's check: [`validateRunStrategy`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   runStrategy: null
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   runStrategy: Halted
    /// ```
    ///
    /// ## Limits
    ///
    /// None: everything it looks at is in the manifest.
    "missing-run-strategy": "the VM has no run strategy"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if guest.vm.get("running").is_none() && guest.vm.get("runStrategy").is_none() {
        causes
            .push(&RULE, "spec.running", "RunStrategy must be specified")
            .at("spec.runStrategy")
            .help(
                "set `runStrategy`: `Always` for a guest that runs, `Halted` for one that does not",
            );
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::words;

    #[test]
    fn the_bad_is_refused_and_the_good_is_not() {
        let bad = json!({"spec": {"runStrategy": null}});
        assert_eq!(
            words(&RULE, Release::V1_9, &bad, &json!({})),
            [("spec.running", "RunStrategy must be specified"),]
        );
        let good = json!({"spec": {"runStrategy": "Halted"}});
        assert!(words(&RULE, Release::V1_9, &good, &json!({})).is_empty());
    }
}
