//! Whether a VM runs, according to its manifest.

use super::Power;
use crate::diff::spelling::canonical;
use crate::yaml::Node;

/// Whether a VM runs, according to its manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runs {
    /// KubeVirt keeps it running.
    Yes,
    /// KubeVirt keeps it stopped.
    No,
    /// The manifest does not say.
    Perhaps,
}

/// The run strategy; `running` read as one.
pub(super) fn strategy(vm: &Node) -> String {
    canonical("kubevirt.io", "VirtualMachine", vm)
        .str_at("spec.runStrategy")
        .to_owned()
}

/// Whether a VM runs.
pub(super) fn runs(vm: &Node) -> Runs {
    match strategy(vm).as_str() {
        "Always" | "RerunOnFailure" | "Once" => Runs::Yes,
        "Halted" | "WaitAsReceiver" => Runs::No,
        _ => Runs::Perhaps,
    }
}

/// Whether the guest starts or stops. Only `Halted` stops one: what waits for a migration does not end a guest that runs.
pub(super) fn power(old: &Node, new: &Node) -> Power {
    match (runs(old), runs(new)) {
        (Runs::No, Runs::Yes) => Power::Start,
        (Runs::Yes | Runs::Perhaps, Runs::No) if strategy(new) == "Halted" => Power::Stop,
        _ => Power::Unchanged,
    }
}

/// What is assumed of a VM whose manifest does not say whether it runs.
pub(super) fn assumption(vm: &Node) -> Option<String> {
    (runs(vm) == Runs::Perhaps)
        .then(|| format!("a VM with run strategy `{}` is taken to run", strategy(vm)))
}
