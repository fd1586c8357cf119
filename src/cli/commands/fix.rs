//! `fix`: the fixes of findings, made in place.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::builder::PossibleValuesParser;
use driftless::action::Action;
use driftless::catalog::side::{Role, Side, SkipReason};
use driftless::check;
use driftless::emit::diff::of_edited;
use driftless::finding::{Applicability, Finding, Fix};
use driftless::fix::{self, Chosen, Effect, FixId};
use driftless::plan::{self, Apply, Names, Plan, Sides, VmPlan};
use driftless::rule::Level;
use driftless::rules;
use driftless::schema::kinds::Kinds;
use driftless::source::{FileId, Sources};
use driftless::transform::normalize;
use driftless::transform::upgrade::text::{Changes, rewrite};

use crate::args::Global;
use crate::input::stdin;
use crate::output::{self, Outcome, Shell};
use crate::schemas;
use crate::session::{Request, Session, sided};

/// Make the fixes that `check` proposes, in place: comments and every byte outside the edits stay
///
/// A safe fix leaves what KubeVirt runs as it is: before it is made, the VMs are admitted and expanded with it and without
/// it. A file without a fix is not touched. Encrypted files are never written.
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Args {
    /// Files and directories [default: .]
    paths: Vec<PathBuf>,

    /// Make these rules' fixes alone: a list with commas
    #[arg(
        long,
        value_name = "RULE",
        value_delimiter = ',',
        hide_possible_values = true,
        value_parser = PossibleValuesParser::new(rules::ids()),
    )]
    only: Vec<String>,

    /// Make the fixes too that may change what KubeVirt runs
    #[arg(long)]
    unsafe_fixes: bool,

    /// Print what would change as a diff, and write nothing; the exit status is 1 if anything would
    #[arg(long)]
    diff: bool,

    /// Write and print nothing; the exit status is 1 if anything would change
    #[arg(long)]
    check: bool,
}

/// Fixes what the paths hold.
pub(crate) fn run(args: &Args, global: &Global, shell: &mut Shell) -> anyhow::Result<Outcome> {
    let mut session = Session::load(&Request::new(global, &args.paths), shell)?;
    session.say_skipped(shell);
    for id in &args.only {
        if session.head.config.level(id) == Some(Level::Off) {
            bail!("`--only {id}`: the settings switch the rule off");
        }
        session.head.config.ask_for(id);
    }
    let mut fixer = Fixer {
        args,
        kinds: schemas::read(&session.head.config)?,
        left: BTreeSet::new(),
        held: BTreeSet::new(),
        made: Vec::new(),
        originals: BTreeMap::new(),
        not_made: Vec::new(),
        cannot_edit: BTreeSet::new(),
        unsafe_left: 0,
    };
    say_encrypted(&session, shell);
    while fixer.round(&mut session, shell) {}
    fixer.say(shell);
    let mut outcome = session.outcome();
    if !fixer.cannot_edit.is_empty() {
        outcome = outcome.max(Outcome::Findings);
    }
    let files = fixer.files(&session);
    if args.diff || args.check {
        if !files.is_empty() {
            outcome = outcome.max(Outcome::Findings);
        }
        if args.diff {
            let diffs = files
                .iter()
                .map(|file| of_edited(file.path, file.before, file.after));
            let diff = shell.painted_diff(&diffs.collect::<String>());
            shell.data(diff.as_bytes())?;
        }
        return Ok(outcome);
    }
    write(&files)?;
    Ok(outcome)
}

/// One edited file.
struct EditedFile<'a> {
    path: &'a str,
    before: &'a [u8],
    after: &'a [u8],
}

/// The fixes of one run, round by round.
struct Fixer<'r> {
    args: &'r Args,
    /// The user's own schemas.
    kinds: Kinds,
    /// Fixes that are not made.
    left: BTreeSet<FixId>,
    /// Fixes that wait until the round without them is done.
    held: BTreeSet<FixId>,
    /// What was made: rule, place and title.
    made: Vec<(FixId, &'static str, String, String)>,
    /// The source of each edited file as it was read.
    originals: BTreeMap<String, FileId>,
    /// What was not made, and why.
    not_made: Vec<String>,
    /// Files that cannot be edited.
    cannot_edit: BTreeSet<String>,
    /// How many fixes are not safe.
    unsafe_left: usize,
}

