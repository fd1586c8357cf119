//! `explain`: the page of a rule, or what the API knows about a field.

use anyhow::bail;
use driftless::config::did_you_mean;
use driftless::rules;
use driftless::schema::explain;

use crate::args::Global;
use crate::output::{Outcome, Shell};

/// Explain a rule, or a field of the API
///
/// A field is written from the resource's root, a VirtualMachine's unless a kind stands before it:
/// `spec.template.spec.domain.cpu`, `VirtualMachinePreference.spec.cpu`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A rule's id, or a field
    #[arg(value_name = "RULE|FIELD")]
    what: String,
}

/// Prints the page.
pub(crate) fn run(args: &Args, global: &Global, shell: &mut Shell) -> anyhow::Result<Outcome> {
    if let Some(rule) = rules::find(&args.what) {
        shell.data(rules::docs::explanation(&rule.info).as_bytes())?;
        return Ok(Outcome::Clean);
    }
    match explain::field(&args.what, global.kubevirt) {
        Ok(page) => {
            shell.data(page.as_bytes())?;
            Ok(Outcome::Clean)
        }
        Err(error) => {
            if let Some(meant) = did_you_mean(&args.what, rules::ids()) {
                bail!(
                    "there is no rule and no field `{}`; did you mean `{meant}`?",
                    args.what
                );
            }
            bail!("{error}")
        }
    }
}
