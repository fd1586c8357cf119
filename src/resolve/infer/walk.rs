//! One walk from a volume of a VM to the label that names a default.

use super::{InferError, Inferred};
use crate::catalog::boot_sources;
use crate::release::Behaviour;
use crate::resolve::{Resolution, Resolver};
use crate::resource::{Resource, ResourceId};
use crate::stored::Matcher;
use crate::yaml::Node;

/// A kind of object that can carry the labels.
#[derive(Debug)]
struct Carrier {
    group: &'static str,
    kind: &'static str,
    plural: &'static str,
}

const CLAIM: Carrier = Carrier {
    group: "",
    kind: "PersistentVolumeClaim",
    plural: "persistentvolumeclaims",
};
const DATA_VOLUME: Carrier = Carrier {
    group: "cdi.kubevirt.io",
    kind: "DataVolume",
    plural: "datavolumes.cdi.kubevirt.io",
};
const DATA_SOURCE: Carrier = Carrier {
    group: "cdi.kubevirt.io",
    kind: "DataSource",
    plural: "datasources.cdi.kubevirt.io",
};
const SNAPSHOT: Carrier = Carrier {
    group: "snapshot.storage.k8s.io",
    kind: "VolumeSnapshot",
    plural: "volumesnapshots.snapshot.storage.k8s.io",
};

/// An object on the way: the stated answer for it, the object itself, or both.
struct Stop<'a> {
    id: ResourceId,
    answer: Option<&'a Resource>,
    object: Option<&'a Resource>,
}

/// One walk from a volume to a label.
pub(super) struct InferenceWalk<'r, 'a> {
    resolver: &'r Resolver<'a>,
    vm: &'r Node,
    namespace: &'r str,
    side: Matcher,
    through: Vec<ResourceId>,
}

impl<'r, 'a> InferenceWalk<'r, 'a> {
    pub(super) const fn new(
        resolver: &'r Resolver<'a>,
        vm: &'r Node,
        namespace: &'r str,
        side: Matcher,
    ) -> Self {
        Self {
            resolver,
            vm,
            namespace,
            side,
            through: Vec::new(),
        }
    }

    pub(super) fn follow_volume(mut self, name: &str) -> Result<Inferred, InferError> {
        let volumes = self.vm.items_at("spec.template.spec.volumes");
        let Some(volume) = volumes.iter().find(|volume| volume.str_at("name") == name) else {
            return Err(InferError::NoVolume {
                volume: name.into(),
            });
        };
        let namespace = self.namespace;
        if let Some(claim) = present(volume, "persistentVolumeClaim") {
            return self.follow_object(&CLAIM, namespace, claim.str_at("claimName"));
        }
        if let Some(data_volume) = present(volume, "dataVolume") {
            return self.follow_data_volume(data_volume.str_at("name"));
        }
        Err(InferError::UnsupportedVolume {
            volume: name.into(),
        })
    }

    fn follow_data_volume(&mut self, name: &str) -> Result<Inferred, InferError> {
        let templates = self.vm.items_at("spec.dataVolumeTemplates");
        if let Some(template) = templates
            .iter()
            .find(|template| template.str_at("metadata.name") == name)
        {
            return self.follow_data_volume_spec(template.get("spec"));
        }
        let namespace = self.namespace;
        let stop = match self.stop(&DATA_VOLUME, namespace, name) {
            Ok(stop) => stop,
            Err(InferError::NotFound { missing, .. }) => {
                return self
                    .follow_object(&CLAIM, namespace, name)
                    .map_err(|error| alternatives(missing, error));
            }
            Err(error) => return Err(error),
        };
        match (self.label(&stop), stop.object) {
            (Ok(inferred), _) => Ok(inferred),
            (Err(error), None) => Err(error),
            (Err(_), Some(object)) => self.follow_data_volume_spec(object.node.get("spec")),
        }
    }

    fn follow_data_volume_spec(&mut self, spec: Option<&Node>) -> Result<Inferred, InferError> {
        let source = spec.and_then(|spec| present(spec, "source"));
        if let Some(found) = source.and_then(|source| self.follow_source(source)) {
            return found;
        }
        let Some(reference) = spec.and_then(|spec| present(spec, "sourceRef")) else {
            let name = source
                .map(Node::entries)
                .unwrap_or_default()
                .iter()
                .find(|entry| !entry.node.is_null())
                .map(|entry| entry.key.clone());
            return Err(InferError::UnsupportedSource {
                source_name: name.unwrap_or_default(),
            });
        };
        let kind = reference.str_at("kind");
        if kind != DATA_SOURCE.kind {
            return Err(InferError::UnsupportedSourceRef { kind: kind.into() });
        }
        let namespace = present(reference, "namespace")
            .and_then(Node::as_str)
            .unwrap_or(self.namespace);
        self.follow_data_source(namespace, reference.str_at("name"))
    }

