//! `schema`: the JSON Schema of the settings file, or of an output.

use crate::output::{Outcome, Shell};

/// Print the JSON Schema of the settings file or of an output
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Of what
    #[arg(value_name = "WHAT")]
    what: SchemaFile,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum SchemaFile {
    /// driftless.yaml
    Config,
    /// `check --format json`
    Findings,
    /// `plan --format json`
    Plan,
}

/// Prints the schema.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> anyhow::Result<Outcome> {
    let text = match args.what {
        SchemaFile::Config => include_str!("../../../schemas/config.json"),
        SchemaFile::Findings => include_str!("../../../schemas/findings.json"),
        SchemaFile::Plan => include_str!("../../../schemas/plan.json"),
    };
    shell.data(text.as_bytes())?;
    Ok(Outcome::Clean)
}
