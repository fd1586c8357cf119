//! What a VM names, and what each name resolves to: live objects, stored revisions and the built-in bundle.

pub mod infer;
pub mod named;
pub mod preference;
pub mod revision;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, RwLock};

use smol_str::SmolStr;

use crate::catalog::{Catalog, bundle};
use crate::config::Target;
use crate::field_path::FieldPath;
use crate::release::Release;
use crate::resource::{Resource, ResourceId};
use crate::schema::{self, Problem};
use crate::stored::{GROUP, Matcher};
use crate::yaml::Node;

/// What a reference resolves to.
#[derive(Clone, Debug)]
pub enum Resolution<'a> {
    /// The resource.
    Found(&'a Resource),
    /// No catalog has it; a cluster may.
    NotInRepository,
    /// One catalog has several that differ.
    Ambiguous(Vec<&'a Resource>),
    /// The reference is of a kind that is not followed; says why.
    Unsupported(String),
}

/// Finds what a VM names, for one target. Specs are decoded once and shared between threads.
#[derive(Debug)]
pub struct Resolver<'a> {
    target: &'a Target,
    catalogs: Vec<&'a Catalog>,
    answers: Option<&'a Catalog>,
    specs: RwLock<HashMap<usize, Result<Arc<Spec>, ResolveError>>>,
}

/// The spec of an instance type or a preference, decoded for the target's release.
#[derive(Debug)]
pub struct Spec {
    /// The spec in Go-normal form; nodes keep the place they were written.
    pub node: Node,
    /// The resource the spec was read from: the object itself, or the revision that stores it.
    pub id: ResourceId,
    /// The path of the spec in that resource: `spec`, or `data.spec` in a revision.
    pub prefix: FieldPath,
    /// Whether `nodeSelector` is written at all: Go tells an empty mapping from none here, decoding does not.
    pub has_node_selector: bool,
    /// What reading dropped.
    pub problems: Vec<Problem>,
}

/// A matcher's spec and how it was reached.
#[derive(Clone, Debug)]
pub struct Resolved<'a> {
    /// The spec, shared.
    pub spec: Arc<Spec>,
    /// The resource it was read from.
    pub resource: &'a Resource,
    /// How it was reached.
    pub through: ResolvedVia,
}

/// How a matcher led to its spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResolvedVia {
    /// `revisionName` in the matcher.
    RevisionName,
    /// The revision that the VM's status names.
    StatusRef,
    /// The object the matcher names, in a catalog.
    Object,
    /// The object the matcher names, from the built-in bundle.
    Bundle,
}

/// Why a matcher leads to no spec, in `KubeVirt`'s words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// The user's reference: nothing of that name is known.
    #[error("{}s.{group} \"{name}\" not found", .kind.to_lowercase())]
    NotFound {
        /// Group looked in.
        group: &'static str,
        /// Kind looked for.
        kind: &'static str,
        /// Namespace looked in; `None` for cluster-scoped kinds.
        namespace: Option<SmolStr>,
        /// Name looked for.
        name: SmolStr,
    },
    /// The user's reference: the matcher has a kind that is none of the four.
    #[error("got unexpected kind in {}: {kind}", .matcher.type_name())]
    UnexpectedKind {
        /// The matcher.
        matcher: Matcher,
        /// The kind as written.
        kind: SmolStr,
    },
    /// The user's tree: several resources of that identity differ.
    #[error("{kind} {name} is in the repository more than once, with different content")]
    Ambiguous {
        /// Kind looked for.
        kind: &'static str,
        /// Name looked for.
        name: SmolStr,
    },
    /// The user's object: a value no API server takes.
    #[error("{id}: {path} is not {expected}")]
    Malformed {
        /// The resource that holds it.
        id: Box<ResourceId>,
        /// Where, from the resource's root.
        path: FieldPath,
        /// What the field takes: `a boolean`.
        expected: schema::Expected,
    },
    /// The user's revision: its data cannot be decoded by the target release.
    #[error("failed to decode object in ControllerRevision: {message}")]
    Undecodable {
        /// The revision.
        id: Box<ResourceId>,
        /// Why.
        message: String,
    },
    /// The user's revision: it stores something else than the matcher asks for.
    #[error("unexpected type in ControllerRevision: {found}")]
    UnexpectedType {
        /// The revision.
        id: Box<ResourceId>,
        /// The type in Go's words: `*v1beta1.VirtualMachinePreference`.
        found: String,
    },
}

