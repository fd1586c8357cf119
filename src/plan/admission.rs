//! What admission says to a VM.

use super::stage::Stage;
use super::start::StartAnswer;
use crate::cause::{Cause, Refusal};
use crate::change::Sided;
use crate::rules::admission::review::{self, Review, Verdict};
use crate::update::Reason;
use crate::yaml::Node;

/// What admission says to a VM.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// Why it is refused; empty where it is accepted.
    pub(super) refused: Vec<Reason>,
    /// What acceptance hangs on and the tree does not tell.
    pub(super) assumed: Vec<String>,
    /// What its next start meets, where it is stored.
    pub(super) start: StartAnswer,
}

/// What a cluster's admission says to the head's VM, created where there is no base and updated from it otherwise.
pub(super) fn review(head: &Stage, base: Option<&Node>) -> Answer {
    if let Some(refused) = unserved(&head.subject) {
        return Answer {
            refused: vec![refused],
            ..Answer::default()
        };
    }
    let mut review = review::review(head.submitted(), base, head.subject.resolver);
    match review.verdict() {
        Verdict::Accepted => Answer {
            start: StartAnswer::to_vm(&head.subject, &mut review),
            ..Answer::default()
        },
        Verdict::Refused => Answer {
            refused: review.causes().into_iter().map(from_cause).collect(),
            ..Answer::default()
        },
        Verdict::Crashed => Answer {
            refused: vec![Reason::new(format!(
                "kubevirt-would-crash: {}",
                review.crash.unwrap_or_default()
            ))],
            ..Answer::default()
        },
        Verdict::Unknown if rolls_out_as_assumed(&review, base, &head.subject) => Answer {
            refused: review
                .hits
                .iter()
                .filter(|hit| hit.follows_rollout)
                .map(|hit| from_cause(&hit.cause))
                .collect(),
            assumed: vec![
                "refused under KubeVirt's default `vmRolloutStrategy`, by which the change is judged: `--cluster-config` gives the cluster's own".to_owned(),
            ],
            ..Answer::default()
        },
        Verdict::Unknown => Answer {
            start: StartAnswer::to_vm(&head.subject, &mut review),
            refused: Vec::new(),
            assumed: review
                .hits
                .iter()
                .map(|hit| {
                    format!(
                        "accepted if {} allows it, else: {}",
                        hit.setting.as_deref().unwrap_or("the cluster"),
                        hit.cause.message
                    )
                })
                .chain(
                    review
                        .missing
                        .as_ref()
                        .map(|error| format!("accepted if inference finds its object: {error}")),
                )
                .collect(),
        },
    }
}

/// Whether a refusal hangs on the rollout strategy that the plan assumes for everything else too. A base that would be
/// refused for it says that the cluster has another one.
fn rolls_out_as_assumed(review: &Review, base: Option<&Node>, head: &Sided) -> bool {
    let hangs =
        |review: &Review| !review.unresolved && review.hits.iter().any(|hit| hit.follows_rollout);
    hangs(review) && base.is_none_or(|base| !hangs(&review::review(base, None, head.resolver)))
}

/// What a cluster that stores expanded VMs says to the head's VM: applied, it names its instance type again beside the
/// fields that stand in its place. `None` where nothing conflicts.
pub(super) fn review_expanded(head: &Sided, stored: &Node) -> Vec<Reason> {
    let mut merged = stored.clone();
    for matcher in ["spec.instancetype", "spec.preference"] {
        if let Some(named) = head.resource.node.path(matcher) {
            merged.set(matcher, named.clone());
        }
    }
    let review = review::review(&merged, Some(stored), head.resolver);
    match review.verdict() {
        Verdict::Refused => review.causes().into_iter().map(from_cause).collect(),
        _ => Vec::new(),
    }
}

/// What the API server says to a version that it does not serve.
fn unserved(head: &Sided) -> Option<Reason> {
    let resource = head.resource;
    let is_old =
        resource.id.group == "kubevirt.io" && matches!(resource.version(), "v1alpha1" | "v1alpha2");
    is_old.then(|| {
        Reason::new(format!(
            "KubeVirt {} does not serve `{}`: the cluster refuses the object",
            head.resolver.release(),
            resource.api_version
        ))
        .at("apiVersion")
    })
}

fn from_cause(cause: &Cause) -> Reason {
    let mut reason = Reason::new("the cluster refuses the VM");
    if !cause.field.is_empty() {
        reason = reason.at(&cause.field);
    }
    reason.kubevirt = Some(cause.clone());
    reason
}

/// A refusal as reasons, one a cause.
pub(super) fn reasons(refusal: &Refusal) -> Vec<Reason> {
    match refusal {
        Refusal::Refused { message, causes } if causes.is_empty() => {
            vec![Reason::new("the cluster refuses the VM").saying(message.clone())]
        }
        Refusal::Refused { causes, .. } => causes.iter().map(from_cause).collect(),
        Refusal::Crash { message } => vec![Reason::new(format!("kubevirt-would-crash: {message}"))],
    }
}
