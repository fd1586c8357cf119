//! The shell around the library: arguments, files, streams, exit codes.
#![allow(clippy::disallowed_methods, reason = "the I/O shell")]

mod args;
mod commands;
mod expansion;
mod input;
mod output;
mod schemas;
mod session;
mod sides;
mod sink;

use std::process::ExitCode;

use clap::FromArgMatches;

use crate::commands::Args;
use crate::output::{Outcome, Shell};

fn main() -> ExitCode {
    let args = match commands::command()
        .try_get_matches()
        .and_then(|matches| Args::from_arg_matches(&matches))
    {
        Ok(args) => args,
        Err(error) => return output::usage(&error),
    };
    let mut shell = Shell::new(&args.global);
    let outcome = args::start(&args.global)
        .and_then(|()| commands::run(args, &mut shell))
        .unwrap_or_else(|error| {
            shell.failure(&error);
            Outcome::CouldNot
        });
    ExitCode::from(shell.finish(outcome) as u8)
}
