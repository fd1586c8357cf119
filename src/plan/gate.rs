//! What fails a plan: gated words, and how many guests may stop or need a restart.

use super::{Action, Plan, VmPlan};
use crate::action::Gate;
use crate::config::GateSettings;

/// Every gate of a run: those of the whole plan, and those of targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gates {
    /// Those of the whole plan.
    pub plan: GateSettings,
    /// Those that targets set themselves, by name. A target's words stand in place of the plan's for its rows; its counts
    /// are of its rows, and hold beside the plan's.
    pub targets: Vec<(String, GateSettings)>,
}

impl Gates {
    /// What trips, each in one sentence; empty where the plan passes.
    ///
    /// A word trips where an action that is not accepted has it, first or beside another.
    pub fn trips(&self, plan: &Plan) -> Vec<String> {
        let mut out = Vec::new();
        for gate in Gate::ALL {
            let rows: Vec<&VmPlan> = plan
                .virtual_machines
                .iter()
                .filter(|vm| self.words_for(vm).contains(&gate) && matches(gate, vm))
                .collect();
            let files = plan
                .unjudged
                .iter()
                .filter(|one| one.accepted.is_none() && gate == Gate::Unknown)
                .filter(|_| self.names(Gate::Unknown))
                .count();
            if rows.is_empty() && files == 0 {
                continue;
            }
            out.push(sentence(gate, &rows, files));
        }
        out.extend(counts(
            "",
            &self.plan,
            &plan.virtual_machines.iter().collect::<Vec<_>>(),
        ));
        for (name, settings) in &self.targets {
            let rows: Vec<&VmPlan> = plan
                .virtual_machines
                .iter()
                .filter(|vm| vm.target.as_deref() == Some(name))
                .collect();
            out.extend(counts(&format!(" of target `{name}`"), settings, &rows));
        }
        out
    }

    fn words_for(&self, vm: &VmPlan) -> &[Gate] {
        let own = self
            .targets
            .iter()
            .find(|(name, _)| vm.target.as_deref() == Some(name))
            .and_then(|(_, settings)| settings.fail_on.as_deref());
        own.or(self.plan.fail_on.as_deref()).unwrap_or_default()
    }

    /// Whether a word is gated for any row.
    fn names(&self, gate: Gate) -> bool {
        std::iter::once(&self.plan)
            .chain(self.targets.iter().map(|(_, settings)| settings))
            .filter_map(|settings| settings.fail_on.as_ref())
            .any(|words| words.contains(&gate))
    }

    /// What `self`, the gates of the base, holds and `head` no longer does, each in one sentence.
    pub fn loosened(&self, head: &Self) -> Vec<String> {
        let mut out = loosened("", &self.plan, &head.plan);
        for (name, settings) in &self.targets {
            let empty = GateSettings::default();
            let now = head
                .targets
                .iter()
                .find(|(other, _)| other == name)
                .map_or(&empty, |(_, settings)| settings);
            out.extend(loosened(&format!(" of target `{name}`"), settings, now));
        }
        out
    }
}

/// Whether a row has a word that nobody accepted.
fn matches(gate: Gate, vm: &VmPlan) -> bool {
    match gate {
        Gate::Condition => {
            vm.holds(Action::Restart) && vm.condition_only && !vm.is_accepted(Action::Restart)
        }
        Gate::StartRefused => vm.start_refused && !vm.start_was_refused,
        Gate::Restart => vm.owes_restart() && !vm.is_accepted(Action::Restart),
        _ => gate
            .action()
            .is_some_and(|action| vm.holds(action) && !vm.is_accepted(action)),
    }
}

/// The most rows that are named.
const NAMED: usize = 3;

fn sentence(gate: Gate, rows: &[&VmPlan], files: usize) -> String {
    let names: Vec<String> = rows.iter().take(NAMED).map(|vm| vm.full_name()).collect();
    let more = rows.len().saturating_sub(NAMED);
    let mut subjects = names.join(", ");
    if more > 0 {
        subjects = format!("{subjects} and {more} more");
    }
    if files > 0 {
        let files = match files {
            1 => "1 file that could not be judged".to_owned(),
            files => format!("{files} files that could not be judged"),
        };
        subjects = if subjects.is_empty() {
            files
        } else {
            format!("{subjects}, and {files}")
        };
    }
    format!("`{gate}` is gated: {subjects}")
}

fn counts(whose: &str, settings: &GateSettings, rows: &[&VmPlan]) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(most) = settings.max_down {
        let down: usize = rows
            .iter()
            .filter(|vm| !takes_down_accepted(vm))
            .map(|vm| vm.down)
            .sum();
        if down > most {
            out.push(format!(
                "{down} guests{whose} go down, `--max-down` allows {most}"
            ));
        }
    }
    if let Some(most) = settings.max_restarts {
        let owed = rows
            .iter()
            .filter(|vm| vm.owes_restart() && !vm.is_accepted(Action::Restart))
            .count();
        if owed > most {
            out.push(format!(
                "{owed} guests{whose} need a restart, `--max-restarts` allows {most}"
            ));
        }
    }
    out
}

/// Whether every action of a row that takes its guests down is accepted.
fn takes_down_accepted(vm: &VmPlan) -> bool {
    let mut harmful = vm
        .actions()
        .filter(|action| matches!(action, Action::DataLoss | Action::Delete | Action::Stop))
        .peekable();
    if harmful.peek().is_none() {
        return vm.is_accepted(vm.action);
    }
    harmful.all(|action| vm.is_accepted(action))
}

fn loosened(whose: &str, base: &GateSettings, head: &GateSettings) -> Vec<String> {
    let mut out = Vec::new();
    let after = head.fail_on.as_deref().unwrap_or_default();
    let gone: Vec<&str> = base
        .fail_on
        .iter()
        .flatten()
        .filter(|gate| !after.contains(gate))
        .map(|gate| gate.as_str())
        .collect();
    if !gone.is_empty() {
        out.push(format!(
            "the change itself takes {} out of `plan.failOn`{whose}",
            gone.join(", ")
        ));
    }
    for (name, before, after) in [
        ("maxDown", base.max_down, head.max_down),
        ("maxRestarts", base.max_restarts, head.max_restarts),
    ] {
        match (before, after) {
            (Some(before), Some(after)) if after > before => out.push(format!(
                "the change itself raises `plan.{name}`{whose} from {before} to {after}"
            )),
            (Some(_), None) => out.push(format!("the change itself removes `plan.{name}`{whose}")),
            _ => {}
        }
    }
    out
}
