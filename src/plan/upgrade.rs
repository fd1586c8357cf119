//! What the upgrade of a cluster does to every VM: no guest restarts by it, but what is stored may read differently.

use rayon::prelude::*;

use super::stage::Stage;
use super::{
    Action, Change, Names, Plan, Reason, Rejection, Releases, VmPlan, admission, assemble, fan_out,
    notes, overlaid, row, targets,
};
use crate::change::{self, Sided};
use crate::release::Release;
use crate::resolve::ResolveError;
use crate::source::Sources;

/// Judges the same VMs under two releases.
pub fn preview(
    from_side: Vec<Sided<'_>>,
    to_side: Vec<Sided<'_>>,
    sources: &Sources,
    from: Release,
    to: Release,
) -> Plan {
    let is_vm = |subject: &Sided| subject.resource.is("kubevirt.io", "VirtualMachine");
    let pairs = change::pair(
        to,
        from_side.into_iter().filter(is_vm).collect(),
        to_side.into_iter().filter(is_vm).collect(),
    );
    let judged = pairs
        .par_iter()
        .filter_map(|pair| unchanged(&Stage::new(pair.base?), &Stage::new(pair.head?), sources))
        .collect();
    let (virtual_machines, unjudged) = overlaid::split(judged);
    let mut notes = notes(&pairs);
    notes.extend(differences(from, to));
    let names = Names {
        base: format!("KubeVirt {from}"),
        head: format!("KubeVirt {to}"),
    };
    let releases = Releases {
        base: vec![from.into()],
        head: vec![to.into()],
        hides: Vec::new(),
    };
    Plan {
        unjudged,
        ..assemble(names, releases, targets(&pairs), notes, virtual_machines)
    }
}

/// What the newer of two releases does that the older does not, in words.
pub(super) fn differences(from: Release, to: Release) -> impl Iterator<Item = String> {
    let differences = from.gained_and_lost(to);
    differences.map(|(since, words)| format!("from KubeVirt {since} on {words}"))
}

/// A VM that is the same on both sides, where the release is not: an upgrade re-admits nothing.
pub(super) fn unchanged(base: &Stage, head: &Stage, sources: &Sources) -> Option<VmPlan> {
    let mut out = fan_out::unchanged(base, head, sources)
        .unwrap_or_else(|| row::blank(&head.subject, Change::Unchanged));
    let accepted = admission::review(base, None).refused.is_empty() && base.refused().is_empty();
    let mut refused = admission::review(head, None).refused;
    if refused.is_empty() {
        refused = head.refused().to_vec();
    }
    if accepted && !refused.is_empty() {
        out.reasons.push(Reason::new(format!(
            "the next apply is refused: KubeVirt {} keeps the VM as it is stored, and refuses it when it is changed or created",
            head.release()
        )));
        out.reasons.extend(refused);
    }
    unreadable_revisions(base, head, &mut out);
    let says_something =
        out.action != Action::None || !out.reasons.is_empty() || !out.fields.is_empty();
    says_something.then_some(out)
}

/// Revisions the VM names that the newer release cannot decode.
fn unreadable_revisions(base: &Stage, head: &Stage, out: &mut VmPlan) {
    let namespace = head.namespace();
    let vm = head.written();
    let before = [
        base.subject
            .resolver
            .resolve_instancetype(vm, namespace)
            .err(),
        base.subject
            .resolver
            .resolve_preference(vm, namespace)
            .err(),
    ];
    let after = [
        head.subject
            .resolver
            .resolve_instancetype(vm, namespace)
            .err(),
        head.subject
            .resolver
            .resolve_preference(vm, namespace)
            .err(),
    ];
    for (before, after) in before.iter().zip(&after) {
        let Some(error) = after.as_ref().filter(|_| before.is_none()) else {
            continue;
        };
        if matches!(error, ResolveError::NotFound { .. }) {
            continue;
        }
        let words = error.to_string();
        let says_so = |reason: &Reason| {
            let said = reason.kubevirt.as_ref();
            said.is_some_and(|said| said.message == words)
        };
        out.reasons.retain(|reason| !says_so(reason));
        out.hold(Action::Rejected);
        out.rejected = Some(Rejection::Sync);
        out.reasons.push(
            Reason::new(
                "the revision the VM names can no longer be decoded: its controller fails on every sync",
            )
            .saying(words),
        );
    }
}
