//! Values that two guests share.

use std::collections::BTreeMap;

use crate::field_path::FieldPath;
use crate::finding::Location;
use crate::resource::Resource;
use crate::rules::guests::{GuestSpec, guests};
use crate::rules::{Context, Findings};

/// Reports every text of a field of the firmware that a guest shares with an earlier one, after `plain` has made it
/// comparable.
pub(super) fn report_firmware(
    context: &Context<'_>,
    findings: &mut Findings,
    key: &str,
    what: &str,
    plain: fn(&str) -> String,
) {
    report(context, findings, what, |guest| {
        let firmware = guest.spec.path("domain.firmware");
        let value = plain(firmware.map_or("", |firmware| firmware.str_at(key)));
        let place = guest.path.then("domain.firmware").field(key);
        (!value.is_empty())
            .then_some((place, value))
            .into_iter()
            .collect()
    });
}

/// Reports every value that a guest shares with an earlier one. Templates of many guests are left out.
pub(super) fn report(
    context: &Context<'_>,
    findings: &mut Findings,
    what: &str,
    values: impl Fn(&GuestSpec<'_>) -> Vec<(FieldPath, String)>,
) {
    let assumed = &context.target.namespace;
    let mut seen: BTreeMap<String, (&Resource, FieldPath)> = BTreeMap::new();
    for guest in guests(context.catalog).filter(|guest| !guest.many) {
        for (path, value) in values(&guest) {
            let Some((first, place)) = seen.get(&value) else {
                seen.insert(value, (guest.resource, path));
                continue;
            };
            // Two objects of one identity are `duplicate-resource`.
            let is_copy = !std::ptr::eq(*first, guest.resource)
                && !first.id.name.is_empty()
                && first.id.kind == guest.resource.id.kind
                && first.id.name == guest.resource.id.name
                && first.namespace_or(assumed) == guest.resource.namespace_or(assumed);
            if is_copy {
                continue;
            }
            let place = Location::at(first, place).note(format!("first in {}", first.id));
            findings
                .report(
                    guest.resource,
                    path,
                    format!("{} has the same {what}", first.id),
                )
                .help("give each its own, or leave the field out and let the cluster choose")
                .related(place);
        }
    }
}
