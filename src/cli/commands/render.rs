//! `render`: every manifest in its normal form, expanded by policy.

mod write;

use std::collections::BTreeMap;
use std::path::PathBuf;

use driftless::catalog::side::Placed;
use driftless::emit::{self, Syntax};
use driftless::resource::Resource;
use driftless::shown;
use driftless::source::FileId;
use driftless::transform::normalize::{self, normalize};
use driftless::transform::upgrade;
use driftless::yaml::{self, Node};
use rayon::prelude::*;

use crate::args::{Global, syntax};
use crate::expansion::{self, End, NotExpanded, Steps, Taken};
use crate::input::read::Wants;
use crate::output::{Outcome, Shell};
use crate::session::{Request, Resolvers, Session};

/// Print the manifests in their normal form
///
/// Every Kubernetes object passes through, without what a cluster writes, in a fixed order. Fails with nothing on
/// standard output if any input cannot be read.
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Args {
    /// Files and directories; `-` is standard input [default: .]
    paths: Vec<PathBuf>,

    /// What becomes of references to instance types and preferences, as KubeVirt's instancetype.referencePolicy
    #[arg(long, value_name = "POLICY", default_value = "reference")]
    policy: Policy,

    /// Show what the API server would store after KubeVirt's mutating webhook
    #[arg(long)]
    admitted: bool,

    /// Print what rendering changes as unified diffs, and exit with 1 if there is any; layout and comments are no change
    #[arg(long, conflicts_with_all = ["output", "output_dir"])]
    diff: bool,

    /// A stream of documents, or a `v1 List` in JSON
    #[arg(short, long, value_name = "FORMAT", default_value_t, value_parser = syntax())]
    output: Syntax,

    /// Write one file an object into this directory
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    output_dir: Option<PathBuf>,

    /// Succeed when there is nothing to render
    #[arg(long)]
    allow_empty: bool,

    /// Whether a template, which is left out otherwise, is a failure.
    #[arg(skip)]
    refuses_templates: bool,
}

impl Args {
    /// What a plugin of Argo CD renders: everything under the paths, or nothing.
    pub(super) fn of_plugin(
        paths: Vec<PathBuf>,
        policy: &str,
        allow_empty: bool,
    ) -> anyhow::Result<Self> {
        let policy = <Policy as clap::ValueEnum>::from_str(policy, false)
            .map_err(|_| anyhow::anyhow!("a policy is reference, expand or expandAll"))?;
        Ok(Self {
            paths,
            policy,
            admitted: false,
            diff: false,
            output: Syntax::Yaml,
            output_dir: None,
            allow_empty,
            refuses_templates: true,
        })
    }
}

/// KubeVirt's instancetype.referencePolicy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "camelCase")]
enum Policy {
    /// VMs keep their references
    Reference,
    /// VMs without a stored revision are expanded
    Expand,
    /// Every VM is expanded
    ExpandAll,
}

/// A resource as it is written.
struct Rendered<'a> {
    placed: Placed<'a>,
    node: Node,
    /// The bytes to write, where the document passes untouched.
    verbatim: Option<String>,
    /// Where it stands, written before it where another root holds another resource of its identity.
    source: Option<String>,
}

/// Renders every resource of the paths.
pub(crate) fn run(args: &Args, global: &Global, shell: &mut Shell) -> anyhow::Result<Outcome> {
    let mut global = global.clone();
    if let Some(directory) = &args.output_dir {
        global.exclude.extend(write::exclusion(directory));
    }
    let request = Request::new(&global, &args.paths).wanting(Wants::Everything);
    let session = Session::load(&request, shell)?;
    let bad = session.say_bad_documents(shell);
    session.say_skipped(shell);
    session.say_nameless(shell);
    if bad.count > 0 || session.outcome() == Outcome::CouldNot {
        return Ok(Outcome::CouldNot);
    }
    if args.refuses_templates && session.say_templates(shell) {
        return Ok(Outcome::CouldNot);
    }
    let resolvers = session.resolvers();
    let Some(mut rendered) = render(args, &session, &resolvers, shell) else {
        return Ok(Outcome::CouldNot);
    };
    if rendered.is_empty() && !args.allow_empty {
        shell.error("there is nothing to render");
        shell.help(Some(
            "name a path that holds manifests, or pass --allow-empty",
        ));
        return Ok(Outcome::CouldNot);
    }
    if args.diff {
        return diff(&rendered, &session, shell);
    }
    sort(&mut rendered, &session);
    if let Some(directory) = &args.output_dir {
        write::write(directory, &rendered)?;
        return Ok(Outcome::Clean);
    }
    let text = match args.output {
        Syntax::Yaml => {
            let texts: Vec<_> = rendered.par_iter().map(Rendered::text).collect();
            texts.join("---\n")
        }
        Syntax::Json => emit::emit_all(Syntax::Json, rendered.iter().map(|one| &one.node)),
    };
    shell.data(text.as_bytes())?;
    Ok(Outcome::Clean)
}

impl Rendered<'_> {
    fn text(&self) -> String {
        let text = match &self.verbatim {
            Some(text) => text.clone(),
            None => yaml::emit::to_string(&self.node),
        };
        match &self.source {
            Some(source) => format!("# Source: {}\n{text}", shown::whole(source)),
            None => text,
        }
    }
}

