//! `explain`: the page of a rule or of a plan's action, or what the API knows about a field.

use anyhow::bail;
use driftless::action::Gate;
use driftless::config::did_you_mean;
use driftless::rules;
use driftless::schema::explain;

use crate::args::{Global, Listed};
use crate::output::{Outcome, Shell};

/// Explain a rule, an action of a plan, or a field of the API
///
/// A field is written from the resource's root, a VirtualMachine's unless a kind stands before it:
/// `spec.template.spec.domain.cpu`, `VirtualMachinePreference.spec.cpu`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A rule's id, an action, or a field
    #[arg(value_name = "RULE|ACTION|FIELD", hide_possible_values = true, value_parser = Listed::new(clap::builder::StringValueParser::new(), words))]
    what: String,
}

/// The rules and the actions; fields are too many.
fn words() -> Vec<&'static str> {
    let actions = driftless::action::Action::ALL;
    rules::ids()
        .chain(actions.map(driftless::action::Action::as_str))
        .collect()
}

/// Prints the page.
pub(crate) fn run(args: &Args, global: &Global, shell: &mut Shell) -> anyhow::Result<Outcome> {
    if let Some(rule) = rules::find(&args.what) {
        shell.data(rules::docs::explanation(&rule.info).as_bytes())?;
        return Ok(Outcome::Clean);
    }
    if let Some(section) = action(&args.what) {
        shell.data(section.as_bytes())?;
        return Ok(Outcome::Clean);
    }
    match explain::field(
        &args.what,
        global.platform().map(|platform| platform.release),
    ) {
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

/// The page of plans.
const PLAN: &str = include_str!("../../../docs/plan.md");

/// The section of an action, or of another word that a plan can be gated on.
fn action(word: &str) -> Option<String> {
    let word = Gate::parse(word)
        .map(Gate::as_str)
        .or((word == "none").then_some("none"))?;
    let heading = format!("### `{word}`\n");
    let (_, section) = PLAN.split_once(&heading)?;
    let end = section
        .find("\n## ")
        .into_iter()
        .chain(section.find("\n### "))
        .min();
    let section = &section[..end.unwrap_or(section.len())];
    Some(format!("{word}\n{}\n", section.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_has_a_section() {
        for word in Gate::ALL.into_iter().map(Gate::as_str).chain(["none"]) {
            let section = action(word).unwrap_or_default();
            assert!(section.lines().count() > 2, "{word}: {section}");
            assert!(!section.contains("\n#"), "{word}: {section}");
        }
        assert_eq!(action("reboot"), None);
    }
}
