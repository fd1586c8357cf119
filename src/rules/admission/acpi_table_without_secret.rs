//! An ACPI table does not name a Secret volume.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `firmware.acpi` without a table, and a `slicNameRef` or `msdmNameRef` that names no volume, or a volume
    /// that holds no Secret.
    ///
    /// ## Why it matters
    ///
    /// The tables carry a licence and are read from a Secret. 1.5 has only `slicNameRef`, and up to
    /// 1.4 nothing is checked.
    ///
    /// KubeVirt's check: [`validateFirmwareACPI`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.5..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         firmware:
    ///           acpi:
    ///             slicNameRef: licence
    /// ```
    ///
    /// ```text,kubevirt=1.5
    /// spec.template.spec.acpi: spec.template.spec.acpi does not have a matching Volume.
    /// ```
    ///
    /// ```text,kubevirt=1.6..
    /// spec.template.spec.acpi.slicNameRef: spec.template.spec.acpi does not have a matching Volume.
    /// ```
    ///
    /// ```yaml,good,kubevirt=1.2..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         firmware:
    ///           acpi:
    ///             slicNameRef: licence
    ///       volumes:
    ///         - name: licence
    ///           secret:
    ///             secretName: licence
    /// ```
    ///
    /// ## Limits
    ///
    /// The rule does not check whether the Secret exists or what it holds.
    "acpi-table-without-secret": "an ACPI table does not name a Secret volume"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let Some(acpi) = guest.spec.path("domain.firmware.acpi") else {
        return;
    };
    if !guest.does(Behaviour::ChecksAcpiTable) {
        return;
    }
    let field = guest.at("acpi");
    let place = "domain.firmware.acpi";
    if !guest.does(Behaviour::ChecksEachAcpiTable) {
        check_slic_only(guest, acpi, causes);
        return;
    }
    if acpi.str_at("slicNameRef").is_empty() && acpi.str_at("msdmNameRef").is_empty() {
        RULE.refuse(causes, field)
            .because("ACPI was set but no SLIC nor MSDM volume reference was set")
            .at(guest.at(place))
            .help("name the volume in `slicNameRef` or `msdmNameRef`");
        return;
    }
    for table in ["slicNameRef", "msdmNameRef"] {
        let name = acpi.str_at(table);
        if name.is_empty() {
            continue;
        }
        let words = match guest.volumes().iter().find(|volume| named(volume, name)) {
            Some(volume) if volume.get("secret").is_some() => continue,
            Some(_) => "refers to Volume of unsupported type.",
            None => "does not have a matching Volume.",
        };
        RULE.refuse(causes, field.field(table))
            .because(format!("{field} {words}"))
            .at(guest.at(place).field(table))
            .help(format!("add a `secret` volume named `{name}`"));
    }
}

/// In 1.5 the first volume of the name decides, and its absence is reported at the whole block.
fn check_slic_only(guest: AdmittedGuest<'_>, acpi: &Node, causes: &mut Causes) {
    let field = guest.at("acpi");
    let name = acpi.str_at("slicNameRef");
    match guest.volumes().iter().find(|volume| named(volume, name)) {
        Some(volume) if volume.get("secret").is_some() => {}
        Some(_) => {
            RULE.refuse(causes, field.field("slicNameRef"))
                .because(format!("{field} refers to Volume of unsupported type."))
                .at(guest.at("domain.firmware.acpi.slicNameRef"));
        }
        None => {
            RULE.refuse(causes, field)
                .because_it("does not have a matching Volume.")
                .at(guest.at("domain.firmware.acpi.slicNameRef"));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::words;

    #[test]
    fn an_empty_block_has_words_of_its_own() {
        let bad = json!({"spec": {"template": {"spec": {"domain": {"firmware": {"acpi": {}}}}}}});
        assert_eq!(
            words(&RULE, Release::V1_9, &bad, &json!({})),
            [(
                "spec.template.spec.acpi",
                "ACPI was set but no SLIC nor MSDM volume reference was set"
            )]
        );
        assert_eq!(
            words(&RULE, Release::V1_5, &bad, &json!({})),
            [(
                "spec.template.spec.acpi",
                "spec.template.spec.acpi does not have a matching Volume."
            )]
        );
    }
}
