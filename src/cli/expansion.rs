//! Takes one VM through admission and expansion, and words what fails.

use driftless::catalog::bundle::{self, compare::Absence};
use driftless::catalog::side::Placed;
use driftless::cause::Refusal;
use driftless::field_path::FieldPath;
use driftless::release::Behaviour;
use driftless::resolve::infer::{self, InferError};
use driftless::resolve::{ResolveError, Resolver};
use driftless::resource::{Resource, ResourceId};
use driftless::rule::Severity;
use driftless::schema::{self, Problem, ProblemKind};
use driftless::stored::Matcher;
use driftless::transform::admit::{self, NotAdmitted, Unknown};
use driftless::transform::expand::{ExpandError, expand, expand_stored};
use driftless::transform::start::{self, StartError};
use driftless::yaml::{Node, Origin};

use crate::output::Shell;
use crate::session::Session;

/// The type a VM is read and written as.
const VM: &str = "v1.VirtualMachine";

/// How far a VM is taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps {
    /// Whether the mutating webhook runs first.
    pub(crate) admitted: bool,
    /// Where it ends.
    pub(crate) taken_to: End,
}

/// Where the way of a VM ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Right after admission.
    Admitted,
    /// With instance type and preference applied.
    Expanded,
    /// With the instance that a start makes of it, stored.
    Started,
}

/// A VM taken so far.
#[derive(Debug)]
pub(crate) struct Taken {
    /// The VM in Go-normal form.
    pub(crate) node: Node,
    /// The VM right before it was expanded: its matchers are those that were followed.
    pub(crate) unexpanded: Node,
    /// What to say beside it.
    pub(crate) remarks: Vec<VmRemark>,
}

/// Something to say about a VM that went through.
#[derive(Debug)]
pub(crate) struct VmRemark {
    field: FieldPath,
    text: String,
    severity: Severity,
}

/// Why a VM did not go through.
#[derive(Debug)]
pub(crate) enum NotExpanded {
    /// It cannot be expanded.
    Expand(ExpandError),
    /// The mutating webhook refuses it, or a matcher that names a volume leads nowhere.
    Admit(NotAdmitted),
}

/// Takes a VM as far as asked. Where nothing is admitted, only matchers that name a volume are settled first, as
/// admission would have done.
pub(crate) fn take(
    vm: &Placed<'_>,
    steps: Steps,
    resolver: &Resolver<'_>,
) -> Result<Taken, NotExpanded> {
    let written = &vm.resource.node;
    let namespace = vm.resource.namespace_or(&resolver.target().namespace);
    let mut remarks = Vec::new();
    let decoded = schema::decode(resolver.release(), VM, written);
    remarks.extend(
        decoded
            .problems
            .iter()
            .filter_map(|problem| dropped(problem, resolver)),
    );
    let unexpanded = if steps.admitted {
        let mut admitted = admit::mutate(written, None, resolver).map_err(NotExpanded::Admit)?;
        let random: Vec<_> = admitted
            .random
            .iter()
            .map(|field| format!("`{field}`"))
            .collect();
        for field in &admitted.random {
            drop_field(&mut admitted.vm, field);
        }
        if let Some(first) = admitted.random.first() {
            remarks.push(VmRemark {
                field: first.clone(),
                text: format!(
                    "KubeVirt chooses {} at random; the result leaves it out",
                    random.join(" and ")
                ),
                severity: Severity::Note,
            });
        }
        remarks.extend(admitted.unknown.iter().map(unknown));
        admitted.vm
    } else {
        let mut vm = written.clone();
        let inferred = infer::infer(&mut vm, namespace, resolver)
            .map_err(|error| NotExpanded::Admit(error.into()))?;
        for settled in inferred {
            if settled.cleared_memory.is_some() {
                remarks.push(VmRemark {
                    field: FieldPath::parse("spec.template.spec.domain.memory"),
                    text: "KubeVirt drops the memory in favor of the inferred instance type's, because the failure policy is Ignore".to_owned(),
                    severity: Severity::Note,
                });
            }
        }
        vm
    };
    let expand = if steps.admitted {
        expand_stored
    } else {
        expand
    };
    let node = match steps.taken_to {
        End::Admitted => unexpanded.clone(),
        End::Expanded => expand(&unexpanded, namespace, resolver).map_err(NotExpanded::Expand)?,
        End::Started => started(&unexpanded, namespace, resolver, &mut remarks)?,
    };
    Ok(Taken {
        node,
        unexpanded,
        remarks,
    })
}

