//! `expand`: what each VM is once its instance type and preference are applied.

use std::path::PathBuf;

use driftless::catalog::bundle::{self, compare::Absence};
use driftless::catalog::side::Placed;
use driftless::emit;
use driftless::field_path::FieldPath;
use driftless::resolve::{ResolveError, Resolver};
use driftless::resource::Resource;
use driftless::schema;
use driftless::transform::expand::{ExpandError, expand};
use driftless::yaml::{Node, Origin};
use rayon::prelude::*;

use crate::args::{Global, OutputFormat};
use crate::input::read::Wants;
use crate::output::{Outcome, Shell};
use crate::session::{Request, Session};

/// Print each virtual machine with its instance type and preference applied
///
/// Answers what KubeVirt's expand-spec API would answer for each VM as written: defaults set, references gone. A VM whose
/// own fields conflict with its instance type, or whose reference leads nowhere, is reported on standard error and left
/// out, and the exit status is 1.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files and directories; `-` is standard input [default: .]
    paths: Vec<PathBuf>,

    /// Only this VM: NAMESPACE/NAME, or NAME in any namespace. May repeat
    #[arg(long, value_name = "NAMESPACE/NAME")]
    vm: Vec<String>,

    /// Format
    #[arg(short, long, value_name = "FORMAT", default_value_t)]
    output: OutputFormat,
}

/// Expands every VM of the paths.
pub(crate) fn run(args: &Args, global: &Global, shell: &mut Shell) -> anyhow::Result<Outcome> {
    let session = Session::load(
        &Request {
            global,
            paths: &args.paths,
            wants: Wants::Relevant,
        },
        shell,
    )?;
    let bad = session.say_bad_documents(shell);
    session.say_skipped(shell);
    let vms: Vec<_> = session
        .side
        .judged()
        .into_iter()
        .filter(|placed| placed.resource.is("kubevirt.io", "VirtualMachine"))
        .filter(|placed| is_wanted(&args.vm, &session, placed.resource))
        .collect();
    let mut outcome = session.outcome();
    for name in &args.vm {
        let wanted = std::slice::from_ref(name);
        if !vms
            .iter()
            .any(|vm| is_wanted(wanted, &session, vm.resource))
        {
            shell.error(format!(
                "there is no VirtualMachine `{name}` among the files read"
            ));
            outcome = Outcome::CouldNot;
        }
    }
    if vms.is_empty() && args.vm.is_empty() {
        shell.note("there is no VirtualMachine among the files read");
    }
    let resolvers = session.resolvers();
    let results: Vec<_> = vms
        .par_iter()
        .filter(|vm| !bad.holds(vm))
        .map(|vm| (vm, expanded(vm, resolvers.of(vm))))
        .collect();
    let mut nodes = Vec::new();
    for (vm, result) in results {
        match result {
            Ok(node) => nodes.push(node),
            Err(error) => {
                outcome = outcome.max(Outcome::Findings);
                say(&error, vm, &session, resolvers.of(vm), shell);
            }
        }
    }
    if bad.count > 0 {
        outcome = outcome.max(Outcome::Findings);
    }
    shell.data(emit::emit_all(args.output.into(), &nodes).as_bytes())?;
    Ok(outcome)
}

fn is_wanted(wanted: &[String], session: &Session, vm: &Resource) -> bool {
    let assumed = &session.target_of(vm.file).namespace;
    wanted.is_empty()
        || wanted.iter().any(|name| match name.split_once('/') {
            Some((namespace, name)) => vm.id.name == name && vm.namespace_or(assumed) == namespace,
            None => vm.id.name == name.as_str(),
        })
}

/// The VM as the API would answer, with what Go always writes, without what only a cluster knows.
fn expanded(vm: &Placed<'_>, resolver: &Resolver<'_>) -> Result<Node, ExpandError> {
    let resource = vm.resource;
    let namespace = resource.namespace_or(&resolver.target().namespace);
    let mut node = expand(&resource.node, namespace, resolver)?;
    schema::encode(resolver.release(), "v1.VirtualMachine", &mut node);
    node.remove("status");
    Ok(node)
}

/// Says why a VM is left out, with the place in its file.
pub(crate) fn say(
    error: &ExpandError,
    vm: &Placed<'_>,
    session: &Session,
    resolver: &Resolver<'_>,
    shell: &mut Shell,
) {
    let resource = vm.resource;
    let at = |path: &FieldPath| session.place(resource, path);
    match error {
        ExpandError::Conflicts(conflicts) => {
            for conflict in &conflicts.0 {
                let place = match conflict.origin {
                    Origin::Source(span) => session.sources.describe(span),
                    _ => at(&conflict.field),
                };
                shell.error(format!("{place}: {}: {conflict}", resource.id));
            }
            shell.help(Some(
                "remove the field from the VM, or the reference to the instance type",
            ));
        }
        ExpandError::Resolve(error) => {
            let place = at(&named_by(error, resource));
            shell.error(format!("{place}: {}: {error}", resource.id));
            shell.help(remedy(error, session, resolver));
        }
        ExpandError::Malformed { path, .. } => {
            shell.error(format!("{}: {}: {error}", at(path), resource.id));
        }
        ExpandError::Refused(_) => {
            shell.error(format!(
                "{}: {}: {error}",
                at(&FieldPath::root()),
                resource.id
            ));
        }
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
        ResolveError::Malformed { .. }
        | ResolveError::Undecodable { .. }
        | ResolveError::UnexpectedType { .. } => return FieldPath::parse("spec"),
    };
    let matchers = if kind.ends_with("Preference") {
        &["preference"][..]
    } else if kind == "ControllerRevision" {
        &["instancetype", "preference"][..]
    } else {
        &["instancetype"][..]
    };
    for matcher in matchers {
        for key in ["name", "revisionName"] {
            let path = FieldPath::parse(&format!("spec.{matcher}.{key}"));
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
        return None;
    };
    let elsewhere = session.side.resources().find(|placed| {
        let id = &placed.resource.id;
        id.kind == *kind && id.name == *name
    });
    if let Some(placed) = elsewhere {
        let file = placed
            .resource
            .file
            .map(|file| session.sources.file(file).path());
        let root = &session.side.roots[placed.root].place.directory;
        let namespaces = match (namespace, &placed.resource.id.namespace) {
            (Some(wanted), Some(there)) if wanted != there => format!(", in namespace {there}"),
            _ => String::new(),
        };
        return Some(format!(
            "{} has one of that name{namespaces}, in a root the VM does not see: name it in the kustomization, or add --context {}",
            file.unwrap_or_default(),
            if root.is_empty() { "." } else { root }
        ));
    }
    let release = resolver.release();
    match bundle::compare::absence(release, kind, name) {
        Some(Absence::Removed { last, nearest }) => {
            let instead = nearest.map_or_else(String::new, |near| {
                format!("; nearest today is {}", near.id.name)
            });
            return Some(format!(
                "KubeVirt ships it up to {last}, not in {release}: choose another, or keep its manifest in the repository{instead}"
            ));
        }
        Some(Absence::NotYet { first }) => {
            return Some(format!(
                "KubeVirt ships it from {first} on, not in {release}: choose another, or add its manifest"
            ));
        }
        None => {}
    }
    Some(format!(
        "add the manifest of {kind} {name}, or give the directory that has it with --context"
    ))
}