impl ResolveError {
    /// Whether what is missing may live where the target's tree does not reach.
    pub fn is_elsewhere(&self, target: &Target) -> bool {
        match self {
            Self::NotFound {
                kind,
                namespace,
                name,
                ..
            } => !target.holds(kind, namespace.as_deref(), name),
            _ => false,
        }
    }
}

impl<'a> Resolver<'a> {
    /// A resolver over `catalogs`, nearest first: the VM's own root, the roots around it, the context. The built-in
    /// bundle of the target's release comes last by itself.
    pub fn new(target: &'a Target, catalogs: Vec<&'a Catalog>) -> Self {
        Self {
            target,
            catalogs,
            answers: None,
            specs: RwLock::default(),
        }
    }

    /// This resolver with stated defaults of volume sources (`infer:` in `driftless.yaml`): resources whose labels win
    /// over those of the object of the same identity, and replace it where it is missing.
    #[must_use]
    pub const fn with_answers(mut self, answers: &'a Catalog) -> Self {
        self.answers = Some(answers);
        self
    }

    /// What the run is for.
    pub const fn target(&self) -> &'a Target {
        self.target
    }

    /// The target's release.
    pub const fn release(&self) -> Release {
        self.target.release
    }

    /// The catalogs searched, nearest first.
    pub fn catalogs(&self) -> &[&'a Catalog] {
        &self.catalogs
    }

    /// The resource of that identity: the first catalog that has one decides. `namespace` is `None` for cluster-scoped
    /// kinds. The built-in bundle is searched last.
    pub fn find(
        &self,
        group: &str,
        kind: &str,
        namespace: Option<&str>,
        name: &str,
    ) -> Resolution<'a> {
        for catalog in &self.catalogs {
            let mut hits = catalog.find(group, kind, namespace, name, &self.target.namespace);
            let Some(first) = hits.next() else { continue };
            let others: Vec<_> = hits
                .filter(|other| !other.node.same_value(&first.node))
                .collect();
            return if others.is_empty() {
                Resolution::Found(first)
            } else {
                Resolution::Ambiguous(std::iter::once(first).chain(others).collect())
            };
        }
        if group == GROUP
            && namespace.is_none()
            && self.target.configuration.deploys_common_instancetypes()
            && let Some(resource) = bundle::find(self.target.release, kind, name)
        {
            return Resolution::Found(resource);
        }
        Resolution::NotInRepository
    }

    /// What the VM's matcher of a family leads to; `None` where the VM has no such matcher. A revision named in the
    /// matcher wins over one the status names, and that wins over the object, as in `pkg/instancetype/find`; a release that
    /// keeps revisions in the matcher has none in the status.
    pub fn resolve(
        &self,
        matcher: Matcher,
        vm: &Node,
        namespace: &str,
    ) -> Result<Option<Resolved<'a>>, ResolveError> {
        let Some(named) = vm
            .get("spec")
            .and_then(|spec| spec.get(matcher.field()))
            .filter(|named| !named.is_null())
        else {
            return Ok(None);
        };
        if let Some((resource, through)) = self.stored_revision(matcher, named, vm, namespace)? {
            let spec = self.spec(resource, |resource| {
                revision::decode(self.release(), matcher, resource)
            })?;
            return Ok(Some(Resolved {
                spec,
                resource,
                through,
            }));
        }
        let resource = self.live_object(matcher, named, namespace)?;
        let spec = self.spec(resource, |resource| {
            Spec::of_object(self.release(), resource)
        })?;
        let through = if bundle::holds(resource) {
            ResolvedVia::Bundle
        } else {
            ResolvedVia::Object
        };
        Ok(Some(Resolved {
            spec,
            resource,
            through,
        }))
    }

    /// The instance type a VM of `namespace` names; `None` where it names none.
    pub fn resolve_instancetype(
        &self,
        vm: &Node,
        namespace: &str,
    ) -> Result<Option<Resolved<'a>>, ResolveError> {
        self.resolve(Matcher::Instancetype, vm, namespace)
    }

    /// The preference a VM of `namespace` names; `None` where it names none.
    pub fn resolve_preference(
        &self,
        vm: &Node,
        namespace: &str,
    ) -> Result<Option<Resolved<'a>>, ResolveError> {
        self.resolve(Matcher::Preference, vm, namespace)
    }

    fn live_object(
        &self,
        matcher: Matcher,
        named: &Node,
        namespace: &str,
    ) -> Result<&'a Resource, ResolveError> {
        let written = named.str_at("kind");
        let Some(kind) = matcher.kind_meant(written) else {
            return Err(ResolveError::UnexpectedKind {
                matcher,
                kind: written.into(),
            });
        };
        let namespace = (kind == matcher.kind()).then_some(namespace);
        self.found(GROUP, kind, namespace, named.str_at("name"))
    }

    fn stored_revision(
        &self,
        matcher: Matcher,
        named: &Node,
        vm: &Node,
        namespace: &str,
    ) -> Result<Option<(&'a Resource, ResolvedVia)>, ResolveError> {
        let revision = named.str_at("revisionName");
        if !revision.is_empty() {
            let resource = self.revision(namespace, revision)?;
            return Ok(Some((resource, ResolvedVia::RevisionName)));
        }
        if self.release().keeps_revisions_in_spec() {
            return Ok(None);
        }
        let revision = vm
            .get("status")
            .and_then(|status| status.get(matcher.status_field()))
            .map_or("", |reference| {
                reference.str_at("controllerRevisionRef.name")
            });
        if revision.is_empty() {
            return Ok(None);
        }
        let resource = self.revision(namespace, revision)?;
        let label = resource
            .node
            .path("metadata.labels")
            .and_then(|labels| labels.get(revision::OBJECT_NAME_LABEL))
            .and_then(Node::as_str);
        Ok((label == Some(named.str_at("name"))).then_some((resource, ResolvedVia::StatusRef)))
    }

    fn revision(&self, namespace: &str, name: &str) -> Result<&'a Resource, ResolveError> {
        self.found("apps", "ControllerRevision", Some(namespace), name)
    }

    /// The resource of that identity, or the error that names it.
    fn found(
        &self,
        group: &'static str,
        kind: &'static str,
        namespace: Option<&str>,
        name: &str,
    ) -> Result<&'a Resource, ResolveError> {
        match self.find(group, kind, namespace, name) {
            Resolution::Found(resource) => Ok(resource),
            Resolution::Ambiguous(_) => Err(ResolveError::Ambiguous {
                kind,
                name: name.into(),
            }),
            Resolution::NotInRepository | Resolution::Unsupported(_) => {
                Err(ResolveError::NotFound {
                    group,
                    kind,
                    namespace: namespace.map(Into::into),
                    name: name.into(),
                })
            }
        }
    }

    /// The decoded spec of a resource this resolver found, decoded the first time it is asked for.
    fn spec(
        &self,
        resource: &'a Resource,
        decode: impl FnOnce(&'a Resource) -> Result<Spec, ResolveError>,
    ) -> Result<Arc<Spec>, ResolveError> {
        // Resources are borrowed for as long as the resolver lives, so an address names one of them.
        let key = std::ptr::from_ref(resource).addr();
        if let Some(known) = self
            .specs
            .read()
            .ok()
            .and_then(|specs| specs.get(&key).cloned())
        {
            return known;
        }
        let decoded = decode(resource).map(Arc::new);
        match self.specs.write() {
            Ok(mut specs) => specs.entry(key).or_insert(decoded).clone(),
            Err(_) => decoded,
        }
    }
}

