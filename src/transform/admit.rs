//! What the mutating webhook makes of a VM that is created or updated.

pub(in crate::transform) mod defaults;
mod matchers;
#[cfg(test)]
mod tests;

use smol_str::SmolStr;

use crate::cause::{Cause, Refusal};
use crate::field_path::FieldPath;
use crate::resolve::infer::{self, InferError, Settled};
use crate::resolve::{ResolveError, Resolver};
use crate::schema::{self, Problem};
use crate::transform::expand;
use crate::yaml::Node;

/// The UUID shown where `KubeVirt` makes a random one.
pub const RANDOM_UUID: &str = "00000000-0000-4000-8000-000000000000";

/// A VM as the webhook hands it on.
#[derive(Clone, Debug)]
pub struct Admitted {
    /// The VM in Go-normal form. What the webhook wrote has the origin of what it was copied from, or names the default.
    pub vm: Node,
    /// Fields whose value is random in a cluster; here they hold [`RANDOM_UUID`].
    pub random: Vec<FieldPath>,
    /// What each matcher that names a volume led to.
    pub settled: Vec<Settled>,
    /// What the webhook would have read and no catalog has: the VM may differ in a cluster because of it.
    pub unknown: Vec<Unknown>,
}

/// Something the webhook looks for and does without where it is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// The preference: it may set storage class, machine type and architecture.
    Preference(ResolveError),
    /// A data source: its label may set the architecture.
    DataSource {
        /// Its namespace.
        namespace: SmolStr,
        /// Its name.
        name: SmolStr,
    },
}

/// Why a VM does not pass the webhook.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAdmitted {
    /// The user's VM: `KubeVirt` refuses it, or would crash on it.
    #[error("{}", .0.message())]
    Refused(Refusal),
    /// The user's matcher leads nowhere; whether a cluster refuses it too depends on [`InferError::missing`].
    #[error(transparent)]
    Infer(#[from] InferError),
    /// The user's VM: the API server cannot read it, or `KubeVirt`'s own OpenAPI refuses it.
    #[error("{0}")]
    Malformed(Problem),
}

impl From<Refusal> for NotAdmitted {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<NotAdmitted> for Refusal {
    fn from(error: NotAdmitted) -> Self {
        match error {
            NotAdmitted::Refused(refusal) => refusal,
            NotAdmitted::Infer(error) => error.into(),
            NotAdmitted::Malformed(problem) => Self::Refused {
                message: problem.to_string(),
                causes: vec![Cause::new(problem.path.to_string(), problem.to_string())],
            },
        }
    }
}

/// What the mutating webhook makes of `vm`, created where `old` is `None` and updated from `old` otherwise. Both may be as
/// written or decoded. The API server's structural schema comes before it.
/// Mirrors Mutate, pkg/virt-api/webhooks/mutating-webhook/mutators/vm-mutator.go @ v1.9.0 and v1.5.3.
pub fn mutate(
    vm: &Node,
    old: Option<&Node>,
    resolver: &Resolver<'_>,
) -> Result<Admitted, NotAdmitted> {
    let decoded = schema::decode(resolver.release(), "v1.VirtualMachine", vm);
    match schema::invalid(&decoded.problems) {
        Some(problem) => Err(NotAdmitted::Malformed(problem.clone())),
        None => mutate_decoded(decoded.node, old, resolver),
    }
}

/// As [`mutate`], for a VM that is decoded already.
pub(crate) fn mutate_decoded(
    vm: Node,
    old: Option<&Node>,
    resolver: &Resolver<'_>,
) -> Result<Admitted, NotAdmitted> {
    let mut admitted = Admitted {
        vm,
        random: Vec::new(),
        settled: Vec::new(),
        unknown: Vec::new(),
    };
    let vm = &mut admitted.vm;
    if vm.path("metadata.deletionTimestamp").is_some() {
        return Ok(admitted);
    }
    let namespace = match vm.str_at("metadata.namespace") {
        "" => resolver.target().namespace.clone(),
        namespace => namespace.to_owned(),
    };
    matchers::check(resolver.release(), vm, old)?;
    // Everything below reads the template; the schema before the webhook requires it.
    if vm.path("spec.template").is_none() {
        return Err(NotAdmitted::Refused(Refusal::Crash {
            message: "spec.template is missing: virt-api's mutating webhook reads it unchecked"
                .to_owned(),
        }));
    }
    admitted.settled = infer::infer(vm, &namespace, resolver)?;
    let preference = match resolver.resolve_preference(vm, &namespace) {
        Ok(found) => found.map(|found| found.spec),
        Err(error) => {
            admitted.unknown.push(Unknown::Preference(error));
            None
        }
    };
    if let Some(preference) = &preference {
        defaults::apply_preference(&preference.node, vm);
    }
    if old.is_none() {
        admitted.random = defaults::firmware(resolver.release(), vm);
    }
    defaults::matcher_kinds(resolver.release(), vm);
    let sources = defaults::architecture(resolver, &namespace, vm);
    admitted.unknown.extend(sources);
    expand::defaults::machine_type(
        resolver.release(),
        &resolver.target().configuration,
        defaults::template_spec(vm),
    );
    if old.is_none() {
        defaults::pci_topology(
            resolver.release(),
            expand::part(expand::part(vm, "spec"), "template"),
        );
    }
    Ok(admitted)
}