impl Fixer<'_> {
    /// Makes the fixes that can be made together; whether there may be more.
    fn round(&mut self, session: &mut Session, shell: &mut Shell) -> bool {
        let checked = check::run(&check::CheckRequest {
            sources: &session.sources,
            side: &session.head.side,
            config: &session.head.config,
            target_of: &|file| session.head.target_of(Some(file)),
            kinds: &self.kinds,
            only: None,
        });
        let findings = &checked.findings;
        self.unsafe_left = findings
            .iter()
            .filter(|finding| self.is_asked_for(finding))
            .filter(|finding| !self.args.unsafe_fixes && is_unsafe(finding))
            .count();
        let skip: BTreeSet<FixId> = self.left.union(&self.held).cloned().collect();
        let wanted = |finding: &Finding, fix: &Fix| {
            self.is_asked_for(finding)
                && (self.args.unsafe_fixes || fix.applicability == Applicability::Safe)
        };
        let mut chosen = fix::choose(
            findings,
            &session.head.side,
            &session.sources,
            &wanted,
            &skip,
        );
        chosen.retain(|one| {
            let path = session.sources.file(one.file).path();
            !self.cannot_edit.contains(path)
        });
        if chosen.is_empty() {
            return !std::mem::take(&mut self.held).is_empty();
        }
        let Some(texts) = self.rewritten(&fix::changes(&chosen), &session.sources, shell) else {
            return true;
        };
        let unnoticed = self.rewritten(&fix::unnoticed(&chosen), &session.sources, shell);
        let before = unnoticed
            .filter(|texts| !texts.is_empty())
            .map(|texts| session.head.edited(&mut session.sources, texts).side);
        let after = session.head.edited(&mut session.sources, texts);
        let before = before.as_ref().unwrap_or(&session.head.side);
        let plan = compared(session, before, &after.side);
        let effects = fix::effects(&plan, &chosen, findings, &session.sources);
        if !effects.is_empty() && !self.args.unsafe_fixes {
            for effect in effects {
                self.hold_back(&effect, &session.sources);
            }
            return true;
        }
        for one in &chosen {
            let source = session.sources.file(one.file);
            let path = source.path().to_owned();
            let id = one.id.clone();
            if self.made.iter().any(|(made, ..)| *made == id) {
                // It came back: made once more it would come back again.
                self.left.insert(id.clone());
            }
            let place = place(one, &session.sources);
            self.made
                .push((id, one.finding.rule.id, place, one.fix.title.clone()));
            self.originals.entry(path).or_insert(one.file);
        }
        self.held.clear();
        session.head.take(after);
        true
    }

    fn is_asked_for(&self, finding: &Finding) -> bool {
        self.args.only.is_empty() || self.args.only.iter().any(|id| id == finding.rule.id)
    }

    /// The edited texts; `None` where a file turns out to be one that cannot be edited.
    fn rewritten(
        &mut self,
        changes: &BTreeMap<FileId, Changes>,
        sources: &Sources,
        shell: &mut Shell,
    ) -> Option<BTreeMap<FileId, Vec<u8>>> {
        let mut texts = BTreeMap::new();
        let mut is_whole = true;
        for (id, changes) in changes {
            let source = sources.file(*id);
            let text = stdin::refuse_edit(source.path()).and_then(|()| {
                rewrite(*id, source.bytes(), changes).map_err(|refusal| refusal.to_string())
            });
            match text {
                Ok(text) => {
                    texts.insert(*id, text.bytes);
                }
                Err(reason) => {
                    is_whole = false;
                    self.cannot_edit.insert(source.path().to_owned());
                    shell.error(format!("{}: {reason}", source.path()));
                    shell.help(Some("this file is left as it is; edit it by hand"));
                }
            }
        }
        is_whole.then_some(texts)
    }

    /// Leaves out what changes a VM: the one fix that can be meant, or all but the first until that is known.
    fn hold_back(&mut self, effect: &Effect<'_, '_, '_>, sources: &Sources) {
        let [only] = effect.suspects.as_slice() else {
            let later = effect.suspects.iter().skip(1);
            self.held.extend(later.map(|one| one.id.clone()));
            return;
        };
        if self.left.insert(only.id.clone()) {
            self.not_made.push(format!(
                "{}: {}: {} is left out: {}",
                place(only, sources),
                only.finding.rule.id,
                only.fix.title,
                why(effect.row)
            ));
        }
    }

    fn say(&self, shell: &mut Shell) {
        for (_, rule, place, title) in &self.made {
            shell.detail(format!("{place}: {rule}: {title}"));
        }
        for message in &self.not_made {
            shell.warning(message);
        }
        if !self.not_made.is_empty() {
            shell.help(Some("--unsafe-fixes makes it all the same"));
        }
        let would = if self.args.diff || self.args.check {
            "would fix"
        } else {
            "fixed"
        };
        if self.made.is_empty() {
            shell.note("nothing to fix");
        } else {
            let mut by_rule: BTreeMap<&str, usize> = BTreeMap::new();
            for (_, rule, ..) in &self.made {
                *by_rule.entry(rule).or_default() += 1;
            }
            let rules: Vec<String> = by_rule
                .iter()
                .map(|(rule, count)| format!("{rule} {count}"))
                .collect();
            shell.note(format!(
                "{would} {} in {}: {}",
                SkipReason::counted("findings", self.made.len()),
                SkipReason::counted("files", self.originals.len()),
                rules.join(", ")
            ));
        }
        if self.unsafe_left > 0 {
            shell.note(format!(
                "{} more may change what KubeVirt runs: --unsafe-fixes makes them",
                match self.unsafe_left {
                    1 => "1 fix".to_owned(),
                    count => format!("{count} fixes"),
                }
            ));
        }
    }

    /// Every file that differs from what was read.
    fn files<'s>(&self, session: &'s Session) -> Vec<EditedFile<'s>> {
        let now: BTreeMap<&str, FileId> = session
            .head
            .side
            .files
            .iter()
            .map(|file| (session.sources.file(file.id).path(), file.id))
            .collect();
        self.originals
            .iter()
            .filter_map(|(path, original)| {
                let before = session.sources.file(*original);
                let after = session.sources.file(*now.get(path.as_str())?).bytes();
                let file = EditedFile {
                    path: before.path(),
                    before: before.bytes(),
                    after,
                };
                (file.before != file.after).then_some(file)
            })
            .collect()
    }
}

