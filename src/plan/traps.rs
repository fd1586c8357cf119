//! Edits that do less than they seem: inside a data volume template, and of cloud-init data.

use super::stage::Stage;
use super::{Reason, VmPlan};
use crate::diff::{Difference, Lists, differences};
use crate::release::Release;
use crate::resource::quantity::Quantity;
use crate::update::words::shown;
use crate::update::{named, template_spec};
use crate::yaml::Node;

/// Notes edits of fields that the API server drops.
pub(super) fn dropped(base: &Stage, head: &Stage, out: &mut VmPlan) {
    for path in head.dropped() {
        let value = path.find(head.written());
        let before = path.find(base.written());
        let is_same = match (before, value) {
            (Some(before), Some(value)) => before.same_value(value),
            (before, value) => before.is_none() && value.is_none(),
        };
        if is_same {
            continue;
        }
        let difference = Difference {
            path: path.clone(),
            from: before.cloned(),
            to: value.cloned(),
        };
        out.reasons.push(Reason {
            message: format!(
                "the edit does nothing: KubeVirt {} has no such field there, the API server drops it; `driftless check` says where it belongs",
                head.release()
            ),
            ..shown(&difference)
        });
    }
}

/// Notes every trap between two stored VMs.
pub(super) fn note(release: Release, old: &Node, new: &Node, out: &mut VmPlan) {
    data_volume_templates(release, old, new, out);
    cloud_init(release, old, new, out);
}

fn data_volume_templates(release: Release, old: &Node, new: &Node, out: &mut VmPlan) {
    let templates = |vm: &Node| vm.items_at("spec.dataVolumeTemplates").to_vec();
    let before = templates(old);
    for (at, after) in templates(new).iter().enumerate() {
        let name = after.str_at("metadata.name");
        let Some(before) = before
            .iter()
            .find(|template| template.str_at("metadata.name") == name)
        else {
            continue;
        };
        for difference in differences(
            release,
            "v1.DataVolumeTemplateSpec",
            before,
            after,
            Lists::ByKey,
        ) {
            let mut reason = shown(&difference);
            reason.message = ignored(name, &difference);
            let field = reason.field.take().map(|field| field.to_string());
            out.reasons.push(reason.at(&format!(
                "spec.dataVolumeTemplates[{at}].{}",
                field.unwrap_or_default()
            )));
        }
    }
}

fn ignored(name: &str, difference: &Difference) -> String {
    let path = difference.path.to_string();
    let amount = |node: &Option<Node>| node.as_ref().and_then(Quantity::from_node);
    if path.ends_with("resources.requests.storage") {
        return match (amount(&difference.from), amount(&difference.to)) {
            (Some(from), Some(to)) if to < from => format!(
                "KubeVirt ignores the smaller size: data volume `{name}` exists already, and a claim cannot shrink"
            ),
            _ => format!(
                "KubeVirt ignores the edit: data volume `{name}` exists already; to grow the disk, raise `spec.resources.requests.storage` of claim `{name}`"
            ),
        };
    }
    format!(
        "KubeVirt ignores the edit: data volume `{name}` exists already; give the template and its volume a new name for a new disk"
    )
}

fn cloud_init(release: Release, old: &Node, new: &Node, out: &mut VmPlan) {
    let (before, after) = (template_spec(old), template_spec(new));
    for (at, volume) in after.items_at("volumes").iter().enumerate() {
        let name = volume.str_at("name");
        let Some(previous) = named(before.items_at("volumes"), name) else {
            continue;
        };
        for source in ["cloudInitNoCloud", "cloudInitConfigDrive"] {
            let (Some(from), Some(to)) = (previous.get(source), volume.get(source)) else {
                continue;
            };
            if differences(release, "v1.Volume", previous, volume, Lists::ByKey).is_empty()
                || from.same_value(to)
            {
                continue;
            }
            let message = if is_ephemeral(after) {
                "the root disk is made anew at every start: cloud-init runs in full and the guest sees the new data"
            } else {
                "the instance id does not change and the root disk persists: modules that run once per instance do not run again, the guest will not see most of the new data"
            };
            out.reasons.push(
                Reason::new(message).at(&format!("spec.template.spec.volumes[{at}].{source}")),
            );
        }
    }
}

/// Whether the disk the guest boots from is made anew at every start.
pub(super) fn is_ephemeral(spec: &Node) -> bool {
    let disks = spec.items_at("domain.devices.disks");
    let boot = disks
        .iter()
        .filter(|disk| disk.int_at("bootOrder") > 0)
        .min_by_key(|disk| disk.int_at("bootOrder"))
        .or_else(|| disks.iter().find(|disk| disk.get("cdrom").is_none()));
    let volumes = spec.items_at("volumes");
    let root = match boot {
        Some(disk) => named(volumes, disk.str_at("name")),
        None => volumes.first(),
    };
    root.is_some_and(|volume| {
        ["containerDisk", "ephemeral", "emptyDisk"]
            .iter()
            .any(|source| volume.get(source).is_some())
    })
}
