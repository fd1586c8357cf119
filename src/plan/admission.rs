//! What the cluster says when a VM is stored.

use crate::cause::{Cause, Refusal};
use crate::change::Subject;
use crate::rules::admission::review::{self, Verdict};
use crate::schema;
use crate::transform::admit::{self, NotAdmitted};
use crate::update::Reason;
use crate::yaml::Node;

/// The VM as the cluster stores it; where it would not, as it is written.
#[derive(Debug)]
pub struct Stored {
    /// The VM in Go-normal form.
    pub vm: Node,
    /// Why it is not stored; empty where it is.
    pub refused: Vec<Reason>,
}

/// Runs a VM through the mutating webhook.
///
/// Both sides are stored as new VMs: what the webhook writes at random on create stays with the VM when it is updated.
/// What inference cannot follow for want of an object in the tree is left as it is written.
pub fn store(subject: &Subject) -> Stored {
    let written = written(subject);
    match admit::mutate(&written, None, subject.resolver) {
        Ok(admitted) => Stored {
            vm: admitted.vm,
            refused: Vec::new(),
        },
        Err(NotAdmitted::Infer(error))
            if !error.missing().is_empty() && !subject.resolver.target().complete =>
        {
            Stored {
                vm: written,
                refused: Vec::new(),
            }
        }
        Err(error) => Stored {
            vm: written,
            refused: reasons(&Refusal::from(error)),
        },
    }
}

/// The VM decoded, with its namespace.
fn written(subject: &Subject) -> Node {
    let decoded = schema::decode(
        subject.resolver.release(),
        "v1.VirtualMachine",
        &subject.resource.node,
    );
    let mut written = decoded.node;
    if written.str_at("metadata.namespace").is_empty() {
        written.set("metadata.namespace", Node::string(subject.namespace()));
    }
    written
}

/// What admission says to a VM.
#[derive(Debug, Default)]
pub struct Answer {
    /// Why it is refused; empty where it is accepted.
    pub refused: Vec<Reason>,
    /// What acceptance hangs on and the tree does not tell.
    pub assumed: Vec<String>,
}

/// What a cluster's admission says to the head's VM, created where there is no base and updated from it otherwise.
pub fn review(head: &Subject, base: Option<&Node>) -> Answer {
    let review = review::review(&head.resource.node, base, head.resolver);
    match review.verdict() {
        Verdict::Accepted => Answer::default(),
        Verdict::Refused => Answer {
            refused: review.causes().into_iter().map(from_cause).collect(),
            assumed: Vec::new(),
        },
        Verdict::Crashed => Answer {
            refused: vec![Reason::new(format!(
                "kubevirt-would-crash: {}",
                review.crash.unwrap_or_default()
            ))],
            assumed: Vec::new(),
        },
        Verdict::Unknown => Answer {
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

fn from_cause(cause: &Cause) -> Reason {
    let mut reason = Reason::new("the cluster refuses the VM");
    if !cause.field.is_empty() {
        reason = reason.at(&cause.field);
    }
    reason.kubevirt = Some(cause.clone());
    reason
}

/// A refusal as reasons, one a cause.
fn reasons(refusal: &Refusal) -> Vec<Reason> {
    match refusal {
        Refusal::Refused { message, causes } if causes.is_empty() => {
            vec![Reason::new("the cluster refuses the VM").saying(message.clone())]
        }
        Refusal::Refused { causes, .. } => causes.iter().map(from_cause).collect(),
        Refusal::Crash { message } => vec![Reason::new(format!("kubevirt-would-crash: {message}"))],
    }
}
