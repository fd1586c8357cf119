//! The command line and its commands: one file each, with its arguments and `run`.

pub(crate) mod argocd;
pub(crate) mod catalog;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod diff;
pub(crate) mod expand;
pub(crate) mod explain;
pub(crate) mod fix;
pub(crate) mod function;
pub(crate) mod init;
pub(crate) mod man;
pub(crate) mod plan;
pub(crate) mod render;
pub(crate) mod schema;
pub(crate) mod upgrade;

use std::path::PathBuf;

use clap::{CommandFactory, Parser, Subcommand};

use crate::args::Global;
use crate::output::{Outcome, Shell};

/// KubeVirt manifests that do not drift
///
/// Reads VirtualMachine, instance type, preference and ControllerRevision manifests and says what a cluster would do
/// with them. Needs no cluster and no network.
///
/// Data goes to standard output, everything else to standard error. Exit status: 0 clean, 1 findings or differences,
/// 2 the command could not do its work.
#[derive(Debug, Parser)]
#[command(name = "driftless", version, max_term_width = 100)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Init(init::Args),
    Check(check::Args),
    Plan(plan::Args),
    Diff(diff::Args),
    Expand(expand::Args),
    Render(render::Args),
    Catalog(catalog::Args),
    Explain(explain::Args),
    Schema(schema::Args),
    Upgrade(upgrade::Args),
    Fix(fix::Args),
    Argocd(argocd::Args),
    Fn(function::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// The command line, named as it was called: `kubectl driftless` for a plugin.
pub(crate) fn command() -> clap::Command {
    let command = Args::command();
    match called() {
        PROGRAM => command,
        plugin => command.bin_name(plugin).display_name(plugin),
    }
}

/// The program by the name it has where nothing else is known.
const PROGRAM: &str = "driftless";

/// What the program was called by: `kubectl driftless` for a plugin.
pub(crate) fn called() -> &'static str {
    let called = std::env::args_os().next().map(PathBuf::from);
    let stem = called.as_deref().and_then(|path| path.file_stem());
    if stem.is_some_and(|stem| stem == "kubectl-driftless") {
        "kubectl driftless"
    } else {
        PROGRAM
    }
}

/// Runs the command asked for.
pub(crate) fn run(args: Args, shell: &mut Shell) -> anyhow::Result<Outcome> {
    let global = args.global;
    match args.command {
        Command::Init(args) => init::run(&args, &global, shell),
        Command::Check(args) => check::run(&args, &global, shell),
        Command::Diff(args) => diff::run(&args, &global, shell),
        Command::Plan(args) => plan::run(&args, &global, shell),
        Command::Expand(args) => expand::run(&args, &global, shell),
        Command::Render(args) => render::run(&args, &global, shell),
        Command::Catalog(args) => catalog::run(&args, &global, shell),
        Command::Explain(args) => explain::run(&args, &global, shell),
        Command::Schema(args) => schema::run(&args, shell),
        Command::Upgrade(args) => upgrade::run(&args, &global, shell),
        Command::Fix(args) => fix::run(&args, &global, shell),
        Command::Argocd(args) => argocd::run(&args, &global, shell),
        Command::Fn(args) => function::run(&args, &global, shell),
        Command::Completions(args) => completions::run(&args, shell),
        Command::Man(args) => man::run(&args, shell),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_sound() {
        super::command().debug_assert();
    }
}
