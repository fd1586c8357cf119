//! The memory does not fit the huge page size.

use super::prelude::*;
use crate::resource::quantity::Quantity;

rule! {
    /// ## What it does
    ///
    /// Reports a `memory.hugepages.pageSize` that is not a quantity, is larger than the guest's memory, or does not divide it
    /// evenly. A page size of zero makes KubeVirt's webhook crash and is reported as
    /// `kubevirt-would-crash`.
    ///
    /// ## Why it matters
    ///
    /// A guest gets whole huge pages, so its memory must be a multiple of the page size. KubeVirt compares the memory
    /// request. From 1.6 on, without a request, it uses the guest memory, or else the memory limit. The error message always
    /// names the request, and shows `'0'` if there is none.
    ///
    /// KubeVirt's check: [`validateHugepagesMemoryRequests`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         memory:
    ///           guest: 1025Mi
    ///           hugepages:
    ///             pageSize: 2Mi
    /// ```
    ///
    /// ```text,kubevirt=..=1.5
    /// spec.template.spec.domain.resources.requests.memory: spec.template.spec.domain.resources.requests.memory '1025Mi' is not a multiple of the page size spec.template.spec.domain.hugepages.size '2Mi'
    /// ```
    ///
    /// ```text,kubevirt=1.6..=1.7
    /// spec.template.spec.domain.resources.requests.memory: spec.template.spec.domain.resources.requests.memory '0' is not a multiple of the page size spec.template.spec.domain.hugepages.size '2Mi'
    /// ```
    ///
    /// ```text,kubevirt=1.8..
    /// spec.template.spec.domain.resources.requests.memory: spec.template.spec.domain.resources.requests.memory '0' is not a multiple of the page size spec.template.spec.domain.memory.hugepages.pageSize '2Mi'
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
    "invalid-hugepages": "the memory does not fit the huge page size"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let Some(hugepages) = guest.spec.path("domain.memory.hugepages") else {
        return;
    };
    let size = hugepages.str_at("pageSize");
    let here = guest.at("domain.memory.hugepages.pageSize");
    let named = if guest.does(Behaviour::NamesHugepagesField) {
        here.clone()
    } else {
        guest.at("domain.hugepages.size")
    };
    let Ok(page) = Quantity::parse(size) else {
        RULE.refuse(causes, named)
            .because_it(format!("'{size}': quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"))
            .at(here)
            .help("give a page size such as `2Mi` or `1Gi`");
        return;
    };
    let request = guest.amount("domain.resources.requests.memory");
    let mut memory = request.value();
    let falls_back = guest.does(Behaviour::HugepagesFallBackToGuestMemory);
    if falls_back && memory == 0 {
        memory = guest.amount("domain.memory.guest").value();
    }
    if falls_back && memory == 0 {
        memory = guest.amount("domain.resources.limits.memory").value();
    }
    let small = memory < page.value() && !(falls_back && memory == 0);
    if !small && page.value() == 0 {
        causes.crash(format!("{here} is 0, so that KubeVirt divides by zero"));
        return;
    }
    let words = if small {
        "must be equal to or larger than page size"
    } else if memory.wrapping_rem(page.value()) != 0 {
        "is not a multiple of the page size"
    } else {
        return;
    };
    RULE.refuse(causes, guest.at("domain.resources.requests.memory"))
        .because_it(format!("'{request}' {words} {named} '{size}'"))
        .at(if guest.has("domain.resources.requests.memory") {
            guest.at("domain.resources.requests.memory")
        } else {
            guest.at("domain.memory.guest")
        })
        .help(format!("make the memory a multiple of `{size}`"));
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::edges;

    #[test]
    fn memory_is_a_multiple_of_the_page() {
        let spec = "domain: {memory: {guest: $, hugepages: {pageSize: 2Mi}}}";
        edges(
            &RULE,
            spec,
            &[
                ("1Mi", true),
                ("2Mi", false),
                ("3Mi", true),
                ("4Mi", false),
                ("'4194305'", true),
            ],
        );
    }
}
