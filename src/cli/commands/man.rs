//! `man`: the manual page, from the same definitions as the help.

use crate::output::{Outcome, Shell};

/// Print the manual page
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The command to print the page of; without one, the program's
    command: Option<String>,
}

/// Prints the page in roff.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> anyhow::Result<Outcome> {
    let mut whole = crate::commands::command();
    whole.build();
    let page = match &args.command {
        None => clap_mangen::Man::new(whole),
        Some(name) => {
            let Some(of) = whole.find_subcommand(name) else {
                anyhow::bail!("there is no command `{name}`; `driftless --help` lists them");
            };
            let title = format!("driftless-{name}");
            clap_mangen::Man::new(of.clone()).title(title)
        }
    };
    let mut text = Vec::new();
    page.render(&mut text)?;
    shell.data(&text)?;
    Ok(Outcome::Clean)
}