/// The VMI that a start makes of an admitted VM. Whoever wants to know is told what the cluster makes up.
fn started(
    vm: &Node,
    namespace: &str,
    resolver: &Resolver<'_>,
    remarks: &mut Vec<VmRemark>,
) -> Result<Node, NotExpanded> {
    const UUID: &str = "spec.domain.firmware.uuid";
    let started = start::start(vm.clone(), namespace, resolver).map_err(|error| match error {
        StartError::Expand(error) => NotExpanded::Expand(error),
        StartError::Admit(error) => NotExpanded::Admit(error),
    })?;
    let mut vmi = started.vmi;
    let derived = start::legacy_uuid(vm.str_at("metadata.name"));
    if vmi.str_at(UUID) == derived
        && vm
            .path("spec.template")
            .is_some_and(|template| template.str_at(UUID).is_empty())
    {
        vmi.remove(UUID);
        if resolver.release().has(Behaviour::WritesFirmwareUuid) {
            return Ok(vmi);
        }
        remarks.push(VmRemark {
            field: FieldPath::parse("spec.template.spec.domain.firmware.uuid"),
            text: format!(
                "KubeVirt derives the firmware UUID `{derived}` from the VM's name; the result leaves it out"
            ),
            severity: Severity::Note,
        });
    }
    Ok(vmi)
}

/// Adds what Go always writes and takes away what only a cluster knows.
pub(crate) fn finish(node: &mut Node, steps: Steps, resolver: &Resolver<'_>) {
    if steps.taken_to == End::Started {
        start::written(resolver.release(), node);
        return;
    }
    schema::encode(resolver.release(), VM, node);
    node.remove("status");
}

fn dropped(problem: &Problem, resolver: &Resolver<'_>) -> Option<VmRemark> {
    let release = resolver.release();
    let path = &problem.path;
    if path.to_string().starts_with("status") {
        return None;
    }
    let text = match &problem.kind {
        ProblemKind::UnknownField { .. } => {
            format!("the API server drops `{path}`: KubeVirt has no such field")
        }
        ProblemKind::UnsupportedField { releases } => {
            let why = match releases.last() {
                Some(last) if last < release => format!("the field exists up to {last}"),
                _ => format!("the field exists from {} on", releases.first()),
            };
            format!("the API server of KubeVirt {release} drops `{path}`: {why}")
        }
        _ => return None,
    };
    Some(VmRemark {
        field: path.clone(),
        text,
        severity: Severity::Warning,
    })
}

fn unknown(unknown: &Unknown) -> VmRemark {
    let (field, text) = match unknown {
        Unknown::Preference(error) => (
            "spec.preference",
            format!("{error}; the result is without its preferences"),
        ),
        Unknown::DataSource { namespace, name } => (
            "spec.dataVolumeTemplates",
            format!(
                "DataSource {namespace}/{name} is not among the files read; its label may set the architecture"
            ),
        ),
    };
    VmRemark {
        field: FieldPath::parse(field),
        text,
        severity: Severity::Warning,
    }
}

/// Takes a field out, and what the webhook made only to hold it.
fn drop_field(vm: &mut Node, field: &FieldPath) {
    let path = field.to_string();
    vm.remove(&path);
    if let Some((parent, _)) = path.rsplit_once('.') {
        let made = vm.path(parent).is_some_and(|node| {
            node.entries().is_empty() && matches!(node.origin, Origin::Written(_))
        });
        if made {
            vm.remove(parent);
        }
    }
}

/// Says what there is to say about a VM that went through.
pub(crate) fn say_remarks(
    taken: &Taken,
    resource: &Resource,
    session: &Session,
    shell: &mut Shell,
) {
    for remark in &taken.remarks {
        let place = session.place(resource, &remark.field);
        let message = format!("{place}: {}: {}", resource.id, remark.text);
        shell.remark(remark.severity, message);
    }
}

/// Says why a VM did not go through, with the place in its file and the remedy.
pub(crate) fn say_failure(
    failure: &NotExpanded,
    resource: &Resource,
    session: &Session,
    resolver: &Resolver<'_>,
    shell: &mut Shell,
) {
    let mut say = |path: &FieldPath, message: &str, help: Option<String>| {
        let place = session.place(resource, path);
        shell.error(format!("{place}: {}: {message}", resource.id));
        shell.help(help);
    };
    match failure {
        NotExpanded::Expand(ExpandError::Conflicts(conflicts)) => {
            for (at, conflict) in conflicts.0.iter().enumerate() {
                let place = match conflict.origin {
                    Origin::Source(span) => session.sources.describe(span),
                    _ => session.place(resource, &conflict.field),
                };
                shell.error(format!("{place}: {}: {conflict}", resource.id));
                if at + 1 == conflicts.0.len() {
                    shell.help(Some("a VM may not set what its instance type sets: remove the fields from the VM, or choose another instance type"));
                }
            }
        }
        NotExpanded::Expand(ExpandError::Resolve(error)) => {
            say(
                &named_by(error, resource),
                &error.to_string(),
                remedy(error, session, resolver),
            );
        }
        NotExpanded::Expand(ExpandError::Refused(refusal))
        | NotExpanded::Admit(NotAdmitted::Refused(refusal)) => {
            let message = match refusal {
                Refusal::Refused { message, .. } => message.clone(),
                Refusal::Crash { message } => format!("KubeVirt would crash: {message}"),
            };
            let field = match refusal {
                Refusal::Refused { causes, .. } => causes.first().map(|cause| cause.field.as_str()),
                Refusal::Crash { .. } => None,
            };
            say(&FieldPath::parse(field.unwrap_or_default()), &message, None);
        }
        NotExpanded::Expand(ExpandError::Malformed(problem))
        | NotExpanded::Admit(NotAdmitted::Malformed(problem)) => {
            say(&problem.path, &problem.to_string(), None);
        }
        NotExpanded::Admit(NotAdmitted::Infer(error)) => {
            say(
                &inferring(resource),
                &error.to_string(),
                infer_remedy(error),
            );
        }
    }
}