fn say_encrypted(session: &Session, shell: &mut Shell) {
    let encrypted: BTreeSet<FileId> = session
        .head
        .side
        .resources()
        .filter(|placed| normalize::is_encrypted(&placed.resource.node))
        .filter_map(|placed| placed.resource.file)
        .filter(|file| session.head.side.role(*file) == Role::Judged)
        .collect();
    if !encrypted.is_empty() {
        shell.note(format!(
            "left {} as found: encrypted",
            SkipReason::counted("files", encrypted.len())
        ));
    }
}

/// Why a fix is not safe.
fn why(row: &VmPlan) -> String {
    let name = row.full_name();
    if row.action == Action::Unknown {
        return format!("what {name} runs is not known, so nothing proves that it stays");
    }
    format!("it changes what {name} runs ({})", row.action.as_str())
}

fn is_unsafe(finding: &Finding) -> bool {
    let fix = finding.fix.as_ref();
    fix.is_some_and(|fix| fix.applicability == Applicability::Unsafe)
}

fn place(one: &Chosen<'_>, sources: &Sources) -> String {
    let location = &one.finding.primary;
    location.span.map_or_else(
        || sources.file(one.file).path().to_owned(),
        |span| sources.describe(span),
    )
}

/// What a cluster makes of the edits.
fn compared(session: &Session, before: &Side, after: &Side) -> Plan {
    let world = &session.head;
    let resolvers = [world.resolvers_over(before), world.resolvers_over(after)];
    let [base, head] = &resolvers;
    plan::plan(
        Sides {
            base: sided(before, base, &session.sources),
            head: sided(after, head, &session.sources),
            migration_base: Vec::new(),
            deliveries: &[],
            exports: &[],
            sources: &session.sources,
            apply: Apply::Merge,
        },
        Names {
            base: "before".to_owned(),
            head: "after".to_owned(),
        },
    )
}

/// Writes every file, each in one piece, unless somebody changed one meanwhile.
fn write(files: &[EditedFile<'_>]) -> anyhow::Result<()> {
    for file in files {
        let path = Path::new(file.path);
        let now = std::fs::read(path).with_context(|| format!("cannot read `{}`", file.path))?;
        if now != file.before {
            bail!(
                "`{}` was changed while it was being fixed: run the command again",
                file.path
            );
        }
    }
    for file in files {
        output::write_file(Path::new(file.path), file.after)?;
    }
    Ok(())
}
