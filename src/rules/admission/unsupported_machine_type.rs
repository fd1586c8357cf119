//! The cluster does not emulate the machine type.

use super::prelude::*;
use crate::rules::admission::patterns;

rule! {
    /// ## What it does
    ///
    /// Reports a `machine.type` that matches none of the cluster's `emulatedMachines`: by default `q35*` and `pc-q35*`
    /// on amd64, `virt*` on arm64, `s390-ccw-virtio*` on s390x.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt starts only machines that it is told to support, and refuses the VM. Up to 1.5 the entries are regular
    /// expressions that may match anywhere in the name, from 1.6 on they are globs over the whole name.
    ///
    /// KubeVirt's check: [`validateEmulatedMachine`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         machine:
    ///           type: pc-i440fx-2.10
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.machine.type: spec.template.spec.domain.machine.type is not supported: pc-i440fx-2.10 (allowed values: [q35* pc-q35*])
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         machine:
    ///           type: q35
    /// ```
    ///
    /// ## Limits
    ///
    /// Depends on the cluster's `emulatedMachines`; without a known configuration the finding is
    /// `depends-on-configuration`.
    "unsupported-machine-type": "the cluster does not emulate the machine type"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let machine = guest.str("domain.machine.type");
    if machine.is_empty() {
        return;
    }
    let globs = guest.does(Behaviour::MachineTypesAreGlobs);
    let supported = guest
        .config
        .emulated_machines(guest.str("architecture"), guest.release);
    for pattern in &supported {
        let fits = if globs {
            Some(patterns::glob(pattern, machine))
        } else {
            patterns::regex(pattern, machine)
        };
        match fits {
            Some(true) => return,
            Some(false) => {}
            None => {
                causes.crash(format!(
                    "`{pattern}` of `emulatedMachines` is not a regular expression"
                ));
                return;
            }
        }
    }
    RULE.refuse(causes, guest.at("domain.machine.type"))
        .because_it(format!(
            "is not supported: {machine} (allowed values: [{}])",
            supported.join(" ")
        ))
        .setting("`emulatedMachines`")
        .help(format!("use one of {}", supported.join(", ")));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::release::Release;
    use crate::rules::testing::reviewed;

    #[test]
    fn ck15_patterns_are_expressions_up_to_1_5_and_globs_since() {
        let machine = json!({"spec": {"template": {"spec": {"domain": {"machine": {"type": "pc-q35-9.0"}}}}}});
        let refused = |release, pattern: &str| {
            let review = reviewed(release, &machine, &json!({"emulatedMachines": [pattern]}));
            (!review.hits.is_empty(), review.crash.is_some())
        };
        for (pattern, up_to_1_5, since) in [
            ("^pc-(q35|i440fx)-.*$", (false, false), (true, false)),
            ("q35", (false, false), (true, false)),
            ("*q35*", (false, true), (false, false)),
            ("pc-q35*", (false, false), (false, false)),
            ("pc-i440fx*", (true, false), (true, false)),
        ] {
            assert_eq!(refused(Release::V1_5, pattern), up_to_1_5, "{pattern}");
            assert_eq!(refused(Release::V1_6, pattern), since, "{pattern}");
        }
    }
}
