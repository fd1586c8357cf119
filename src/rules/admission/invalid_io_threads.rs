//! The I/O threads policy is unknown or has no thread count.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports an `ioThreadsPolicy` other than `shared`, `auto` and, from 1.5 on, `supplementalPool`; and `supplementalPool`
    /// without a positive `ioThreads.supplementalPoolThreadCount`.
    ///
    /// ## Why it matters
    ///
    /// A pool must have a size.
    ///
    /// KubeVirt's check: [`validateIOThreadsPolicy`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         ioThreadsPolicy: supplementalPool
    /// ```
    ///
    /// ```text,kubevirt=..=1.4
    /// spec.template.spec.domain.ioThreadsPolicy: Invalid IOThreadsPolicy (supplementalPool)
    /// ```
    ///
    /// ```text,kubevirt=1.5..
    /// spec.template.spec.domain.ioThreads.count: the number of iothreads needs to be set and positive for the dedicated policy
    /// ```
    ///
    /// ```yaml,good,kubevirt=1.5..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         ioThreadsPolicy: supplementalPool
    ///         ioThreads:
    ///           supplementalPoolThreadCount: 2
    /// ```
    "invalid-io-threads": "the I/O threads policy is unknown or has no thread count"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let Some(policy) = guest
        .spec
        .path("domain.ioThreadsPolicy")
        .and_then(Node::as_str)
    else {
        return;
    };
    let has_pool = guest.does(Behaviour::HasSupplementalPool);
    let is_pool = policy == "supplementalPool" && has_pool;
    if !matches!(policy, "shared" | "auto") && !is_pool {
        RULE.refuse(causes, guest.at("domain.ioThreadsPolicy"))
            .because(format!("Invalid IOThreadsPolicy ({policy})"))
            .help(if has_pool {
                "use `shared`, `auto` or `supplementalPool`"
            } else {
                "use `shared` or `auto`"
            });
    }
    let count = guest.int("domain.ioThreads.supplementalPoolThreadCount");
    if is_pool && count < 1 {
        RULE.refuse(causes, guest.at("domain.ioThreads.count"))
            .because(
                "the number of iothreads needs to be set and positive for the dedicated policy",
            )
            .at(guest.at("domain.ioThreads.supplementalPoolThreadCount"))
            .help("set `ioThreads.supplementalPoolThreadCount`");
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::edges;

    #[test]
    fn a_supplemental_pool_has_a_thread() {
        edges(
            &RULE,
            "domain: {ioThreadsPolicy: supplementalPool, ioThreads: {supplementalPoolThreadCount: $}}",
            &[("0", true), ("1", false)],
        );
    }
}
