//! The commands: one file each, with its arguments and `run`.

pub(crate) mod catalog;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod diff;
pub(crate) mod expand;
pub(crate) mod explain;
pub(crate) mod man;
pub(crate) mod plan;
pub(crate) mod render;
pub(crate) mod schema;
pub(crate) mod upgrade;

use crate::args::{Args, Command};
use crate::output::{Outcome, Shell};

/// Runs the command asked for.
pub(crate) fn run(args: Args, shell: &mut Shell) -> anyhow::Result<Outcome> {
    let global = args.global;
    match args.command {
        Command::Check(args) => check::run(&args, &global, shell),
        Command::Diff(args) => diff::run(&args, &global, shell),
        Command::Plan(args) => plan::run(&args, &global, shell),
        Command::Expand(args) => expand::run(&args, &global, shell),
        Command::Render(args) => render::run(&args, &global, shell),
        Command::Catalog(args) => catalog::run(&args, &global, shell),
        Command::Explain(args) => explain::run(&args, &global, shell),
        Command::Schema(args) => schema::run(&args, shell),
        Command::Upgrade(args) => upgrade::run(&args, &global, shell),
        Command::Completions(args) => completions::run(&args, shell),
        Command::Man(args) => man::run(&args, shell),
    }
}
