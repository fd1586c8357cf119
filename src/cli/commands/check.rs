//! `check`: would KubeVirt accept it, does every reference resolve, is runtime data in Git?

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use driftless::check::baseline::Baseline;
use driftless::check::{self, CheckOutcome as Checked};
use driftless::openshift::OpenShift;
use driftless::report::{Format, Report, TextLayout};
use driftless::rule::{Level, Severity};
use driftless::source::FileId;

use crate::args::{Global, Listed};
use crate::output::{self, Outcome, Shell};
use crate::schemas;
use crate::session::{Request, Session};
use crate::sink::Sink;

/// Report what a cluster would refuse, drop or change, and what does not belong in Git
///
/// Judges every manifest of the paths without a cluster. Exit status: 0 when nothing reaches `--fail-on`, 1 when
/// something does, 2 when the command could not do its work.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files and directories; `-` is standard input [default: .]
    paths: Vec<PathBuf>,

    /// How to report: text, json, sarif, github, junit, gitlab, rdjson or rdjsonl, each to standard output or to a file
    /// of its own. May repeat
    #[arg(long, value_name = "FORMAT[=FILE]", default_value = "text", value_parser = Listed::new(format, || Format::ALL.map(Format::as_str).to_vec()))]
    format: Vec<Sink<Format>>,

    /// Write the report to a file; with several formats, name each one's file in `--format`
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Lowest severity that makes the exit status 1
    #[arg(long, value_name = "LEVEL", default_value = "error", value_parser = fail_on())]
    fail_on: Level,

    /// Report only on these files; references may still lead to the others. May repeat
    #[arg(long, value_name = "FILE", num_args = 1..)]
    only_report: Vec<PathBuf>,

    /// Add the page of each rule that has findings
    #[arg(long)]
    explain: bool,

    /// Hide the findings listed in this file, which --write-baseline made
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Write the findings to a baseline file, and succeed
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<PathBuf>,
}

fn format(text: &str) -> Result<Sink<Format>, String> {
    Sink::parse(text, Format::ALL.map(|format| (format.as_str(), format)))
}

/// The severity from which the run fails; `off` where it never does.
fn fail_on() -> impl TypedValueParser<Value = Level> {
    PossibleValuesParser::new(["error", "warning", "note", "never"])
        .map(|word| Level::parse(&word).unwrap_or(Level::Off))
}

/// Judges the paths and reports.
pub(crate) fn run(args: &Args, global: &Global, shell: &mut Shell) -> anyhow::Result<Outcome> {
    let sinks = Sink::settle(args.format.clone(), args.output.as_ref())?;
    let baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    let session = Session::load(&Request::new(global, &args.paths).looking_aside(), shell)?;
    session.say_skipped(shell);
    let only = only(args, &session)?;
    let kinds = schemas::read(&session.head.config)?;
    let mut checked = check::run(&check::CheckRequest {
        sources: &session.sources,
        side: &session.head.side,
        config: &session.head.config,
        target_of: &|file| session.target_of(Some(file)),
        kinds: &kinds,
        only: only.as_ref(),
    });
    if let Some(file) = &args.write_baseline {
        let text = Baseline::of(&checked.findings, &session.sources).to_json();
        output::write_file(file, text.as_bytes())?;
        shell.note(format!(
            "wrote {} findings to `{}`",
            checked.findings.len(),
            file.display()
        ));
        return Ok(session.outcome());
    }
    if let Some(baseline) = baseline {
        hide(&baseline, &mut checked, &session);
    }
    let fail_on = args.fail_on.severity();
    report(args, &sinks, &checked, &session, fail_on, shell)?;
    let fails = checked
        .findings
        .iter()
        .any(|finding| fail_on.is_some_and(|from| finding.severity >= from));
    let found = if fails {
        Outcome::Findings
    } else {
        Outcome::Clean
    };
    Ok(session.outcome().max(found))
}

/// Takes out what was there before.
fn hide(baseline: &Baseline, checked: &mut Checked, session: &Session) {
    let hidden = baseline.subtract(&mut checked.findings, &session.sources);
    checked.summary.suppressed += hidden;
    checked.summary.count(&checked.findings);
}