impl Spec {
    /// The spec of an instance type or preference object.
    pub(crate) fn of_object(release: Release, resource: &Resource) -> Result<Self, ResolveError> {
        let prefix = FieldPath::root().field("spec");
        Self::read(
            release,
            resource.id.clone(),
            &resource.id.kind,
            resource.node.get("spec"),
            prefix,
        )
    }

    /// The spec of a tree of that kind, at `prefix` in the resource `id`.
    pub(crate) fn read(
        release: Release,
        id: ResourceId,
        kind: &str,
        spec: Option<&Node>,
        prefix: FieldPath,
    ) -> Result<Self, ResolveError> {
        let name = if kind.ends_with("Preference") {
            "v1beta1.VirtualMachinePreferenceSpec"
        } else {
            "v1beta1.VirtualMachineInstancetypeSpec"
        };
        let empty = Node::map();
        let spec = spec.filter(|spec| !spec.is_null()).unwrap_or(&empty);
        let decoded = schema::decode(release, name, spec);
        if let Some((path, expected)) = schema::wrong_type(&decoded.problems) {
            return Err(ResolveError::Malformed {
                id: Box::new(id),
                path: prefix.join(path),
                expected,
            });
        }
        Ok(Self {
            has_node_selector: spec
                .get("nodeSelector")
                .is_some_and(|selector| selector.as_map().is_some()),
            node: decoded.node,
            id,
            prefix,
            problems: decoded.problems,
        })
    }
}
