//! What fails a plan: gates from the options and the settings, and what is accepted by name.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use driftless::action::Gate;
use driftless::config::{Config, GateSettings};
use driftless::plan::{Acceptance, Gates, Plan};

use crate::input::git::Repository;

/// The word that gates nothing.
const NEVER: &str = "never";

/// The word for the settings' list, and without one for [`Gate::DEFAULT`].
const DEFAULT: &str = "default";

/// What a word of the list says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Gate(Gate),
    Never,
    Default,
}

impl Word {
    fn parse(word: &str) -> Option<Self> {
        match word {
            NEVER => Some(Self::Never),
            DEFAULT => Some(Self::Default),
            word => Gate::parse(word).map(Self::Gate),
        }
    }
}

/// The options.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Gates")]
pub(super) struct GateArgs {
    /// Exit with 1 where a VM meets one of these actions: a list with commas. `condition` are VMs that show
    /// RestartRequired though a restart changes nothing, `start-refused` those that would not start again, `unknown`
    /// counts files that could not be judged. `default` stands for the list of driftless.yaml, and where that has none for
    /// data-loss,delete,stop,rejected,start-refused,unknown [default: `plan.failOn` of driftless.yaml]
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = PossibleValuesParser::new(words())
            .try_map(|word| Word::parse(&word).ok_or("not a word of a plan")),
    )]
    fail_on: Vec<Word>,

    /// Exit with 1 where more guests than this stop because the change is applied
    #[arg(long, value_name = "N")]
    max_down: Option<usize>,

    /// Exit with 1 where more guests than this need a restart that changes them
    #[arg(long, value_name = "N")]
    max_restarts: Option<usize>,

    /// Accept a known loss by name: `ACTION:[TARGET/]NAMESPACE/NAME reason`, or `unknown:FILE reason`. May repeat. A
    /// commit between base and head does the same with a `Driftless-Accept:` trailer
    #[arg(long, value_name = "TEXT")]
    accept: Vec<String>,

    /// Take no acceptance from commits
    #[arg(long)]
    no_accept_trailers: bool,
}

fn words() -> Vec<&'static str> {
    let gates = Gate::ALL.into_iter().map(Gate::as_str);
    gates.chain([NEVER, DEFAULT]).collect()
}

impl GateArgs {
    /// The gates that hold: the options, else those of the base's settings, else those of the head's. What the change
    /// itself loosens is the plan's first note.
    pub(super) fn settle(&self, settings: &[Config; 2], plan: &mut Plan) -> Gates {
        let [base, head] = settings.each_ref().map(of);
        let is_set = |gates: &Gates| {
            !gates.plan.is_empty() || gates.targets.iter().any(|(_, own)| !own.is_empty())
        };
        let mut gates = if is_set(&base) {
            plan.notes.splice(0..0, base.loosened(&head));
            base
        } else {
            head
        };
        let takes_default = self.fail_on.contains(&Word::Default);
        let over = |own: &mut GateSettings, is_plan: bool| {
            let mut words: Vec<Gate> = self
                .fail_on
                .iter()
                .filter_map(|word| match word {
                    Word::Gate(gate) => Some(*gate),
                    Word::Never | Word::Default => None,
                })
                .collect();
            if !takes_default && !self.fail_on.is_empty() {
                own.fail_on = is_plan.then_some(words);
            } else if takes_default && (is_plan || own.fail_on.is_some()) {
                words.extend(own.fail_on.as_deref().unwrap_or(&Gate::DEFAULT));
                own.fail_on = Some(words);
            }
            if self.max_down.is_some() {
                own.max_down = self.max_down.filter(|_| is_plan);
            }
            if self.max_restarts.is_some() {
                own.max_restarts = self.max_restarts.filter(|_| is_plan);
            }
        };
        over(&mut gates.plan, true);
        for (_, own) in &mut gates.targets {
            over(own, false);
        }
        gates
    }

    /// Applies the acceptances of the options and of the commits in a range; the plan notes those without effect.
    pub(super) fn accept(
        &self,
        paths: &[PathBuf],
        range: Option<(&str, &str)>,
        plan: &mut Plan,
    ) -> anyhow::Result<()> {
        let mut found = Vec::new();
        for text in &self.accept {
            let acceptance = Acceptance::parse(text, "--accept")
                .map_err(|error| anyhow!("`--accept {text}`: {error}"))?;
            found.push(acceptance);
        }
        if let Some((base, head)) = range.filter(|_| !self.no_accept_trailers) {
            let repository = Repository::of(paths)?;
            // Before the first commit there is no head that could carry one.
            if let Ok(head) = repository.commit(head) {
                let base = repository.commit(base)?;
                let trailers = repository.acceptances(&base, &head)?;
                for trailer in trailers.found {
                    let source = format!("commit {}", trailer.commit);
                    match Acceptance::parse(&trailer.value, &source) {
                        Ok(acceptance) => found.push(acceptance),
                        Err(error) => plan.notes.push(format!(
                            "{source}: `Driftless-Accept: {}` accepts nothing: {error}",
                            trailer.value
                        )),
                    }
                }
                if trailers.missing > 0 {
                    plan.notes.push(format!(
                        "acceptances in {} commits could not be read: the clone is shallow",
                        trailers.missing
                    ));
                }
            }
        }
        let unused = plan.accept(&found);
        plan.notes.extend(unused);
        Ok(())
    }
}

/// The gates of settings.
fn of(config: &Config) -> Gates {
    Gates {
        plan: config.target.plan.clone(),
        targets: config
            .targets
            .iter()
            .map(|target| (target.name.clone(), target.plan.clone()))
            .collect(),
    }
}
