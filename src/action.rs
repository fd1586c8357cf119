//! What a change does to a VM, in one word, and the words that can fail a plan.

use crate::word::words;

words! {
    /// What the change does to one VM. The order is that of precedence: the first that holds is the action, every other that
    /// holds stands beside it.
    Action {
        /// The cluster refuses the object, or its controller refuses it on every sync.
        Rejected = "rejected",
        /// A disk is lost: deleted with its VM, or replaced by another at the next start.
        DataLoss = "data-loss",
        /// The VM is only in the base.
        Delete = "delete",
        /// A running guest is turned off.
        Stop = "stop",
        /// `KubeVirt` asks for a restart.
        Restart = "restart",
        /// Depends on something that is not in the tree.
        Unknown = "unknown",
        /// Accepted, but waits for something.
        Pending = "pending",
        /// Volumes move to other claims while the guest runs.
        MigrateVolumes = "migrate-volumes",
        /// Reaches the running guest without a restart.
        Live = "live",
        /// The VM is only in the head.
        Create = "create",
        /// A stopped guest is turned on.
        Start = "start",
        /// Applied when the VM next starts.
        NextStart = "next-start",
        /// Nothing that reaches a running guest.
        None = "none",
    }
}

words! {
    /// A word that a plan can be gated on: an action, or one of two that are none.
    Gate {
        /// [`Action::Rejected`].
        Rejected = "rejected",
        /// [`Action::DataLoss`].
        DataLoss = "data-loss",
        /// [`Action::Delete`].
        Delete = "delete",
        /// [`Action::Stop`].
        Stop = "stop",
        /// [`Action::Restart`], where a restart changes the guest.
        Restart = "restart",
        /// RestartRequired is shown, and a restart changes nothing.
        Condition = "condition",
        /// `KubeVirt` would refuse the next start.
        StartRefused = "start-refused",
        /// [`Action::Unknown`], and files that were not judged.
        Unknown = "unknown",
        /// [`Action::Pending`].
        Pending = "pending",
        /// [`Action::MigrateVolumes`].
        MigrateVolumes = "migrate-volumes",
        /// [`Action::Live`].
        Live = "live",
        /// [`Action::Create`].
        Create = "create",
        /// [`Action::Start`].
        Start = "start",
        /// [`Action::NextStart`].
        NextStart = "next-start",
    }
}

impl Gate {
    /// What a commit hook and a pull request are gated on where nothing else is said.
    pub const DEFAULT: [Self; 6] = [
        Self::DataLoss,
        Self::Delete,
        Self::Stop,
        Self::Rejected,
        Self::StartRefused,
        Self::Unknown,
    ];

    /// The action of the same word, where there is one.
    pub fn action(self) -> Option<Action> {
        Action::parse(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_but_none_can_be_gated_on_and_two_words_are_no_action() {
        let actions: Vec<Action> = Gate::ALL.into_iter().filter_map(Gate::action).collect();
        assert_eq!(actions, &Action::ALL[..Action::ALL.len() - 1]);
        let others = Gate::ALL.into_iter().filter(|gate| gate.action().is_none());
        assert_eq!(
            others.collect::<Vec<_>>(),
            [Gate::Condition, Gate::StartRefused]
        );
    }
}
