//! What the guest loses by a change of claims, beyond what the controller does in its first sync.

use super::{Action, Reason, Rejection, VmPlan};
use crate::resource::quantity::Quantity;
use crate::update::volumes::Claims;
use crate::update::{Situation, VolumeChange, VolumeVerdict, named};
use crate::yaml::Node;

/// Corrects what a decision says of volumes by what the guest finds afterwards.
pub(super) fn judge(situation: &Situation, out: &mut VmPlan) {
    too_small(situation, out);
    if out.action == Action::Rejected {
        return;
    }
    let lost: Vec<&VolumeChange> = out
        .volumes
        .iter()
        .filter(|volume| is_replaced(volume) && !is_drive(situation, &volume.name))
        .collect();
    if !lost.is_empty() {
        out.hold(Action::DataLoss);
    } else if out.action == Action::DataLoss {
        // Only discs of drives are swapped.
        out.action = if out.also.is_empty() {
            Action::None
        } else {
            out.also.remove(0)
        };
        for reason in &mut out.reasons {
            if reason.message.contains("nothing is copied") {
                "the disc of a drive is swapped".clone_into(&mut reason.message);
            }
        }
    }
}

/// Whether the guest finds another disk under the volume's name, without a copy.
pub(super) const fn is_replaced(volume: &VolumeChange) -> bool {
    matches!(
        volume.verdict,
        VolumeVerdict::NotMigrated
            | VolumeVerdict::ReplacedAtRestart
            | VolumeVerdict::ReplacedAtStart
    )
}

/// Whether the volume is the disc of a drive.
fn is_drive(situation: &Situation, volume: &str) -> bool {
    named(
        situation.guest.spec.items_at("domain.devices.disks"),
        volume,
    )
    .is_some_and(|disk| disk.get("cdrom").is_some())
}

/// Volumes that migrate to a smaller claim: the migration fails every time.
/// Mirrors the check of live-migration-source.go, virt-launcher.
fn too_small(situation: &Situation, out: &mut VmPlan) {
    let mut refused = Vec::new();
    for volume in &mut out.volumes {
        if volume.verdict != VolumeVerdict::Migrate && volume.verdict != VolumeVerdict::Unknown {
            continue;
        }
        let (Some(from), Some(to)) = (
            size(situation.claims, &volume.from),
            size(situation.claims, &volume.to),
        ) else {
            continue;
        };
        if to < from {
            volume.verdict = VolumeVerdict::Refused;
            refused.push(Reason {
                from: Some(from.to_string()),
                to: Some(to.to_string()),
                ..Reason::new(format!(
                    "claim `{}` is smaller than `{}`: the migration of volume `{}` fails every time",
                    volume.to, volume.from, volume.name
                ))
                .saying("destination volume is smaller")
            });
        }
    }
    if refused.is_empty() {
        return;
    }
    out.also.clear();
    out.action = Action::Rejected;
    out.rejected = Some(Rejection::Sync);
    out.reasons.splice(0..0, refused);
}

/// The size a claim asks for, by itself or by the data volume that makes it.
fn size(claims: &dyn Claims, name: &str) -> Option<Quantity> {
    const STORAGE: &str = "resources.requests.storage";
    let read = |node: Option<&Node>, at: &str| {
        node?
            .path(&format!("{at}.{STORAGE}"))
            .and_then(Quantity::from_node)
    };
    let made = claims.data_volume(name);
    read(claims.claim(name), "spec")
        .or_else(|| read(made, "spec.storage"))
        .or_else(|| read(made, "spec.pvc"))
}
