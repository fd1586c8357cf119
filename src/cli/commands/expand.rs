//! `expand`: what each VM is once its instance type and preference are applied.

use std::fmt::Write;
use std::path::PathBuf;

use driftless::catalog::side::Placed;
use driftless::emit::{self, Syntax};
use driftless::resolve::Resolver;
use driftless::resource::Resource;
use driftless::shown::{self, Shown};
use driftless::transform::explain::{Explained, Giver, explain};
use rayon::prelude::*;

use crate::args::{Global, syntax};
use crate::expansion::{self, End, Steps, Taken};
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

    /// Run KubeVirt's whole mutating webhook first, as in a cluster
    #[arg(long)]
    admitted: bool,

    /// What to print: the virtual machine, or the instance that a start makes of it, as the cluster stores it. An
    /// instance is made of a stored machine: the mutating webhook runs first
    #[arg(long = "as", value_name = "FORM", default_value = "vm")]
    form: Printed,

    /// Say for every field where its value came from, instead of printing the VM
    #[arg(long, conflicts_with = "output")]
    explain: bool,

    /// A stream of documents, or a `v1 List` in JSON
    #[arg(short, long, value_name = "FORMAT", default_value_t, value_parser = syntax())]
    output: Syntax,
}

/// What is printed of each VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Printed {
    /// The virtual machine.
    Vm,
    /// The virtual machine instance that a start makes of it.
    Vmi,
}

/// Expands every VM of the paths.
pub(crate) fn run(args: &Args, global: &Global, shell: &mut Shell) -> anyhow::Result<Outcome> {
    let request = Request::new(global, &args.paths);
    let session = Session::load(&request, shell)?;
    let bad = session.say_bad_documents(shell);
    session.say_skipped(shell);
    let vms: Vec<_> = session
        .head
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
    let steps = Steps {
        admitted: args.admitted || args.form == Printed::Vmi,
        taken_to: match args.form {
            Printed::Vm => End::Expanded,
            Printed::Vmi => End::Started,
        },
    };
    let results: Vec<_> = vms
        .par_iter()
        .filter(|vm| !bad.holds(vm))
        .map(|vm| (vm, expansion::take(vm, steps, resolvers.of(vm))))
        .collect();
    let mut nodes = Vec::new();
    for (vm, result) in results {
        let resolver = resolvers.of(vm);
        match result {
            Ok(mut taken) => {
                expansion::say_remarks(&taken, vm.resource, &session, shell);
                if args.explain {
                    let text = explanation(&taken, vm, &session, resolver);
                    shell.data(text.as_bytes())?;
                } else {
                    expansion::finish(&mut taken.node, steps, resolver);
                    nodes.push(taken.node);
                }
            }
            Err(failure) => {
                outcome = outcome.max(Outcome::Findings);
                expansion::say_failure(&failure, vm.resource, &session, resolver, shell);
            }
        }
    }
    if bad.count > 0 {
        outcome = outcome.max(Outcome::Findings);
    }
    if !args.explain {
        shell.data(emit::emit_all(args.output, &nodes).as_bytes())?;
    }
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

/// Every field of the expanded VM with its giver and place, a line each.
fn explanation(
    taken: &Taken,
    vm: &Placed<'_>,
    session: &Session,
    resolver: &Resolver<'_>,
) -> String {
    let namespace = vm.resource.namespace_or(&resolver.target().namespace);
    let followed = &taken.unexpanded;
    let instancetype = resolver
        .resolve_instancetype(followed, namespace)
        .ok()
        .flatten();
    let preference = resolver
        .resolve_preference(followed, namespace)
        .ok()
        .flatten();
    let mut text = format!("{}\n", Shown(&vm.resource.id));
    for field in explain(
        &taken.node,
        vm.resource,
        instancetype.as_ref(),
        preference.as_ref(),
    ) {
        let giver = giver(&field, session, resolver);
        let _ = writeln!(
            text,
            "  {}: {}  # {}",
            Shown(&field.path),
            Shown(&field.value),
            Shown(giver)
        );
    }
    shown::page(text)
}

fn giver(field: &Explained<'_>, session: &Session, resolver: &Resolver<'_>) -> String {
    let at = |span: Option<_>| {
        span.map_or_else(String::new, |span| {
            format!(", {}", session.sources.describe(span))
        })
    };
    match field.giver {
        Giver::Vm(span) => format!("VM{}", at(span)),
        Giver::Instancetype(id, span) => format!("instance type {id}{}", at(span)),
        Giver::Preference(id, span) => format!("preference {id}{}", at(span)),
        Giver::Bundle(entry) => format!(
            "{} {}, built in, KubeVirt {}",
            entry.kind,
            entry.name,
            resolver.release()
        ),
        Giver::Default(writer) => format!("KubeVirt's default, {}", writer.0),
        Giver::Elsewhere(span) => session.sources.describe(span),
    }
}