    fn follow_data_source(&mut self, namespace: &str, name: &str) -> Result<Inferred, InferError> {
        let stop = self.stop(&DATA_SOURCE, namespace, name)?;
        let error = match self.label(&stop) {
            Ok(inferred) => return Ok(inferred),
            Err(error) => error,
        };
        let Some(object) = stop.object else {
            return Err(error);
        };
        object
            .node
            .path("spec.source")
            .and_then(|source| self.follow_source(source))
            .unwrap_or(Err(InferError::UnsupportedDataSource {
                snapshots: self.infers_from_snapshots(),
            }))
    }

    /// From the claim or snapshot a source names; `None` where it names neither.
    fn follow_source(&mut self, source: &Node) -> Option<Result<Inferred, InferError>> {
        let (carrier, from) = if let Some(claim) = present(source, "pvc") {
            (&CLAIM, claim)
        } else if self.infers_from_snapshots() {
            (&SNAPSHOT, present(source, "snapshot")?)
        } else {
            return None;
        };
        Some(self.follow_object(carrier, from.str_at("namespace"), from.str_at("name")))
    }

    fn infers_from_snapshots(&self) -> bool {
        self.resolver.release().has(Behaviour::InfersFromSnapshots)
    }

    fn follow_object(
        &mut self,
        carrier: &Carrier,
        namespace: &str,
        name: &str,
    ) -> Result<Inferred, InferError> {
        let stop = self.stop(carrier, namespace, name)?;
        self.label(&stop)
    }

    /// The object of that name, and what is stated of it.
    fn stop(
        &mut self,
        carrier: &Carrier,
        namespace: &str,
        name: &str,
    ) -> Result<Stop<'a>, InferError> {
        let id = ResourceId {
            group: carrier.group.into(),
            kind: carrier.kind.into(),
            namespace: (!namespace.is_empty()).then(|| namespace.into()),
            name: name.into(),
        };
        let resolver = self.resolver;
        let assumed = &resolver.target().namespace;
        let answer = resolver.answers.and_then(|answers| {
            answers
                .find(carrier.group, carrier.kind, Some(namespace), name, assumed)
                .find(|answer| labels(answer, self.side).is_some())
        });
        let object = match resolver.find(carrier.group, carrier.kind, Some(namespace), name) {
            Resolution::Found(object) => Some(object),
            Resolution::Ambiguous(_) => return Err(InferError::Ambiguous { id: Box::new(id) }),
            Resolution::NotInRepository | Resolution::Unsupported(_) => None,
        };
        // What the cluster imports by itself is in no repository.
        let answer = answer.or_else(|| {
            let is_openshift = resolver.target().openshift.is_some();
            let sources = boot_sources::assumed();
            let mut found =
                sources.find(carrier.group, carrier.kind, Some(namespace), name, assumed);
            found.next().filter(|_| is_openshift && object.is_none())
        });
        if answer.is_none() && object.is_none() {
            return Err(InferError::NotFound {
                plural: carrier.plural,
                missing: vec![id],
            });
        }
        self.through.push(id.clone());
        Ok(Stop { id, answer, object })
    }

    /// What the labels of an object say.
    fn label(&self, stop: &Stop<'a>) -> Result<Inferred, InferError> {
        let layers = [stop.answer, stop.object];
        layers
            .into_iter()
            .flatten()
            .find_map(|resource| {
                let (name, kind) = labels(resource, self.side)?;
                Some(Inferred {
                    name: name.clone(),
                    kind: kind.cloned(),
                    through: self.through.clone(),
                })
            })
            .ok_or_else(|| InferError::NoLabel {
                label: self.side.default_label(),
                on: Box::new(stop.id.clone()),
            })
    }
}

/// The labels that give name and kind, where the name's is there.
fn labels(resource: &Resource, side: Matcher) -> Option<(&Node, Option<&Node>)> {
    let labels = resource.node.path("metadata.labels")?;
    let name = labels.get(side.default_label())?;
    Some((name, labels.get(side.default_kind_label())))
}

/// The value under a key, unless it is null.
fn present<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    node.get(key).filter(|value| !value.is_null())
}

/// The error of the last thing looked for, naming what else would have done.
fn alternatives(mut other: Vec<ResourceId>, error: InferError) -> InferError {
    match error {
        InferError::NotFound { plural, missing } => {
            other.extend(missing);
            InferError::NotFound {
                plural,
                missing: other,
            }
        }
        error => error,
    }
}
