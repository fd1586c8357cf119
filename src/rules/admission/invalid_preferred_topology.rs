//! A preference's CPU topology is unknown, or its spread is invalid.

use super::prelude::*;
use crate::resolve::preference::{Spread, Topology};

rule! {
    /// ## What it does
    ///
    /// Reports a preference whose `cpu.preferredCPUTopology` KubeVirt does not know, and for `spread` a
    /// `spreadOptions.across` it does not know or a ratio other than 2 across cores and threads.
    ///
    /// ## Why it matters
    ///
    /// Cores have two threads, so only that ratio can be spread over them.
    ///
    /// KubeVirt's check: [`validatePreferredCPUTopology`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/instancetype/preference/webhooks/admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachinePreference
    /// metadata:
    ///   name: linux
    /// spec:
    ///   cpu:
    ///     preferredCPUTopology: diagonal
    /// ```
    ///
    /// ```text
    /// spec.cpu.preferredCPUTopology: unknown preferredCPUTopology diagonal
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachinePreference
    /// metadata:
    ///   name: linux
    /// spec:
    ///   cpu:
    ///     preferredCPUTopology: cores
    /// ```
    "invalid-preferred-topology": "a preference's CPU topology is unknown, or its spread is invalid"
}

pub(super) fn check(spec: &Node, causes: &mut Causes) {
    let topology = spec.path("cpu.preferredCPUTopology").and_then(Node::as_str);
    let Some(topology) = topology else {
        return;
    };
    match Topology::preferred(Some(spec)) {
        Topology::Unknown => {
            RULE.refuse(causes, "spec.cpu.preferredCPUTopology")
                .because(format!("unknown preferredCPUTopology {topology}"))
                .help("use `sockets`, `cores`, `threads`, `spread` or `any`");
        }
        Topology::Spread => check_spread(Spread::preferred(spec), causes),
        _ => {}
    }
}

fn check_spread(spread: Spread<'_>, causes: &mut Causes) {
    let across = spread.across;
    if !matches!(
        across,
        "CoresThreads" | "SocketsCores" | "SocketsCoresThreads"
    ) {
        RULE.refuse(causes, "spec.cpu.spreadOptions.across")
            .because(format!("across {across} is not supported"))
            .help("use `SocketsCores`, `CoresThreads` or `SocketsCoresThreads`");
    } else if across == "CoresThreads" && spread.ratio != 2 {
        RULE.refuse(causes, "spec.cpu.spreadOptions.ratio")
            .because("only a ratio of 2 (1 core 2 threads) is allowed when spreading vCPUs over cores and threads")
            .help("leave the ratio out");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rules::testing::spec_words;

    #[test]
    fn topologies_and_spread_options_are_known_words() {
        let said = |cpu: serde_json::Value| spec_words(&RULE, check, &json!({"cpu": cpu}));
        assert_eq!(
            said(json!({"preferredCPUTopology": "diagonal"})),
            [(
                "spec.cpu.preferredCPUTopology",
                "unknown preferredCPUTopology diagonal"
            )]
        );
        assert_eq!(
            said(
                json!({"preferredCPUTopology": "spread", "spreadOptions": {"across": "Everywhere"}})
            ),
            [(
                "spec.cpu.spreadOptions.across",
                "across Everywhere is not supported"
            )]
        );
        assert_eq!(
            said(json!({"preferredCPUTopology": "preferSpread", "spreadOptions": {"across": "CoresThreads", "ratio": 3}}))[0].0,
            "spec.cpu.spreadOptions.ratio"
        );
        assert!(said(json!({"spreadOptions": {"across": "Everywhere"}})).is_empty());
        assert!(said(json!({"preferredCPUTopology": "any"})).is_empty());
    }
}
