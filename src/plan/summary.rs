//! A plan in numbers, and in one sentence.

use super::model::Plan;
use super::{Action, Power, VmPlan};

/// A plan in numbers. Accepted rows are counted like others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// How many rows have each action as their first, in the order of actions; only those that occur.
    pub actions: Vec<(Action, usize)>,
    /// How many guests stop because the change is applied.
    pub down: usize,
    /// How many guests need a restart that changes them.
    pub restarts: usize,
    /// How many guests show RestartRequired though a restart changes nothing.
    pub condition_only: usize,
    /// How many VMs `KubeVirt` would not start again.
    pub start_refused: usize,
    /// How many files could not be judged.
    pub unjudged: usize,
    /// How many rows and files are accepted by name.
    pub accepted: usize,
    /// The total in words: `2 lose data, 1 stops, 3 need a restart, 12 change live, 4 could not be judged`.
    pub sentence: String,
}

impl Plan {
    /// The plan in numbers.
    pub fn summary(&self) -> Summary {
        let vms = &self.virtual_machines;
        let count = |holds: &dyn Fn(&VmPlan) -> bool| vms.iter().filter(|vm| holds(vm)).count();
        let accepted = count(&|vm| vm.accepted.is_some())
            + self
                .unjudged
                .iter()
                .filter(|one| one.accepted.is_some())
                .count();
        let mut summary = Summary {
            actions: self.counts(),
            down: vms.iter().map(|vm| vm.down).sum(),
            restarts: count(&VmPlan::owes_restart),
            condition_only: count(&|vm| vm.condition_only),
            start_refused: count(&|vm| vm.start_refused),
            unjudged: self.unjudged.len(),
            accepted,
            sentence: String::new(),
        };
        summary.sentence = self.sentence(&summary);
        summary
    }

    /// How many VMs meet each action, in the order of actions; only those that occur.
    pub fn counts(&self) -> Vec<(Action, usize)> {
        Action::ALL
            .into_iter()
            .map(|action| (action, self.count(action)))
            .filter(|(_, count)| *count > 0)
            .collect()
    }

    /// How many VMs meet an action first.
    pub fn count(&self, action: Action) -> usize {
        self.virtual_machines
            .iter()
            .filter(|vm| vm.action == action)
            .count()
    }

    /// How many guests start or stop.
    pub fn powered(&self, power: Power) -> usize {
        self.virtual_machines
            .iter()
            .filter(|vm| vm.power == power)
            .count()
    }

    fn sentence(&self, summary: &Summary) -> String {
        let mut parts = Vec::new();
        let mut say = |count: usize, one: &str, many: &str| match count {
            0 => {}
            1 => parts.push(format!("1 {one}")),
            count => parts.push(format!("{count} {many}")),
        };
        say(
            summary.start_refused,
            "will not start again",
            "will not start again",
        );
        for (action, count) in &summary.actions {
            let (one, many) = match action {
                Action::Rejected => ("is refused", "are refused"),
                Action::DataLoss => ("loses data", "lose data"),
                Action::Delete => ("is deleted", "are deleted"),
                Action::Stop => ("stops", "stop"),
                Action::Restart => {
                    let of = |holds: &dyn Fn(&VmPlan) -> bool| {
                        let rows = self.virtual_machines.iter();
                        let rows = rows.filter(|vm| vm.action == Action::Restart && holds(vm));
                        rows.count()
                    };
                    let conditions = of(&|vm| vm.condition_only);
                    let at_once = of(&|vm| vm.down > 0);
                    say(
                        at_once,
                        "restarts its guests at once",
                        "restart their guests at once",
                    );
                    say(
                        count - conditions - at_once,
                        "needs a restart",
                        "need a restart",
                    );
                    say(
                        conditions,
                        "shows RestartRequired and changes nothing",
                        "show RestartRequired and change nothing",
                    );
                    continue;
                }
                Action::Unknown => (
                    "depends on what is not in the tree",
                    "depend on what is not in the tree",
                ),
                Action::Pending => ("waits", "wait"),
                Action::MigrateVolumes => ("moves its volumes", "move their volumes"),
                Action::Live => ("changes live", "change live"),
                Action::Create => ("is created", "are created"),
                Action::Start => ("starts", "start"),
                Action::NextStart => ("changes at its next start", "change at their next start"),
                Action::None => continue,
            };
            say(*count, one, many);
        }
        say(
            summary.unjudged,
            "could not be judged",
            "could not be judged",
        );
        if parts.is_empty() {
            return if self.virtual_machines.is_empty() {
                "touches no virtual machine".to_owned()
            } else {
                "nothing reaches a running guest".to_owned()
            };
        }
        if summary.accepted > 0 {
            parts.push(format!("{} accepted", summary.accepted));
        }
        parts.join(", ")
    }
}
