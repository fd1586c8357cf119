//! An instance type's overcommit is out of range, or is combined with huge pages.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `memory.overcommitPercent` of an instance type outside 0 to 100, and one above zero beside
    /// `memory.hugepages`.
    ///
    /// ## Why it matters
    ///
    /// Overcommit takes that share off the memory request; huge pages are reserved whole.
    ///
    /// KubeVirt's check: [`validateMemoryOvercommitPercentSetting`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/instancetype/webhooks/admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachineInstancetype
    /// metadata:
    ///   name: small
    /// spec:
    ///   cpu:
    ///     guest: 1
    ///   memory:
    ///     guest: 1Gi
    ///     overcommitPercent: 150
    /// ```
    ///
    /// ```text
    /// spec.memory.overcommitPercent: spec.memory.overcommitPercent '150': must be in range between 0 and 100.
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: instancetype.kubevirt.io/v1beta1
    /// kind: VirtualMachineInstancetype
    /// metadata:
    ///   name: small
    /// spec:
    ///   cpu:
    ///     guest: 1
    ///   memory:
    ///     guest: 1Gi
    ///     overcommitPercent: 50
    /// ```
    "invalid-overcommit": "an instance type's overcommit is out of range, or is combined with huge pages"
}

pub(super) fn check(spec: &Node, causes: &mut Causes) {
    let field = "spec.memory.overcommitPercent";
    let percent = spec.int_at("memory.overcommitPercent");
    if !(0..=100).contains(&percent) {
        RULE.refuse(causes, field)
            .because_it(format!("'{percent}': must be in range between 0 and 100."))
            .help("give a share of the memory from 0 to 100");
    }
    if percent != 0 && spec.path("memory.hugepages").is_some() {
        RULE.refuse(causes, field)
            .because_it("and spec.memory.hugepages should not be requested together.")
            .help("keep either `overcommitPercent` or `hugepages`");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rules::testing::spec_words;

    #[test]
    fn overcommit_is_a_share_and_excludes_huge_pages() {
        let said = |memory: serde_json::Value| spec_words(&RULE, check, &json!({"memory": memory}));
        assert_eq!(
            said(json!({"overcommitPercent": 150})),
            [(
                "spec.memory.overcommitPercent",
                "spec.memory.overcommitPercent '150': must be in range between 0 and 100."
            )]
        );
        assert_eq!(
            said(json!({"overcommitPercent": 50, "hugepages": {"pageSize": "2Mi"}})).len(),
            1
        );
        for (percent, refused) in [
            (-1, true),
            (0, false),
            (50, false),
            (100, false),
            (101, true),
        ] {
            let hits = said(json!({"overcommitPercent": percent})).len();
            assert_eq!(hits, usize::from(refused), "{percent}");
        }
    }
}
