//! The firmware's serial number is invalid.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports on 1.4 a `firmware.serial` with other characters than letters, digits and `_ . + -`, or longer than 256
    /// bytes.
    ///
    /// ## Why it matters
    ///
    /// The webhook refuses the VM. From 1.5 on it takes any text.
    ///
    /// KubeVirt's check: [`validateFirmwareSerial`](https://github.com/kubevirt/kubevirt/blob/v1.4.1/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=..=1.4
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         firmware:
    ///           serial: number 1
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.firmware.serial: spec.template.spec.domain.firmware.serial must be made up of the following characters [A-Za-z0-9_.+-], if specified
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         firmware:
    ///           serial: number-1
    /// ```
    ///
    /// ## Limits
    ///
    /// Targets up to 1.4 only.
    "invalid-firmware-serial": "the firmware's serial number is invalid"
}

/// Most bytes that a serial number has.
const MOST: usize = 256;

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let serial = guest.str("domain.firmware.serial");
    if serial.is_empty() || !guest.does(Behaviour::ChecksFirmwareSerial) {
        return;
    }
    let field = guest.at("domain.firmware.serial");
    if serial.len() > MOST {
        RULE.refuse(causes, &field).because(format!(
            "{field} must be less than or equal to {MOST} in length, if specified"
        ));
    }
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_.+-".contains(&byte);
    if !serial.bytes().all(fits) {
        RULE.refuse(causes, &field)
            .because_it("must be made up of the following characters [A-Za-z0-9_.+-], if specified")
            .help("use letters, digits and `_ . + -`");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::edges_on;

    #[test]
    fn a_serial_has_256_bytes_at_most_on_1_4() {
        let long = "a".repeat(257);
        for (release, checks) in [(Release::V1_4, true), (Release::V1_5, false)] {
            edges_on(
                &RULE,
                release,
                &json!({}),
                "domain: {firmware: {serial: \"$\"}}",
                &[
                    (&"a".repeat(255), false),
                    (&"a".repeat(256), false),
                    (&long, checks),
                    ("a b", checks),
                    ("a_B.1+-", false),
                    ("", false),
                ],
            );
        }
    }
}
