//! The instance type and preference a VM infers from one of its volumes.
//!
//! A default is a label, looked for along twelve chains (those ending in a `VolumeSnapshot` on releases that infer from
//! snapshots):
//!
//! - volume → `PersistentVolumeClaim`
//! - volume → `DataVolume`
//! - volume → `DataVolume` → claim
//! - volume → `DataVolume` → snapshot
//! - volume → `DataVolume` → `DataSource`
//! - volume → `DataVolume` → `DataSource` → claim
//! - volume → `DataVolume` → `DataSource` → snapshot
//! - volume → template in `dataVolumeTemplates` → claim
//! - volume → template → snapshot
//! - volume → template → `DataSource`
//! - volume → template → `DataSource` → claim
//! - volume → template → `DataSource` → snapshot
//!
//! A template of the name hides a `DataVolume`, and its own labels are not read. Where there is no `DataVolume`, the claim
//! it left behind under the same name is read. Mirrors pkg/instancetype/infer @ v1.9.0 and v1.5.3.

#[cfg(test)]
mod tests;
mod walk;

use smol_str::SmolStr;

use self::walk::InferenceWalk;
use super::Resolver;
use crate::cause::Refusal;
use crate::config::Target;
use crate::resource::ResourceId;
use crate::stored::Matcher;
use crate::yaml::{Node, Origin};

/// What a volume leads to.
#[derive(Clone, Debug)]
pub struct Inferred {
    /// The name: the node of the label.
    pub name: Node,
    /// The kind, where a label gives one: the node of the label.
    pub kind: Option<Node>,
    /// Every resource on the way, the one that carries the label last.
    pub through: Vec<ResourceId>,
}

/// Why a volume leads to no default, in `KubeVirt`'s words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InferError {
    /// The user's matcher: the VM has no such volume.
    #[error("unable to find volume {volume} to infer defaults")]
    NoVolume {
        /// The volume named.
        volume: SmolStr,
    },
    /// The user's matcher: only claims and data volumes can be inferred from.
    #[error("unable to infer defaults from volume {volume} as type is not supported")]
    UnsupportedVolume {
        /// The volume named.
        volume: SmolStr,
    },
    /// The user's data volume: it is filled from something that carries no labels.
    #[error("unable to infer defaults from DataVolumeSpec as DataVolumeSource is not supported")]
    UnsupportedSource {
        /// The source: `registry`, `http` and so on; empty where there is none.
        source_name: SmolStr,
    },
    /// The user's data volume: its source reference is no `DataSource`.
    #[error("unable to infer defaults from DataVolumeSourceRef as Kind {kind} is not supported")]
    UnsupportedSourceRef {
        /// The kind referred to.
        kind: SmolStr,
    },
    /// The user's data source: it points to nothing that can carry labels.
    #[error("unable to infer defaults from DataSource that doesn't provide {}", wanted(*.snapshots))]
    UnsupportedDataSource {
        /// Whether the release would take a snapshot.
        snapshots: bool,
    },
    /// The user's objects: the last one on the way lacks the label.
    #[error("unable to find required {label} label on the volume")]
    NoLabel {
        /// The label.
        label: &'static str,
        /// The resource that lacks it.
        on: Box<ResourceId>,
    },
    /// The user's tree: an object on the way is not in it.
    #[error("{plural} \"{}\" not found", .missing.last().map(|id| id.name.as_str()).unwrap_or_default())]
    NotFound {
        /// Plural name and group as the API server writes it.
        plural: &'static str,
        /// What was looked for; any one of them would do.
        missing: Vec<ResourceId>,
    },
    /// The user's tree: several resources of that identity differ.
    #[error("{id} is in the repository more than once, with different content")]
    Ambiguous {
        /// The identity.
        id: Box<ResourceId>,
    },
}

const fn wanted(snapshots: bool) -> &'static str {
    if snapshots {
        "DataVolumeSourcePVC or DataVolumeSourceSnapshot"
    } else {
        "DataVolumeSourcePVC"
    }
}

