//! The guest's identity where only one side writes it: what was made at random when the VM was created is in no manifest.

use std::borrow::Cow;

use super::stage::Stage;
use super::{Action, Reason, VmPlan};
use crate::release::Behaviour;
use crate::transform::admit::RANDOM_UUID;
use crate::transform::start::legacy_uuid;
use crate::yaml::Node;

const UUID: &str = "spec.template.spec.domain.firmware.uuid";
const SERIAL: &str = "spec.template.spec.domain.firmware.serial";

/// The stored VMs as the update leaves them.
///
/// A UUID that is removed from Git is removed from the VM, and its controller writes the one derived from the name (firmware.go of
/// watch/vm; before, the guest starts with that one); a serial that is removed is lost. A UUID that is added may be the one the guest
/// has: then nothing happens.
pub(super) fn settle<'a>(
    base: &'a Stage,
    head: &'a Stage,
    out: &mut VmPlan,
) -> (Cow<'a, Node>, Cow<'a, Node>) {
    let mut old = Cow::Borrowed(base.settled());
    let mut new = Cow::Borrowed(head.settled());
    let (before, after) = (base.written().str_at(UUID), head.written().str_at(UUID));
    if !before.is_empty() && after.is_empty() {
        let name = &head.resource().id.name;
        if head.release().has(Behaviour::WritesFirmwareUuid) {
            new.to_mut().set(UUID, Node::string(legacy_uuid(name)));
        } else {
            new.to_mut().remove(UUID);
        }
        out.reasons.push(
            Reason {
                from: Some(before.to_owned()),
                to: Some(legacy_uuid(name)),
                ..Reason::new("gone from Git: the VM gets the UUID that KubeVirt derives from its name, the guest's identity changes")
            }
            .at(UUID),
        );
    } else if before.is_empty() && !after.is_empty() && base.settled().str_at(UUID) == RANDOM_UUID {
        old.to_mut().set(UUID, Node::string(after));
        out.hold(Action::Unknown);
        out.reasons.push(
            Reason {
                to: Some(after.to_owned()),
                ..Reason::new("nothing if this is the guest's own UUID (`kubectl get vmi -o yaml` says it); else KubeVirt asks for a restart, and the guest's identity changes")
            }
            .at(UUID),
        );
    }
    let (before, after) = (base.written().str_at(SERIAL), head.written().str_at(SERIAL));
    if !before.is_empty() && after.is_empty() {
        new.to_mut().remove(SERIAL);
    }
    (old, new)
}
