//! `plan`: what a change does to every virtual machine.

mod gates;
mod live;

use std::path::PathBuf;

use anyhow::bail;
use driftless::catalog::side::SkipReason;
use driftless::change::Sided;
use driftless::config::Config;
use driftless::plan::{self, Apply, Export, Names, Plan, Sides};
use driftless::release::Release;
use driftless::report::plan_markdown::CommentOptions;
use driftless::report::{TextLayout, outputs, plan_html, plan_json, plan_markdown, plan_text};

use crate::args::{Global, Listed, release};
use crate::input::git::Repository;
use crate::output::{Outcome, Shell};
use crate::sides::{Base, Loaded};
use crate::sink::Sink;

/// Say what a change does to every virtual machine: nothing, live update, volume migration, restart, refused
///
/// Compares two sides of the manifests and judges each VM as KubeVirt's admission and its VM controller would, taking
/// every VM that runs to run what the base says. Without `--head` the head is the working tree, or, in a commit hook,
/// what is about to be committed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files and directories [default: .]
    paths: Vec<PathBuf>,

    /// Git revision to compare with. Given twice, the first is the base of a volume migration that is under way
    #[arg(long, value_name = "REV")]
    base: Vec<String>,

    /// Directory or file to compare with, instead of a revision
    #[arg(long, value_name = "DIR", conflicts_with_all = ["base", "head"])]
    base_dir: Option<PathBuf>,

    /// Git revision that is compared, instead of the working tree
    #[arg(long, value_name = "REV", requires = "base")]
    head: Option<String>,

    /// Take base and head as a hook of pre-commit or prek has them: what is about to be committed against `HEAD`, or the
    /// revisions in PRE_COMMIT_FROM_REF and PRE_COMMIT_TO_REF
    #[arg(long, conflicts_with_all = ["base", "base_dir", "head", "kubevirt_from"])]
    hook: bool,

    /// Preview of a cluster upgrade: the release it has, instead of a base
    #[arg(long, value_name = "RELEASE", value_parser = release(), requires = "kubevirt_to", conflicts_with_all = ["base", "base_dir", "kubevirt", "openshift"])]
    kubevirt_from: Option<Release>,

    /// Preview of a cluster upgrade: the release it gets
    #[arg(long, value_name = "RELEASE", value_parser = release(), requires = "kubevirt_from")]
    kubevirt_to: Option<Release>,

    /// How the changed manifests reach the cluster: over the stored objects, as kubectl apply, Argo CD and Flux do, or in
    /// their place, as kubectl replace does
    #[arg(long, value_name = "HOW", default_value = "merge")]
    apply: How,

    /// How to report: text, json, markdown for a comment on a pull request, html, one page that needs no server, or
    /// github-output, `name=value` lines for `$GITHUB_OUTPUT`; each to standard output or to a file of its own. May repeat
    #[arg(long, value_name = "FORMAT[=FILE]", default_value = "text", value_parser = Listed::new(format, || FORMATS.map(|(word, _)| word).to_vec()))]
    format: Vec<Sink<PlanFormat>>,

    /// Write the report to a file; with several formats, name each one's file in `--format`
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// What the cluster has, as `kubectl get vm,vmi,controllerrevision -A -o yaml` prints it (`-` is standard input): restarts
    /// that are owed already, values that were stored at creation, revisions that were captured. With `targets:` an export is
    /// of the one that is named. May repeat
    #[arg(long, value_name = "[TARGET=]FILE", conflicts_with = "kubevirt_from")]
    live: Vec<String>,

    /// URL of a line in a file, with `{path}` and `{line}` in it: the page and the comment link to it
    #[arg(long, value_name = "URL", value_parser = link_template)]
    link_template: Option<String>,

    /// Name of the artifact that holds the page, for the comment to name
    #[arg(long, value_name = "NAME")]
    artifact: Option<String>,

    /// Tells the comments of several plans on one pull request apart: part of the marker in the comment's first line
    #[arg(long, value_name = "KEY", value_parser = comment_key)]
    comment_key: Option<String>,

    #[command(flatten)]
    gates: gates::GateArgs,
}

