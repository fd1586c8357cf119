//! User data that cloud-init does not recognise.

use crate::rules::cloud_init::user_data::user_data;
use crate::rules::guests::guests;
use crate::rules::{Context, Findings};

rule! {
    /// ## What it does
    ///
    /// Reports `userData` (and `userDataBase64`) whose first line is not one that cloud-init knows: `#cloud-config`,
    /// `#!`, `#include`, `Content-Type:` and their kin. User data for Ignition, Talos and cloudbase-init is recognised
    /// too.
    ///
    /// ## Why it matters
    ///
    /// cloud-init ignores such text, with a warning in a log inside a guest that nobody can log into.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           cloudInitNoCloud:
    ///             userData: |
    ///               users: []
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[0].cloudInitNoCloud.userData: cloud-init ignores this: its first line names no format it knows
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           cloudInitNoCloud:
    ///             userData: |
    ///               #cloud-config
    ///               users: []
    /// ```
    ///
    /// ## Limits
    ///
    /// Only the first line is read. Encrypted user data is not seen.
    "cloud-init-header": "cloud-init does not recognise the first line of the user data",
    level: Warning,
    check: Catalog(check),
}

/// How user data may begin, in lower case.
const HEADERS: [&str; 17] = [
    "## template:",
    "#!",
    "#cloud-boothook",
    "#cloud-config",
    "#include",
    "#part-handler",
    "#ps1",
    "#upstart-job",
    "<powershell>",
    "<script>",
    "apiversion: v1alpha1",
    "content-type:",
    "from ",
    "mime-version:",
    "rem cmd",
    "version: v1alpha1",
    "{",
];

fn check(context: &Context<'_>, findings: &mut Findings) {
    for guest in guests(context.catalog) {
        for data in user_data(&guest, context) {
            let text = data.text.trim_start();
            if text.is_empty() || data.opaque {
                continue;
            }
            let first = text.lines().next().unwrap_or_default();
            let lower = first.to_ascii_lowercase();
            if HEADERS.iter().any(|header| lower.starts_with(header)) {
                continue;
            }
            let help = if lower.replace(' ', "").starts_with("#cloud-config") {
                "take the space out: the first line is `#cloud-config`"
            } else {
                "start it with `#cloud-config`, or with `#!` for a script"
            };
            let finding = findings.report(
                guest.resource,
                data.field.clone(),
                "cloud-init ignores this: its first line names no format it knows",
            );
            finding.help(help);
            data.explain(finding);
        }
    }
}