impl InferError {
    /// Whether `inferFromVolumeFailurePolicy: Ignore` passes over it.
    pub(crate) const fn is_ignorable(&self) -> bool {
        match self {
            Self::UnsupportedVolume { .. }
            | Self::UnsupportedSource { .. }
            | Self::UnsupportedSourceRef { .. }
            | Self::UnsupportedDataSource { .. }
            | Self::NoLabel { .. } => true,
            Self::NoVolume { .. } | Self::NotFound { .. } | Self::Ambiguous { .. } => false,
        }
    }

    /// Whether an object that is missing may live where the target's tree does not reach.
    pub fn is_elsewhere(&self, target: &Target) -> bool {
        let mut missing = self.missing().iter();
        missing.any(|id| !target.holds(&id.kind, id.namespace.as_deref(), &id.name))
    }

    /// The objects that would settle it, any one of them; none where no object is missing.
    pub fn missing(&self) -> &[ResourceId] {
        match self {
            Self::NotFound { missing, .. } => missing,
            _ => &[],
        }
    }
}

impl From<InferError> for Refusal {
    fn from(error: InferError) -> Self {
        Self::Refused {
            message: error.to_string(),
            causes: Vec::new(),
        }
    }
}

/// What became of one matcher that names a volume.
#[derive(Clone, Debug)]
pub struct Settled {
    /// Which matcher.
    pub matcher: Matcher,
    /// The volume named.
    pub volume: SmolStr,
    /// What was inferred, or the failure that was passed over and cost the VM its matcher.
    pub outcome: Result<Inferred, InferError>,
    /// The guest memory the VM lost: a success under `Ignore` clears it for the instance type's.
    pub cleared_memory: Option<Node>,
}

/// Replaces matchers that name a volume by what the volume leads to, as admission does; `vm` is changed in place.
///
/// On success the matcher keeps nothing but name and kind, and under the policy `Ignore` an instance type takes the VM's
/// whole `domain.memory` away. A failure that `Ignore` passes over removes the matcher and keeps the memory.
pub fn infer(
    vm: &mut Node,
    namespace: &str,
    resolver: &Resolver<'_>,
) -> Result<Vec<Settled>, InferError> {
    let mut settled = Vec::new();
    for side in Matcher::ALL {
        let Some(matcher) = inferring(vm, side) else {
            continue;
        };
        let volume = SmolStr::from(matcher.str_at("inferFromVolume"));
        let ignores = matcher.str_at("inferFromVolumeFailurePolicy") == "Ignore";
        let origin = matcher.origin;
        let outcome = InferenceWalk::new(resolver, vm, namespace, side).follow_volume(&volume);
        let mut cleared_memory = None;
        match &outcome {
            Err(error) if !(ignores && error.is_ignorable()) => return Err(error.clone()),
            Err(_) => drop(vm.remove(&format!("spec.{}", side.field()))),
            Ok(inferred) => {
                if ignores && side == Matcher::Instancetype {
                    cleared_memory = vm.remove("spec.template.spec.domain.memory");
                }
                vm.set(&format!("spec.{}", side.field()), inferred.matcher(origin));
            }
        }
        settled.push(Settled {
            matcher: side,
            volume,
            outcome,
            cleared_memory,
        });
    }
    Ok(settled)
}

impl Inferred {
    /// The matcher admission stores: name and kind, without what is empty.
    fn matcher(&self, origin: Origin) -> Node {
        let written = [("name", Some(&self.name)), ("kind", self.kind.as_ref())]
            .into_iter()
            .filter_map(|(key, node)| Some((key, node?.clone())))
            .filter(|(_, node)| node.as_str().is_some_and(|text| !text.is_empty()));
        Node::from_entries(written).with_origin(origin)
    }
}

/// The matcher, where it names a volume.
fn inferring(vm: &Node, side: Matcher) -> Option<&Node> {
    vm.get("spec")?
        .get(side.field())
        .filter(|matcher| !matcher.str_at("inferFromVolume").is_empty())
}
