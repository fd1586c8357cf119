//! `upgrade`: stored revisions and old objects at current API versions, references updated.

mod files;

use std::path::PathBuf;

use driftless::emit::{self, Syntax, patches};
use driftless::transform::upgrade::{self, Options, Remark, ToUpgrade, Upgrade, UpgradeRow};
use driftless::yaml::Node;

use self::files::Files;
use crate::args::{Global, syntax};
use crate::input::read::Wants;
use crate::output::{Outcome, Shell};
use crate::session::{Request, Session};

/// Upgrade stored revisions and old objects to current API versions, and update the references to them
///
/// Reads ControllerRevisions that hold an instance type or preference in any form KubeVirt ever stored, objects at
/// v1alpha1 and v1alpha2, VMs at kubevirt.io/v1alpha3 and deprecated preference fields, and prints what they become:
/// each upgraded revision, and each VM with its references moved. Since KubeVirt 1.7 no cluster can read the older forms.
/// A VM means afterwards what it meant before; `--bug-compatible` writes what KubeVirt's own upgrade writes instead.
///
/// (KubeVirt calls the upgrade of revisions inside a cluster the same; this one upgrades manifests.)
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Args {
    /// Files and directories; `-` is standard input [default: .]
    paths: Vec<PathBuf>,

    /// A stream of documents, or a `v1 List` in JSON
    #[arg(short, long, value_name = "FORMAT", default_value_t, value_parser = syntax())]
    output: Syntax,

    /// Edit the files in place: comments and every byte outside the edits stay
    #[arg(long, conflicts_with_all = ["diff", "emit"])]
    write: bool,

    /// Print what --write would change as a diff; the exit status is 1 if anything would
    #[arg(long, conflicts_with = "emit")]
    diff: bool,

    /// Change and print nothing; the exit status is 1 if there is something to upgrade. With --write: edit the files, and
    /// exit with 1 if one changed
    #[arg(long, conflicts_with = "emit")]
    check: bool,

    /// Remove old revisions that are no longer referenced
    #[arg(long)]
    prune: bool,

    /// Write what KubeVirt's own upgrade writes, even where it changes what a VM means
    #[arg(long)]
    bug_compatible: bool,

    /// Print this instead of the upgraded objects
    #[arg(long, value_name = "WHAT")]
    emit: Option<Emit>,
}

/// What can be printed instead of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Emit {
    /// A shell script of kubectl commands to read and run; with `-o json` the same steps as JSON patches
    Patches,
}

/// Upgrades everything the paths hold.
pub(crate) fn run(args: &Args, global: &Global, shell: &mut Shell) -> anyhow::Result<Outcome> {
    let session = Session::load(
        &Request::new(global, &args.paths).wanting(Wants::Nameable),
        shell,
    )?;
    let bad = session.say_bad_documents(shell);
    session.say_skipped(shell);
    let resolvers = session.resolvers();
    let placed = session.head.side.judged();
    let judged: Vec<ToUpgrade> = placed
        .iter()
        .filter(|placed| !bad.holds(placed))
        .map(|placed| (resolvers.of(placed), placed.resource))
        .collect();
    let options = Options {
        bug_compatible: args.bug_compatible,
        prune: args.prune,
    };
    let mut outcome = session.outcome();
    if bad.count > 0 {
        outcome = outcome.max(Outcome::Findings);
    }
    if args.write || args.diff {
        let (files, upgrade) = Files::plan(&session, &judged, options, shell);
        if files.is_refused() || upgrade.is_blocked() {
            outcome = outcome.max(Outcome::Findings);
        }
        say(&upgrade, &session, shell);
        if args.diff {
            let diff = files.diff();
            if !diff.is_empty() {
                outcome = outcome.max(Outcome::Findings);
            }
            shell.data(diff.as_bytes())?;
        } else {
            files.write(shell)?;
            if args.check && !files.is_empty() {
                outcome = outcome.max(Outcome::Findings);
            }
        }
        return Ok(outcome);
    }
    let upgrade = upgrade::upgrade(&judged, options);
    say(&upgrade, &session, shell);
    if upgrade.is_blocked() || (args.check && upgrade.is_owed()) {
        outcome = outcome.max(Outcome::Findings);
    }
    if !args.check {
        shell.data(text(args, &upgrade).as_bytes())?;
    }
    Ok(outcome)
}

fn text(args: &Args, upgrade: &Upgrade) -> String {
    match (args.emit, args.output) {
        (Some(Emit::Patches), Syntax::Yaml) => patches::to_script(upgrade),
        (Some(Emit::Patches), Syntax::Json) => {
            format!("{:#}\n", patches::to_json(upgrade))
        }
        (None, format) => emit::emit_all(format, upgraded(upgrade)),
    }
}

/// The upgraded objects in the order to apply them.
fn upgraded<'u>(upgrade: &'u Upgrade) -> impl Iterator<Item = &'u Node> {
    let created = upgrade.created.iter().map(|created| &created.node);
    created.chain(upgrade.changed.iter().map(|changed| &changed.node))
}

/// Says what stands in the way and what to know, then what happens to whom.
fn say(upgrade: &Upgrade, session: &Session, shell: &mut Shell) {
    for remark in &upgrade.remarks {
        say_remark(remark, session, shell);
    }
    if !upgrade.rows.is_empty() {
        shell.table(&table(&upgrade.rows));
    }
    let mut unset: Vec<_> = upgrade
        .rows
        .iter()
        .flat_map(|row| &row.kept_unset)
        .collect();
    unset.sort_unstable();
    unset.dedup();
    if !unset.is_empty() {
        let unset: Vec<_> = unset.into_iter().copied().collect();
        shell.note(format!(
            "{} stay unset; KubeVirt's own upgrade sets them to empty values, and VMs that set them conflict from then on \
             (--bug-compatible does the same)",
            unset.join(", ")
        ));
    }
    if !upgrade.is_owed() && !upgrade.is_blocked() {
        shell.note("nothing to upgrade: every revision and object is at its latest version");
    }
    for removed in &upgrade.removed {
        shell.note(format!("{} is removed: no longer referenced", removed.id));
    }
}

fn say_remark(remark: &Remark, session: &Session, shell: &mut Shell) {
    let root = driftless::field_path::FieldPath::root();
    let field = remark.field.as_ref().unwrap_or(&root);
    let place = session.place(remark.resource, field);
    let message = format!("{place}: {}: {}", remark.resource.id, remark.message);
    shell.remark(remark.severity, message);
    shell.help(remark.help.as_ref());
}

/// One line a revision or object: who, what, from, to, and what changes in meaning.
fn table(rows: &[UpgradeRow]) -> Vec<[String; 5]> {
    let mut table = vec![["VM", "OBJECT", "FROM", "TO", "MEANING"].map(ToOwned::to_owned)];
    for row in rows {
        let vm = row
            .vm
            .as_ref()
            .map_or("-".to_owned(), |vm| match &vm.namespace {
                Some(namespace) => format!("{namespace}/{}", vm.name),
                None => vm.name.to_string(),
            });
        let meaning = if row.meaning.is_empty() {
            "unchanged".to_owned()
        } else {
            row.meaning.join("; ")
        };
        table.push([
            vm,
            format!("{} {}", row.object.kind, row.object.name),
            row.from.clone(),
            row.to.clone(),
            meaning,
        ]);
    }
    table
}
