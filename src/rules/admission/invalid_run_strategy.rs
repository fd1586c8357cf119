//! The run strategy is unknown.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `runStrategy` that is not exactly `Always`, `Halted`, `Manual`, `RerunOnFailure` or `Once`, and
    /// `WaitAsReceiver` where the feature gate `DecentralizedLiveMigration` is off (1.6 and later).
    ///
    /// ## Why it matters
    ///
    /// The names are case-sensitive; `always` is refused.
    ///
    /// KubeVirt's check: [`validateRunStrategy`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   runStrategy: always
    /// ```
    ///
    /// ```text
    /// spec.runStrategy: Invalid RunStrategy (always)
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   runStrategy: Always
    /// ```
    "invalid-run-strategy": "the run strategy is unknown"
}

const KNOWN: [&str; 5] = ["Always", "Halted", "Manual", "RerunOnFailure", "Once"];

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let Some(strategy) = guest.vm.get("runStrategy").and_then(Node::as_str) else {
        return;
    };
    if strategy == "WaitAsReceiver" && guest.does(Behaviour::HasWaitAsReceiver) {
        let gate = "DecentralizedLiveMigration";
        if !guest.gate(gate) {
            RULE.refuse(causes, "spec.runStrategy")
                .because(format!("Invalid RunStrategy ({strategy}), {gate} feature gate is not enabled in kubevirt resource")).gate(gate);
        }
    } else if !KNOWN.contains(&strategy) {
        let meant = KNOWN
            .into_iter()
            .find(|known| known.eq_ignore_ascii_case(strategy));
        RULE.refuse(causes, "spec.runStrategy")
            .because(format!("Invalid RunStrategy ({strategy})"))
            .help(match meant {
                Some(meant) => format!("write `{meant}`; the names are case-sensitive"),
                None => format!("use one of `{}`", KNOWN.join("`, `")),
            });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::words;

    /// Behaviour B03: the names are case-sensitive; one is behind a gate.
    #[test]
    fn run_strategies_are_case_sensitive() {
        for (strategy, release, accepted) in [
            ("Always", Release::V1_9, true),
            ("RerunOnFailure", Release::V1_5, true),
            ("Once", Release::V1_9, true),
            ("always", Release::V1_9, false),
            ("halted", Release::V1_9, false),
            ("Sometimes", Release::V1_9, false),
            ("WaitAsReceiver", Release::V1_9, false),
            ("WaitAsReceiver", Release::V1_5, false),
        ] {
            let vm = json!({"spec": {"runStrategy": strategy}});
            assert_eq!(
                words(&RULE, release, &vm, &json!({})).is_empty(),
                accepted,
                "{strategy}"
            );
        }
        let config =
            json!({"developerConfiguration": {"featureGates": ["DecentralizedLiveMigration"]}});
        let vm = json!({"spec": {"runStrategy": "WaitAsReceiver"}});
        assert!(words(&RULE, Release::V1_9, &vm, &config).is_empty());
        assert!(!words(&RULE, Release::V1_5, &vm, &config).is_empty());
    }
}
