//! `driftless-tools`: regenerates the data of driftless from the source trees of KubeVirt's releases, and records answers.
//!
//! Nothing that these commands read is part of this repository: every source tree and program is named on the command line.

mod bundles;
mod causes;
mod commands;
mod crd;
mod fields;
mod go;
mod kinds;
mod ranges;
mod record;
mod release;
mod revisions;
mod swagger;
mod table;
mod yaml;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    match commands::run(&commands::Args::parse()) {
        Ok(commands::Outcome::Equal) => ExitCode::SUCCESS,
        Ok(commands::Outcome::Differs) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