impl Args {
    fn comment(&self) -> CommentOptions<'_> {
        CommentOptions {
            key: self.comment_key.as_deref(),
            artifact: self.artifact.as_deref(),
            links: self.link_template.as_deref(),
        }
    }
}

fn link_template(text: &str) -> Result<String, &'static str> {
    let is_url = text.starts_with("https://") || text.starts_with("http://");
    if !is_url
        || text.contains(|c: char| c.is_whitespace() || c.is_control() || "<>\"'`".contains(c))
    {
        return Err("not an http or https URL");
    }
    if !text.contains("{path}") {
        return Err("`{path}` is missing: it stands for the file");
    }
    Ok(text.to_owned())
}

fn comment_key(text: &str) -> Result<String, &'static str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    if text.is_empty() || text.len() > 100 || !text.chars().all(is_plain) {
        return Err("a key has up to 100 letters, digits, `.`, `_`, `-` and `/`");
    }
    Ok(text.to_owned())
}

/// How the changed manifests reach the cluster.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum How {
    /// Over the stored objects: what a webhook wrote into them stays
    Merge,
    /// In the place of the stored objects: what only the cluster had goes
    Replace,
}

impl From<How> for Apply {
    fn from(how: How) -> Self {
        match how {
            How::Merge => Self::Merge,
            How::Replace => Self::Replace,
        }
    }
}

/// How a plan is written.
#[derive(Clone, Copy, Debug)]
enum PlanFormat {
    Text,
    Json,
    Markdown,
    Html,
    GithubOutput,
}

const FORMATS: [(&str, PlanFormat); 5] = [
    ("text", PlanFormat::Text),
    ("json", PlanFormat::Json),
    ("markdown", PlanFormat::Markdown),
    ("html", PlanFormat::Html),
    ("github-output", PlanFormat::GithubOutput),
];

fn format(text: &str) -> Result<Sink<PlanFormat>, String> {
    Sink::parse(text, FORMATS)
}

/// A plan with what else the run found.
struct Judged {
    plan: Plan,
    /// How many documents cannot be read.
    bad: usize,
    outcome: Outcome,
    /// The settings of the base and of the head.
    settings: [Config; 2],
}

/// Plans a change, or the upgrade of a cluster.
pub(crate) fn run(args: &Args, global: &Global, shell: &mut Shell) -> anyhow::Result<Outcome> {
    if args.base.len() > 2 {
        bail!("`--base` is given at most twice");
    }
    let revisions = if args.hook {
        let Some(revisions) = hooked(&args.paths)? else {
            shell.note("there is no commit yet: nothing to compare with");
            return Ok(Outcome::Clean);
        };
        revisions
    } else {
        Revisions {
            bases: args.base.clone(),
            head: args.head.clone(),
        }
    };
    let sinks = Sink::settle(args.format.clone(), args.output.as_ref())?;
    let Judged {
        mut plan,
        bad,
        outcome,
        settings,
    } = match (args.kubevirt_from, args.kubevirt_to) {
        (Some(from), Some(to)) => upgrade(args, global, from, to, shell)?,
        _ => change(args, &revisions, global, shell)?,
    };
    let gates = args.gates.settle(&settings, &mut plan);
    let head = revisions.head.as_deref().unwrap_or("HEAD");
    let range = revisions.bases.last().map(|base| (base.as_str(), head));
    args.gates.accept(&args.paths, range, &mut plan)?;
    for sink in &sinks {
        let text = match sink.format {
            PlanFormat::Text => plan_text::report(
                &plan,
                TextLayout {
                    color: sink.colors(shell),
                    fold: !shell.is_verbose(),
                    width: shell.width().filter(|_| sink.file.is_none()).unwrap_or(80),
                    ..TextLayout::default()
                },
            ),
            PlanFormat::Json => plan_json::report(&plan),
            PlanFormat::Markdown => plan_markdown::report(&plan, &args.comment()),
            PlanFormat::Html => plan_html::report(&plan, args.link_template.as_deref()),
            PlanFormat::GithubOutput => outputs::plan(&plan),
        };
        sink.write(&text, shell)?;
    }
    let mut outcome = outcome;
    for trip in gates.trips(&plan) {
        shell.error(trip);
        outcome = outcome.max(Outcome::Findings);
    }
    if bad > 0 {
        let documents = SkipReason::counted("documents", bad);
        shell.error(format!(
            "{documents} that the change touches cannot be read: the plan is without them"
        ));
        return Ok(Outcome::CouldNot);
    }
    Ok(outcome)
}

