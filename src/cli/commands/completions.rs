//! `completions`: a script with which a shell completes the command line.

use crate::output::{Outcome, Shell};

/// Print the completions of a shell
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell
    shell: clap_complete::Shell,
}

/// Prints the completions, under the name the program was called by.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> anyhow::Result<Outcome> {
    let mut text = Vec::new();
    clap_complete::generate(
        args.shell,
        &mut crate::commands::command(),
        "driftless",
        &mut text,
    );
    shell.data(&text)?;
    Ok(Outcome::Clean)
}
