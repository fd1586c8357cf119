//! Whether KubeVirt refuses the next start of what a change leaves behind.

use super::power::{self, Runs};
use super::{Action, Power, Rejection, VmPlan};
use crate::change::Sided;
use crate::rules::admission::causes::Hit;
use crate::rules::admission::review::{self, Review};
use crate::rules::input;
use crate::rules::start::review::{self as start, StartReview};
use crate::rules::start::workloads;
use crate::update::Reason;

/// What a cluster answers to a start, as far as a plan says it.
#[derive(Debug, Default)]
pub(super) struct StartAnswer {
    /// Why the resource is not stored, where its own webhook is asked here.
    own: Vec<Reason>,
    /// Why no start is accepted; empty where one is.
    pub(super) refused: Vec<Reason>,
    /// What that depends on.
    pub(super) assumed: Vec<String>,
}

impl StartAnswer {
    /// The answer to the start of a VM, by what admission answers to the VM itself.
    pub(super) fn to_vm(vm: &Sided, answer: &mut Review) -> Self {
        let written = &vm.resource.node;
        Self::of(&start::review(written, answer, vm.namespace(), vm.resolver))
    }

    /// The answer to what a bare instance, a replica set or a pool starts.
    fn to_workload(workload: &Sided) -> Self {
        let resource = workload.resource;
        let release = workload.resolver.release();
        let Some(decoded) = input::schema::decode(resource, release) else {
            return Self::default();
        };
        let (group, kind) = (&resource.id.group, &resource.id.kind);
        let namespace = workload.namespace();
        workloads::review(group, kind, &decoded.node, namespace, workload.resolver)
            .map_or_else(Self::default, |review| Self::of(&review))
    }

    fn of(review: &StartReview) -> Self {
        let reason = |hit: &Hit| Reason {
            field: Some(hit.field.clone()),
            kubevirt: Some(hit.cause.clone()),
            ..Reason::default()
        };
        let own = review.own.iter().filter(|hit| hit.certain);
        let after = review.machines.iter().chain(&review.hits);
        let refused = after.clone().filter(|hit| hit.certain).map(reason);
        let doubtful = review.own.iter().chain(after).filter(|hit| !hit.certain);
        let crash = review.crash.as_ref().map(|message| {
            Reason::new(format!("kubevirt-would-crash at the next start: {message}"))
        });
        let assumed = doubtful.map(|hit| {
            format!(
                "starts if {} allows it, else: {}",
                hit.setting.as_deref().unwrap_or("the cluster"),
                hit.cause.message
            )
        });
        Self {
            own: own.map(reason).collect(),
            refused: refused.chain(crash).collect(),
            assumed: assumed.collect(),
        }
    }
}

/// Notes on a VM what its next start would meet: `answer` is that to the head's form, `base` the form before.
pub(super) fn note(answer: StartAnswer, base: Option<&Sided>, out: &mut VmPlan) {
    let was = |base: &Sided| {
        let mut before = review::review(&base.resource.node, None, base.resolver);
        StartAnswer::to_vm(base, &mut before)
    };
    apply(answer, base, was, out);
}

/// Notes on a bare instance, replica set or pool what the guests it makes from now on would meet.
pub(super) fn note_workload(head: &Sided, base: Option<&Sided>, out: &mut VmPlan) {
    let answer = StartAnswer::to_workload(head);
    if answer.own.is_empty() {
        apply(answer, base, StartAnswer::to_workload, out);
        return;
    }
    // Nothing of it is stored: nothing else happens.
    out.action = Action::Rejected;
    out.rejected = Some(Rejection::Admission);
    out.also.clear();
    out.power = Power::Unchanged;
    out.down = 0;
    out.loses.clear();
    out.reasons = answer.own;
    for reason in &mut out.reasons {
        "the cluster refuses the object".clone_into(&mut reason.message);
    }
}

fn apply(
    answer: StartAnswer,
    base: Option<&Sided>,
    was: impl Fn(&Sided) -> StartAnswer,
    out: &mut VmPlan,
) {
    out.assumptions.extend(answer.assumed);
    if answer.refused.is_empty() {
        return;
    }
    out.start_refused = true;
    out.start_was_refused = base.is_some_and(|base| !was(base).refused.is_empty());
    let runs = base.is_some_and(|base| power::runs(&base.resource.node) != Runs::No);
    let words = if runs && !out.start_was_refused {
        "KubeVirt refuses the next start: the guest runs until it stops once"
    } else {
        "KubeVirt stores this and refuses every start"
    };
    let reasons = answer.refused.into_iter().map(|mut reason| {
        if reason.message.is_empty() {
            words.clone_into(&mut reason.message);
        }
        reason
    });
    out.reasons.splice(0..0, reasons);
}
