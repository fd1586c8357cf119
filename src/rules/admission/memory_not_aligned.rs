//! Memory that can grow is not a multiple of the block size.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `memory.guest` and `memory.maxGuest` that are not a multiple of 2Mi (1Gi with huge pages of 1Gi) on a VM
    /// with `maxGuest`, where running guests may change.
    ///
    /// ## Why it matters
    ///
    /// Memory is plugged in blocks of that size.
    ///
    /// KubeVirt's check: [`ValidateLiveUpdateMemory`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/liveupdate/memory/memory.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.6..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory:
    ///           guest: 1025M
    ///           maxGuest: 4Gi
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.memory.guest: Guest memory must be 2Mi aligned
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory:
    ///           guest: 1Gi
    ///           maxGuest: 4Gi
    /// ```
    ///
    /// ## Limits
    ///
    /// Depends on `vmRolloutStrategy`; without a known configuration the finding is `depends-on-configuration`.
    "memory-not-aligned": "memory that can grow is not a multiple of the block size"
}

/// The block, and how KubeVirt writes it.
fn block(guest: AdmittedGuest<'_>) -> (i64, &'static str) {
    if guest.str("domain.memory.hugepages.pageSize") == "1Gi" {
        (0x4000_0000, "1Gi")
    } else {
        (0x20_0000, "2Mi")
    }
}

/// Whether the memory is aligned; the first that is not is reported.
pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) -> bool {
    let (block, written) = block(guest);
    for (key, words) in [("guest", "Guest memory"), ("maxGuest", "MaxGuest")] {
        let path = format!("domain.memory.{key}");
        if guest.amount(&path).value() % block != 0 {
            RULE.refuse(causes, guest.at("domain.memory.guest"))
                .because(format!("{words} must be {written} aligned"))
                .at(guest.at(&path))
                .by_rollout()
                .help(format!("make it a multiple of {written}"));
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::edges;

    #[test]
    fn memory_that_grows_is_aligned_to_2mi() {
        edges(
            &RULE,
            "domain: {memory: {guest: $, maxGuest: 4Gi}}",
            &[("1026Mi", false), ("1025Mi", true), ("'1073741825'", true)],
        );
    }

    #[test]
    fn so_is_the_most_it_grows_to() {
        edges(
            &RULE,
            "domain: {memory: {guest: 1Gi, maxGuest: $}}",
            &[("1026Mi", false), ("1027Mi", true)],
        );
    }
}
