//! KubeVirt's code would crash on the VM.

rule! {
    /// ## What it does
    ///
    /// Reports a VM on which code of the target release dereferences a nil pointer or divides by zero, such as a huge
    /// page size of 0.
    ///
    /// ## Why it matters
    ///
    /// The webhook's answer is then an internal error, or the controller keeps failing; nothing in it says what is
    /// wrong.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory:
    ///           guest: 1Gi
    ///           hugepages:
    ///             pageSize: '0'
    /// ```
    ///
    /// ```text
    /// spec: KubeVirt would crash: spec.template.spec.domain.memory.hugepages.pageSize is 0, so that KubeVirt divides by zero
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory:
    ///           guest: 1Gi
    ///           hugepages:
    ///             pageSize: 2Mi
    /// ```
    ///
    /// ## Limits
    ///
    /// Covers what was found by running and reading the releases; a crash elsewhere is possible.
    "kubevirt-would-crash": "KubeVirt's code would crash on the VM"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::release::Release;
    use crate::rules::testing::reviewed;

    #[test]
    fn a_page_size_of_zero_crashes_every_release() {
        for release in [Release::V1_5, Release::V1_6, Release::V1_9] {
            let vm = json!({"spec": {"template": {"spec": {"domain": {"memory": {"hugepages": {"pageSize": "0"}}}}}}});
            assert!(reviewed(release, &vm, &json!({})).crash.is_some());
        }
    }
}