fn report(
    args: &Args,
    sinks: &[Sink<Format>],
    checked: &Checked,
    session: &Session,
    fail_on: Option<Severity>,
    shell: &mut Shell,
) -> anyhow::Result<()> {
    let (kubevirt, openshift, assumptions) = targets(session);
    let report = Report {
        findings: &checked.findings,
        summary: &checked.summary,
        sources: &session.sources,
        kubevirt: &kubevirt,
        openshift: &openshift,
        assumptions: &assumptions,
        fail_on,
        subjects: &checked.subjects,
    };
    // Where no path could be read, "nothing found" would be heard as "all is well".
    let is_blind = session.outcome() == Outcome::CouldNot && checked.summary.files == 0;
    let told = sinks
        .iter()
        .filter(|sink| !(is_blind && sink.format == Format::Text));
    for sink in told {
        let text = TextLayout {
            color: sink.colors(shell),
            fold: !shell.is_verbose(),
            explain: args.explain,
            ..TextLayout::default()
        };
        sink.write(&report.write(sink.format, text), shell)?;
    }
    Ok(())
}

/// The releases judged for, and what was assumed, in words.
fn targets(session: &Session) -> (String, String, Vec<String>) {
    let mut releases = BTreeSet::new();
    let mut assumptions = BTreeSet::new();
    for file in &session.head.side.files {
        let target = session.target_of(Some(file.id));
        releases.insert(target.platform());
        if !target.release_known {
            let which = match target.openshift {
                Some(_) => "openshift",
                None => "kubevirt",
            };
            assumptions.insert(format!(
                "{} is assumed; name the cluster's release with --{which} or `{which}:` in driftless.yaml",
                target.platform()
            ));
        }
        if target.release.proved() != target.release {
            assumptions.insert(format!(
                "KubeVirt {} is judged by the rules of {}; its own answers are not recorded",
                target.release,
                target.release.proved()
            ));
        }
        if !target.configuration.is_known() {
            assumptions.insert(match target.openshift {
                Some(_) => "HyperConverged's defaults are assumed; name the cluster's object with --cluster-config",
                None => "KubeVirt's default configuration is assumed; name the cluster's with --cluster-config",
            }.to_owned());
        }
    }
    if releases.is_empty() {
        releases.insert(session.target_of(None).platform());
    }
    let listed = |words: BTreeSet<&str>| words.into_iter().collect::<Vec<_>>().join(", ");
    let openshift = releases.iter().filter_map(|one| one.openshift);
    let openshift = listed(openshift.map(OpenShift::as_str).collect());
    let kubevirt = listed(releases.iter().map(|one| one.release.as_str()).collect());
    (kubevirt, openshift, assumptions.into_iter().collect())
}

fn read_baseline(file: &Path) -> anyhow::Result<Baseline> {
    let name = file.display();
    let text =
        fs::read_to_string(file).with_context(|| format!("cannot read the baseline `{name}`"))?;
    Baseline::parse(&text).with_context(|| format!("cannot use the baseline `{name}`"))
}

/// The sources named by `--only-report`. Names that are no manifests are passed over: a hook passes every file.
fn only(args: &Args, session: &Session) -> anyhow::Result<Option<BTreeSet<FileId>>> {
    if args.only_report.is_empty() {
        return Ok(None);
    }
    if let Some(missing) = args
        .only_report
        .iter()
        .find(|path| path.symlink_metadata().is_err())
    {
        bail!(
            "`--only-report` names `{}`, which is not there",
            missing.display().to_string().escape_debug()
        );
    }
    let wanted: BTreeSet<PathBuf> = args.only_report.iter().map(|path| resolved(path)).collect();
    let files = session.sources.iter();
    Ok(Some(
        files
            .filter(|(_, file)| wanted.contains(&resolved(Path::new(file.path()))))
            .map(|(id, _)| id)
            .collect(),
    ))
}

fn resolved(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}
