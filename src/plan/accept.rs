//! Known losses that somebody accepts by name: `ACTION:[TARGET/]NAMESPACE/NAME reason`, or `unknown:FILE reason`.

use super::model::{Accepted, Plan, VmPlan};
use crate::action::Action;

/// One acceptance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptance {
    /// The action; those after it are covered too.
    pub action: Action,
    /// What is accepted: `[TARGET/]NAMESPACE/NAME`, or a file.
    pub what: String,
    /// Where it is from and why: `commit 1a2b3c4: moved to the new cluster`.
    pub by: String,
}

impl Acceptance {
    /// Reads an acceptance; `source` says where it is from: `commit 1a2b3c4`, `--accept`.
    pub fn parse(text: &str, source: &str) -> Result<Self, NoAcceptance> {
        let text = text.trim();
        let (head, reason) = text
            .split_once(char::is_whitespace)
            .map_or((text, ""), |(head, reason)| (head, reason.trim()));
        let (word, what) = head.split_once(':').ok_or(NoAcceptance::Form)?;
        let action = Action::parse(word).ok_or_else(|| NoAcceptance::Word(word.to_owned()))?;
        if matches!(action, Action::Rejected | Action::None) {
            return Err(NoAcceptance::Word(word.to_owned()));
        }
        if what.is_empty() || action != Action::Unknown && !what.contains('/') {
            return Err(NoAcceptance::Form);
        }
        if reason.is_empty() {
            return Err(NoAcceptance::Reason);
        }
        Ok(Self {
            action,
            what: what.to_owned(),
            by: format!("{source}: {reason}"),
        })
    }
}

/// Why a text is no acceptance. The author's text is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAcceptance {
    /// It has another form.
    #[error("write `ACTION:[TARGET/]NAMESPACE/NAME reason`, or `unknown:FILE reason`")]
    Form,
    /// Its word cannot be accepted.
    #[error("`{0}` cannot be accepted: use an action from `data-loss` to `next-start`")]
    Word(String),
    /// It says no reason.
    #[error("an acceptance needs a reason after the name")]
    Reason,
}

impl Plan {
    /// Applies acceptances; gives what is to be said of those that change nothing.
    pub fn accept(&mut self, acceptances: &[Acceptance]) -> Vec<String> {
        let mut unused = Vec::new();
        for acceptance in acceptances {
            if let Err(why) = self.apply(acceptance) {
                unused.push(format!(
                    "the acceptance `{}:{}` ({}) {why}",
                    acceptance.action, acceptance.what, acceptance.by
                ));
            }
        }
        // Rows that are accepted form groups of their own.
        self.regroup();
        unused
    }

    fn apply(&mut self, acceptance: &Acceptance) -> Result<(), String> {
        let accepted = Accepted {
            action: acceptance.action,
            by: acceptance.by.clone(),
        };
        let mut found = false;
        if acceptance.action == Action::Unknown {
            for one in self
                .unjudged
                .iter_mut()
                .filter(|one| one.file == acceptance.what)
            {
                one.accepted.get_or_insert_with(|| accepted.clone());
                found = true;
            }
        }
        let named: Vec<usize> = self.named(&acceptance.what)?;
        for at in &named {
            let vm = &mut self.virtual_machines[*at];
            let covers = vm
                .actions()
                .any(|action| acceptance.action <= action && action != Action::None);
            if !covers {
                continue;
            }
            found = true;
            let is_weaker = vm
                .accepted
                .as_ref()
                .is_some_and(|other| other.action <= acceptance.action);
            if !is_weaker {
                vm.accepted = Some(accepted.clone());
            }
        }
        match (found, named.is_empty()) {
            (true, _) => Ok(()),
            (false, true) => Err("matches nothing in this plan".to_owned()),
            (false, false) => {
                Err("matches a VM that has neither that action nor one after it".to_owned())
            }
        }
    }

    /// The rows of a name; virtual machines before objects of other kinds. A name without a target that stands in several
    /// targets is no name.
    fn named(&self, name: &str) -> Result<Vec<usize>, String> {
        let fits = |vm: &VmPlan| {
            let is = |namespace: &str, own: &str| {
                let plain = format!("{namespace}/{own}");
                let with_target = vm.target.as_ref().map(|target| format!("{target}/{plain}"));
                name == plain || with_target.as_deref() == Some(name)
            };
            is(&vm.namespace, &vm.name)
                || vm
                    .was
                    .as_ref()
                    .is_some_and(|(namespace, own)| is(namespace, own))
        };
        let all: Vec<usize> = (0..self.virtual_machines.len())
            .filter(|at| fits(&self.virtual_machines[*at]))
            .collect();
        let is_vm = |at: &usize| self.virtual_machines[*at].kind == "VirtualMachine";
        let vms: Vec<usize> = all.iter().copied().filter(is_vm).collect();
        let found = if vms.is_empty() { all } else { vms };
        let mut targets: Vec<&Option<String>> = found
            .iter()
            .map(|at| &self.virtual_machines[*at].target)
            .collect();
        targets.dedup();
        if targets.len() > 1 {
            return Err("names a VM of several targets: write TARGET/NAMESPACE/NAME".to_owned());
        }
        Ok(found)
    }
}