/// The field that names a volume.
fn inferring(vm: &Resource) -> FieldPath {
    Matcher::ALL
        .iter()
        .map(|matcher| FieldPath::parse(&format!("spec.{}.inferFromVolume", matcher.field())))
        .find(|path| path.find(&vm.node).is_some())
        .unwrap_or_default()
}

fn infer_remedy(error: &InferError) -> Option<String> {
    let missing = error.missing();
    if !missing.is_empty() {
        let list: Vec<_> = missing.iter().map(ResourceId::to_string).collect();
        return Some(format!(
            "add {}, pass its directory with --context, or give the answer under `infer:` in driftless.yaml",
            list.join(" or ")
        ));
    }
    match error {
        InferError::NoLabel { label, on } => Some(format!(
            "label {on} with {label}, or name the object in the VM"
        )),
        InferError::Ambiguous { .. } => None,
        _ => Some("name the instance type or preference in the VM instead".to_owned()),
    }
}

/// The field of the VM that leads to nothing.
fn named_by(error: &ResolveError, vm: &Resource) -> FieldPath {
    let (kind, name) = match error {
        ResolveError::NotFound { kind, name, .. } | ResolveError::Ambiguous { kind, name } => {
            (*kind, name.as_str())
        }
        ResolveError::UnexpectedKind { matcher, .. } => {
            return FieldPath::parse(&format!("spec.{}.kind", matcher.field()));
        }
        _ => return FieldPath::parse("spec"),
    };
    let matchers = Matcher::ALL.into_iter().filter(|matcher| {
        kind == "ControllerRevision" || [matcher.kind(), matcher.cluster_kind()].contains(&kind)
    });
    for matcher in matchers {
        for key in ["name", "revisionName"] {
            let path = FieldPath::parse(&format!("spec.{}.{key}", matcher.field()));
            if path.find(&vm.node).and_then(Node::as_str) == Some(name) {
                return path;
            }
        }
    }
    FieldPath::parse("spec")
}

/// What to do about a reference that leads nowhere.
fn remedy(error: &ResolveError, session: &Session, resolver: &Resolver<'_>) -> Option<String> {
    let ResolveError::NotFound {
        kind,
        namespace,
        name,
        ..
    } = error
    else {
        return match error {
            ResolveError::UnexpectedKind { matcher, .. } => Some(format!(
                "the kind is {} or {}",
                matcher.kind(),
                matcher.cluster_kind()
            )),
            _ => None,
        };
    };
    if name.is_empty() {
        return Some("give the matcher a name".to_owned());
    }
    let elsewhere = session.head.side.resources().find(|placed| {
        let id = &placed.resource.id;
        id.kind == *kind && id.name == *name
    });
    if let Some(placed) = elsewhere {
        let file = placed
            .resource
            .file
            .map(|file| session.sources.file(file).path());
        let file = file.unwrap_or_default();
        let assumed = &resolver.target().namespace;
        let there = placed.resource.namespace_or(assumed);
        return Some(match namespace {
            Some(wanted) if wanted != there => {
                format!("{file} has an object of that name in namespace {there}, not in {wanted}")
            }
            _ => {
                let place = &session.head.side.roots[placed.root].place;
                let root = crate::input::discover::shown(&place.directory);
                let own = &resolver.target().name;
                let other = &session.target_of(placed.resource.file).name;
                if own != other && !other.is_empty() {
                    return Some(format!("{file} has it, for target {other}"));
                }
                format!(
                    "{file} has it, in a root that the VM does not belong to: add it to the kustomization, or pass --context {root}"
                )
            }
        });
    }
    let release = resolver.release();
    let is_common = bundle::lifetime(kind, name).is_some();
    if is_common
        && !resolver
            .target()
            .configuration
            .deploys_common_instancetypes()
    {
        return Some(
            "the cluster's configuration turns `commonInstancetypesDeployment` off: add the manifest to the repository"
                .to_owned(),
        );
    }
    match bundle::compare::absence(release, kind, name) {
        Some(Absence::Removed { last, nearest }) => {
            let instead =
                nearest.map_or_else(String::new, |near| format!("; nearest is {}", near.id.name));
            Some(format!(
                "KubeVirt ships it up to {last}, not in {release}: choose another, or keep its manifest in the repository{instead}"
            ))
        }
        Some(Absence::NotYet { first }) => Some(format!(
            "KubeVirt ships it from {first} on, not in {release}: choose another, or add its manifest"
        )),
        None => Some(format!(
            "add the manifest of {kind} {name}, or pass the directory that has it with --context"
        )),
    }
}