/// The revisions that are compared.
struct Revisions {
    /// The base; of two, the first is that of a volume migration under way.
    bases: Vec<String>,
    /// The head, where it is not the working tree.
    head: Option<String>,
}

/// What a hook compares; `None` before the first commit.
fn hooked(paths: &[PathBuf]) -> anyhow::Result<Option<Revisions>> {
    let given = |name: &str| {
        let text = std::env::var(name).unwrap_or_default();
        // The hash of nothing: a branch that is new.
        (!text.bytes().all(|byte| byte == b'0')).then_some(text)
    };
    if let (Some(base), Some(head)) = (given("PRE_COMMIT_FROM_REF"), given("PRE_COMMIT_TO_REF")) {
        return Ok(Some(Revisions {
            bases: vec![base],
            head: Some(head),
        }));
    }
    let has_commit = Repository::of(paths)?.commit("HEAD").is_ok();
    Ok(has_commit.then(|| Revisions {
        bases: vec!["HEAD".to_owned()],
        head: None,
    }))
}

fn change(
    args: &Args,
    revisions: &Revisions,
    global: &Global,
    shell: &mut Shell,
) -> anyhow::Result<Judged> {
    let base = match (&args.base_dir, revisions.bases.as_slice()) {
        (Some(directory), _) => Base::Directory(directory.clone()),
        (None, [base]) => Base::Revision(base.clone()),
        (None, [migration, base]) => Base::DuringMigration {
            migration: migration.clone(),
            base: base.clone(),
        },
        _ => bail!(
            "`--base REV` or `--base-dir DIR` says what to compare with; `--kubevirt-from` and `--kubevirt-to` preview a cluster upgrade"
        ),
    };
    let mut loaded = Loaded::load(global, &args.paths, &base, revisions.head.as_deref(), shell)?;
    let bad = loaded.bad;
    let settings = loaded.settings();
    let exports = args.live.iter().map(|given| live::read(given, &settings));
    let exports: Vec<Export> = exports.collect::<anyhow::Result<_>>()?;
    loaded.know(&exports);
    let resolvers = loaded.resolvers();
    let mut plan = plan::plan(
        Sides {
            base: resolvers.base(),
            head: resolvers.head(),
            migration_base: resolvers.migration(),
            deliveries: &loaded.deliveries,
            exports: &exports,
            sources: &loaded.session.sources,
            apply: args.apply.into(),
        },
        Names {
            base: loaded.base_name.clone(),
            head: loaded.head_name.clone(),
        },
    );
    plan.leave(&loaded.unjudged);
    plan.kubevirt.hides.clone_from(&loaded.hidden);
    Ok(Judged {
        bad,
        outcome: loaded.session.outcome(),
        settings,
        plan,
    })
}

fn upgrade(
    args: &Args,
    global: &Global,
    from: Release,
    to: Release,
    shell: &mut Shell,
) -> anyhow::Result<Judged> {
    let loaded = Loaded::one_side(global, &args.paths, from, to, shell)?;
    let bad = loaded.bad;
    let resolvers = loaded.resolvers();
    let subjects: (Vec<Sided<'_>>, Vec<Sided<'_>>) = (resolvers.base(), resolvers.head());
    let plan = plan::upgrade::preview(subjects.0, subjects.1, &loaded.session.sources, from, to);
    Ok(Judged {
        bad,
        outcome: loaded.session.outcome(),
        settings: loaded.settings(),
        plan,
    })
}
