//! `diff`: what differs between two trees, revisions or files.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::ValueEnum;
use driftless::catalog::side::SkipReason;
use driftless::change::{self, Relation};
use driftless::diff::tree;
use driftless::release::Release;
use driftless::report::tree_diff;
use driftless::resolve::infer;
use driftless::resource::Resource;
use driftless::transform::expand::expand_stored;
use driftless::yaml::Node;

use crate::args::Global;
use crate::input::discover::is_manifest;
use crate::input::git::Repository;
use crate::output::{Outcome, Shell};
use crate::sides::{Base, Loaded};

/// Print what differs between two trees, revisions or files of manifests
///
/// Objects are matched by identity, list items by KubeVirt's keys, quantities by value; `running` and `runStrategy` and
/// other spellings are one. The exit status is 1 where anything differs. Usable as KUBECTL_EXTERNAL_DIFF.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Directory, file or git revision before
    #[arg(value_name = "A")]
    before: String,

    /// Directory, file or git revision after
    #[arg(value_name = "B")]
    after: String,

    /// Compare VMs with their instance type and preference applied
    #[arg(long)]
    expanded: bool,

    /// Format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: DiffFormat,
}

/// How differences are written.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum DiffFormat {
    /// One line a field
    Text,
    /// For programs
    Json,
    /// Unified diff of each object
    Unified,
}

/// Compares the two.
pub(crate) fn run(args: &Args, global: &Global, shell: &mut Shell) -> anyhow::Result<Outcome> {
    let (before, after) = (Path::new(&args.before), Path::new(&args.after));
    let loaded = match (before.exists(), after.exists()) {
        (true, true) => {
            let (base, head) = (manifests(before)?, manifests(after)?);
            Loaded::of_paths(global, (before, &base), (after, &head), shell)?
        }
        (false, true) => {
            let base = Base::Revision(args.before.clone());
            Loaded::load(global, &[after.to_path_buf()], &base, None, shell)?
        }
        (false, false) => {
            if !is_revision(&args.before) && !is_revision(&args.after) {
                bail!(
                    "`{}` and `{}` are neither files nor directories, nor revisions of a git repository",
                    args.before.escape_debug(),
                    args.after.escape_debug()
                );
            }
            let base = Base::Revision(args.before.clone());
            Loaded::load(global, &[], &base, Some(&args.after), shell)?
        }
        (true, false) => bail!(
            "`{}` is neither a file nor a directory; to compare a revision with files, name the revision first",
            args.after.escape_debug()
        ),
    };
    if loaded.bad > 0 {
        let documents = SkipReason::counted("documents", loaded.bad);
        bail!("{documents} cannot be read");
    }
    let both = loaded.resolvers();
    let (base, head) = (both.base(), both.head());
    let release = head
        .iter()
        .chain(&base)
        .map(|subject| subject.resolver.release())
        .next()
        .unwrap_or(Release::NEWEST);
    let mut failed = Vec::new();
    let mut form = |subject: Option<change::Sided<'_>>| {
        subject.map(|subject| {
            let mut resource: Resource = subject.resource.clone();
            if args.expanded && resource.is("kubevirt.io", "VirtualMachine") {
                match expanded(&subject) {
                    Ok(node) => resource.node = node,
                    Err(error) => failed.push(format!("{}: {error}", resource.id)),
                }
            }
            resource
        })
    };
    let pairs = change::pair(release, base, head)
        .into_iter()
        .flat_map(|pair| {
            if pair.relation == Relation::Renamed {
                vec![(pair.base, None), (None, pair.head)]
            } else {
                vec![(pair.base, pair.head)]
            }
        })
        .map(|(base, head)| (form(base), form(head)))
        .collect();
    for message in &failed {
        shell.warning(format!("compared as written: {message}"));
    }
    let found = tree::compare(release, pairs);
    let text = match args.format {
        DiffFormat::Text => tree_diff::text(&found, shell.colors()),
        DiffFormat::Json => tree_diff::json(&found),
        DiffFormat::Unified => tree_diff::unified(&found),
    };
    shell.data(text.as_bytes())?;
    let outcome = if found.is_empty() {
        Outcome::Clean
    } else {
        Outcome::Findings
    };
    Ok(outcome.max(loaded.session.outcome()))
}

/// A VM with what its matchers lead to, those that name a volume settled first, as admission does.
fn expanded(subject: &change::Sided<'_>) -> anyhow::Result<Node> {
    let mut vm = subject.resource.node.clone();
    infer::infer(&mut vm, subject.namespace(), subject.resolver)?;
    Ok(expand_stored(&vm, subject.namespace(), subject.resolver)?)
}

fn is_revision(text: &str) -> bool {
    Repository::of(&[]).is_ok_and(|repository| repository.commit(text).is_ok())
}

/// The path itself; or, for a directory whose files have no names of manifests (as kubectl makes it), every file in it.
fn manifests(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let path = entry?.path();
        if path.is_dir() || is_manifest(&path) {
            return Ok(vec![path.parent().unwrap_or(&path).to_path_buf()]);
        }
        files.push(path);
    }
    files.sort();
    Ok(if files.is_empty() {
        vec![path.to_path_buf()]
    } else {
        files
    })
}