/// Every resource in its normal form, by file; `None` where a VM could not be taken as far as asked, which was said.
fn render<'a>(
    args: &Args,
    session: &'a Session,
    resolvers: &Resolvers<'a>,
    shell: &mut Shell,
) -> Option<Vec<Rendered<'a>>> {
    let judged = session.head.side.judged();
    let objects: Vec<_> = judged
        .iter()
        .map(|placed| (resolvers.of(placed), placed.resource))
        .collect();
    let lifted: BTreeMap<_, _> = upgrade::objects(&objects)
        .into_iter()
        .map(|changed| (place(changed.resource), changed.node))
        .collect();
    let results: Vec<_> = judged
        .into_par_iter()
        .map(|placed| {
            let written = lifted
                .get(&place(placed.resource))
                .unwrap_or(&placed.resource.node);
            (placed, normal_form(args, placed, written, resolvers))
        })
        .collect();
    let mut all = Vec::with_capacity(results.len());
    let mut failed = false;
    for (placed, result) in results {
        match result {
            Ok((node, taken)) => {
                if let Some(taken) = taken {
                    expansion::say_remarks(&taken, placed.resource, session, shell);
                }
                all.push(Rendered {
                    verbatim: session.verbatim(placed.resource),
                    placed,
                    node,
                    source: None,
                });
            }
            Err(failure) => {
                failed = true;
                let resolver = resolvers.of(&placed);
                expansion::say_failure(&failure, placed.resource, session, resolver, shell);
            }
        }
    }
    (!failed).then_some(all)
}

/// The resource as it is written, and what a VM went through on the way.
pub(super) fn normal_form(
    args: &Args,
    placed: Placed<'_>,
    written: &Node,
    resolvers: &Resolvers<'_>,
) -> Result<(Node, Option<Taken>), NotExpanded> {
    let resource = placed.resource;
    let resolver = resolvers.of(&placed);
    let node = normalize(resource, written, resolver);
    let steps = Steps {
        admitted: args.admitted,
        taken_to: if is_expanded(args.policy, &node, &resource.node) {
            End::Expanded
        } else {
            End::Admitted
        },
    };
    let is_vm = resource.is("kubevirt.io", "VirtualMachine");
    if !is_vm
        || normalize::is_encrypted(&node)
        || (!steps.admitted && steps.taken_to == End::Admitted)
    {
        return Ok((node, None));
    }
    let mut vm = Resource {
        node,
        ..resource.clone()
    };
    if let Some(status) = resource.node.get("status").filter(|_| !steps.admitted) {
        vm.node.set("status", status.clone());
    }
    let placed = Placed {
        root: placed.root,
        resource: &vm,
    };
    let mut taken = expansion::take(&placed, steps, resolver)?;
    expansion::finish(&mut taken.node, steps, resolver);
    let node = normalize(&vm, &taken.node, resolver);
    Ok((node, Some(taken)))
}

/// Whether the policy expands a VM, given in its normal form and as written.
fn is_expanded(policy: Policy, vm: &Node, written: &Node) -> bool {
    let is_set = |node: &Node, path: &str| !node.str_at(path).is_empty();
    let refers = ["spec.instancetype", "spec.preference"]
        .iter()
        .any(|matcher| vm.path(matcher).is_some_and(|node| !node.is_null()));
    let is_stored = [
        "spec.instancetype.revisionName",
        "spec.preference.revisionName",
    ]
    .iter()
    .any(|path| is_set(vm, path))
        || [
            "status.instancetypeRef.controllerRevisionRef.name",
            "status.preferenceRef.controllerRevisionRef.name",
        ]
        .iter()
        .any(|path| is_set(written, path));
    match policy {
        Policy::Reference => false,
        Policy::Expand => refers && !is_stored,
        Policy::ExpandAll => refers,
    }
}

fn place(resource: &Resource) -> (Option<FileId>, usize, String) {
    (
        resource.file,
        resource.document,
        resource.prefix.to_string(),
    )
}

/// Sorts, and drops what another root holds in the same words.
fn sort(rendered: &mut Vec<Rendered<'_>>, session: &Session) {
    rendered.sort_by(|a, b| {
        let key = |rendered: &Rendered<'_>| {
            let resource = rendered.placed.resource;
            (
                resource.file.map(|file| session.sources.file(file).path()),
                resource.document,
            )
        };
        emit::order::key(&a.placed.resource.id)
            .cmp(&emit::order::key(&b.placed.resource.id))
            .then_with(|| key(a).cmp(&key(b)))
            .then_with(|| a.placed.resource.prefix.cmp(&b.placed.resource.prefix))
    });
    let mut kept: Vec<Rendered<'_>> = Vec::with_capacity(rendered.len());
    for one in rendered.drain(..) {
        let id = &one.placed.resource.id;
        let twin = kept
            .iter()
            .rev()
            .take_while(|other| other.placed.resource.id == *id)
            .any(|other| !id.name.is_empty() && other.node.same_value(&one.node));
        if !twin {
            kept.push(one);
        }
    }
    let mut at = 0;
    while at < kept.len() {
        let id = kept[at].placed.resource.id.clone();
        let twins = kept[at..]
            .iter()
            .take_while(|one| one.placed.resource.id == id)
            .count();
        if twins > 1 && !id.name.is_empty() {
            for one in &mut kept[at..at + twins] {
                one.source = session.source_of(one.placed.resource);
            }
        }
        at += twins;
    }
    *rendered = kept;
}

fn diff(
    rendered: &[Rendered<'_>],
    session: &Session,
    shell: &mut Shell,
) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::Clean;
    for one in rendered {
        let resource = one.placed.resource;
        let place = session.place(resource, &driftless::field_path::FieldPath::root());
        let names = (
            format!("{place} {}", resource.id),
            format!("{place} {}, rendered", resource.id),
        );
        let text = emit::diff::unified(Some(&resource.node), Some(&one.node), (&names.0, &names.1));
        if !text.is_empty() {
            outcome = Outcome::Findings;
            shell.data(shell.painted_diff(&text).as_bytes())?;
        }
    }
    Ok(outcome)
}
