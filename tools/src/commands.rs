//! The command line.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Parser, Subcommand};

use crate::bundles::Catalog;
use crate::causes::{self, Cause, List};
use crate::release::{self, ReleaseTree};
use crate::table::{self, Table};
use crate::{fields, kinds, record, revisions};

/// Regenerates the data of driftless from the source trees of KubeVirt's releases, and records answers.
#[derive(Debug, Parser)]
#[command(name = "driftless-tools", version)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Writes schemas/fields.json: the fields of the API by release
    Fields(Generate),
    /// Writes schemas/revisions.json: the older instance types and preferences that stored revisions hold
    Revisions(Generate),
    /// Writes catalog/common-instancetypes.json: the instance types and preferences that each release installs
    Bundles(Generate),
    /// Checks the list of causes in docs/admission-coverage.md, or writes the releases of each and the new ones into it
    Causes(Generate),
    /// Writes schemas/kinds.json: JSON Schemas of the kinds beside virtual machines, from their CRDs
    Kinds(KindsArgs),
    /// As `causes`, for CDI's webhooks, from source trees of CDI
    CdiCauses(Generate),
    /// Asks a program for KubeVirt's answers to random inputs, and records them
    Record(record::Args),
}

/// What every generator takes.
#[derive(Debug, clap::Args)]
struct Generate {
    /// A release and the directory of its source tree, as 1.9=PATH or v1.9.0=PATH; may repeat
    #[arg(long = "release", value_name = "RELEASE=PATH", required = true)]
    releases: Vec<ReleaseTree>,
    /// Compare with the committed file by value instead of writing it; exit 1 on a difference
    #[arg(long)]
    check: bool,
    /// The root of this repository
    #[arg(long, value_name = "DIR", default_value = ".")]
    repository: PathBuf,
}

/// What the schemas of other kinds are made from.
#[derive(Debug, clap::Args)]
struct KindsArgs {
    #[command(flatten)]
    trees: kinds::Trees,
    /// Compare with the committed file by value instead of writing it; exit 1 on a difference
    #[arg(long)]
    check: bool,
    /// The root of this repository
    #[arg(long, value_name = "DIR", default_value = ".")]
    repository: PathBuf,
}

/// How a command ended, short of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything is equal, or written.
    Equal,
    /// A check found differences, or a program left cases unanswered.
    Differs,
}

/// Runs a command.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Fields(generate) => run_fields(generate),
        Command::Revisions(generate) => run_revisions(generate),
        Command::Bundles(generate) => run_bundles(generate),
        Command::Causes(generate) => run_causes(generate),
        Command::Kinds(args) => run_kinds(args),
        Command::CdiCauses(generate) => run_cdi_causes(generate),
        Command::Record(args) => Ok(if record::run(args)? {
            Outcome::Equal
        } else {
            Outcome::Differs
        }),
    }
}

fn run_fields(args: &Generate) -> anyhow::Result<Outcome> {
    let file = args.repository.join("schemas/fields.json");
    let committed =
        Table::parse(&release::read(&file)?).with_context(|| file.display().to_string())?;
    let mut table = committed.clone();
    for tree in &args.releases {
        let column = fields::read(tree).with_context(|| format!("KubeVirt {}", tree.release))?;
        table.releases.add(tree.release, tree.tag.as_deref(), []);
        table.replace(tree.release, column);
    }
    finish(
        args.check,
        &file,
        &committed.differences(&table),
        &table.write(),
    )
}

fn run_revisions(args: &Generate) -> anyhow::Result<Outcome> {
    let file = args.repository.join("schemas/revisions.json");
    let named = || file.display().to_string();
    let committed = table::parse_column(&release::read(&file)?).with_context(named)?;
    let fields = args.repository.join("schemas/fields.json");
    let fields =
        Table::parse(&release::read(&fields)?).with_context(|| fields.display().to_string())?;
    let Some((release, column)) = revisions::read(&args.releases, &fields)? else {
        println!(
            "no tree given declares a version that its release does not serve: the file stays"
        );
        return Ok(Outcome::Equal);
    };
    println!("read from {release}, the newest given that declares the older versions");
    let differences = table::column_differences(&committed, &column);
    finish(
        args.check,
        &file,
        &differences,
        &table::write_column(&column),
    )
}

fn run_bundles(args: &Generate) -> anyhow::Result<Outcome> {
    let file = args.repository.join("catalog/common-instancetypes.json");
    let committed =
        Catalog::parse(&release::read(&file)?).with_context(|| file.display().to_string())?;
    let mut catalog = committed.clone();
    for tree in &args.releases {
        catalog
            .replace(tree)
            .with_context(|| format!("KubeVirt {}", tree.release))?;
    }
    finish(
        args.check,
        &file,
        &committed.differences(&catalog),
        &catalog.write(),
    )
}

fn run_kinds(args: &KindsArgs) -> anyhow::Result<Outcome> {
    let file = args.repository.join("schemas/kinds.json");
    let committed: kinds::Kinds = if file.is_file() {
        serde_json::from_str(&release::read(&file)?)?
    } else {
        kinds::Kinds::new()
    };
    let kinds = kinds::read(&args.trees)?;
    let differences = kinds::differences(&committed, &kinds);
    finish(args.check, &file, &differences, &kinds::write(&kinds))
}

fn run_causes(args: &Generate) -> anyhow::Result<Outcome> {
    let (file, text) = coverage(args)?;
    let (kubevirt, cdi) = causes::parts(&text);
    let (list, differences) = relisted(args, kubevirt, "KubeVirt", &causes::read)?;
    finish(args.check, &file, &differences, &(list + cdi))
}

fn run_cdi_causes(args: &Generate) -> anyhow::Result<Outcome> {
    let (file, text) = coverage(args)?;
    let (kubevirt, cdi) = causes::parts(&text);
    let (list, differences) = relisted(args, cdi, "CDI", &causes::read_cdi)?;
    finish(
        args.check,
        &file,
        &differences,
        &(kubevirt.to_owned() + &list),
    )
}

fn coverage(args: &Generate) -> anyhow::Result<(PathBuf, String)> {
    let file = args.repository.join("docs/admission-coverage.md");
    let text = release::read(&file)?;
    Ok((file, text))
}

/// A part of the list of causes, held to the trees given, and what that changes.
fn relisted(
    args: &Generate,
    text: &str,
    project: &str,
    read: &dyn Fn(&ReleaseTree) -> anyhow::Result<BTreeSet<Cause>>,
) -> anyhow::Result<(String, Vec<String>)> {
    let mut list = List::parse(text).context("docs/admission-coverage.md")?;
    let mut differences = Vec::new();
    for tree in &args.releases {
        if list.oldest().is_some_and(|oldest| tree.release < oldest) {
            println!("{}: the list begins later", tree.release);
            continue;
        }
        let causes = read(tree).with_context(|| format!("{project} {}", tree.release))?;
        differences.extend(list.replace(tree.release, &causes));
    }
    Ok((list.write(), differences))
}

/// Prints the differences; then ends a check, or writes the file.
fn finish(
    is_check: bool,
    file: &Path,
    differences: &[String],
    text: &str,
) -> anyhow::Result<Outcome> {
    for line in differences {
        println!("{line}");
    }
    if is_check {
        return Ok(if differences.is_empty() {
            Outcome::Equal
        } else {
            Outcome::Differs
        });
    }
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(Outcome::Equal)
}
