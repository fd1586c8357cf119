//! VMs that one cause does the same to.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{Change, Plan, Power, VmPlan};
use crate::update::{Action, Effect};

/// VMs with one cause and one set of effects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What changed: a shared object with its file, the file of the VMs, or how many files and where.
    pub cause: String,
    /// The action of each.
    pub action: Action,
    /// What happens to each: a word and the field, or a sentence.
    pub effects: Vec<String>,
    /// Indices into [`Plan::virtual_machines`], in order.
    pub vms: Vec<usize>,
}

impl Plan {
    /// Groups the rows anew; for rows that were made or changed after the plan.
    pub fn regroup(&mut self) {
        self.groups = group(&self.virtual_machines);
    }

    /// The rows of a group.
    pub fn in_group<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = &'a VmPlan> {
        group.vms.iter().map(|at| &self.virtual_machines[*at])
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct GroupKey<'a> {
    action: Action,
    accepted_by: Option<&'a str>,
    change: Change,
    shared: &'a [String],
    effects: Vec<String>,
}

/// The groups of some rows, the worst first, then the largest. What is accepted stands after what is not, a condition that
/// a restart does not answer after restarts.
pub(super) fn group(vms: &[VmPlan]) -> Vec<Group> {
    let mut found: BTreeMap<GroupKey<'_>, Vec<usize>> = BTreeMap::new();
    for (at, vm) in vms.iter().enumerate() {
        let key = GroupKey {
            action: vm.action,
            accepted_by: vm.accepted.as_ref().map(|accepted| accepted.by.as_str()),
            change: vm.change,
            shared: &vm.shared,
            effects: effects(vm),
        };
        found.entry(key).or_default().push(at);
    }
    let mut groups: Vec<Group> = found
        .into_iter()
        .map(|(key, members)| Group {
            cause: cause(
                &key,
                &members.iter().map(|at| &vms[*at]).collect::<Vec<_>>(),
            ),
            action: key.action,
            effects: key.effects,
            vms: members,
        })
        .collect();
    groups.sort_by_key(|group| {
        let first = &vms[group.vms[0]];
        (
            !first.start_refused,
            group.action,
            first.condition_only,
            first.accepted.is_some(),
            std::cmp::Reverse(group.vms.len()),
        )
    });
    groups
}

/// What happens to a VM, in words that are equal for VMs that the same happens to: no values, no place in a list, and
/// not the VM's own name.
fn effects(vm: &VmPlan) -> Vec<String> {
    let mut out = Vec::new();
    let mut say = |text: String| out.push(text);
    if vm.start_refused {
        say("the next start is refused".to_owned());
    }
    if let Some(rejected) = vm.rejected {
        say(format!("refused by {rejected}"));
    }
    if vm.condition_only {
        say("RestartRequired is shown, a restart changes nothing".to_owned());
    }
    match vm.power {
        Power::Unchanged => {}
        Power::Start => say("the guest starts".to_owned()),
        Power::Stop => say("the guest stops".to_owned()),
    }
    for loss in &vm.loses {
        say(format!("loses {}", loss.what));
    }
    for volume in &vm.volumes {
        say(format!("volume: {}", volume.verdict));
    }
    let fields = vm
        .fields
        .iter()
        .filter(|field| field.effect != Effect::None);
    for field in fields {
        say(format!(
            "{}: {}",
            field.effect,
            placeless(&field.path.to_string())
        ));
    }
    let is_silent = out.is_empty();
    if is_silent || vm.action == Action::Rejected {
        for reason in &vm.reasons {
            out.push(nameless(&reason.message, &vm.name));
            if let Some(said) = &reason.kubevirt {
                out.push(nameless(&placeless(&said.message), &vm.name));
            }
        }
    }
    let mut seen = BTreeSet::new();
    out.retain(|text| seen.insert(text.clone()));
    out
}

/// What the members of a group have in common: what they share, and the files of those that changed themselves.
fn cause(key: &GroupKey<'_>, members: &[&VmPlan]) -> String {
    let shared = key.shared.join(", ");
    if key.change == Change::Unchanged && !shared.is_empty() {
        return shared;
    }
    let names = |vm: &VmPlan, file: &str| vm.causes.iter().any(|cause| cause.file == file);
    let mut files: BTreeSet<&str> = members
        .iter()
        .flat_map(|vm| vm.causes.iter().map(|cause| cause.file.as_str()))
        .collect();
    // What every member names is taken for the file of what they share.
    let own = |file: &&str| !members.iter().all(|vm| names(vm, file));
    if !shared.is_empty() && (files.len() < 2 || files.iter().any(own)) {
        files.retain(own);
    }
    if files.is_empty() && !shared.is_empty() {
        return shared;
    }
    let own = directory(files);
    if shared.is_empty() {
        own
    } else {
        format!("{own}, {shared}")
    }
}

/// A file, or how many files and the directory they have in common.
fn directory(files: BTreeSet<&str>) -> String {
    let mut files = files.into_iter();
    let Some(first) = files.next() else {
        return "the cluster".to_owned();
    };
    let mut count = 1;
    let mut common = first
        .rsplit_once('/')
        .map_or("", |(directory, _)| directory);
    for file in files {
        count += 1;
        while !is_under(file, common) {
            common = common.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
    }
    match (count, common) {
        (1, _) => first.to_owned(),
        (_, "") => format!("{count} files"),
        (_, common) => format!("{count} files under {common}/"),
    }
}

fn is_under(file: &str, directory: &str) -> bool {
    directory.is_empty()
        || file
            .strip_prefix(directory)
            .is_some_and(|rest| rest.starts_with('/'))
}

/// A text without the numbers in square brackets.
fn placeless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        out.push('[');
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
        if !rest.starts_with(']') {
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// A text in which the code spans do not hold the VM's name.
fn nameless(text: &str, name: &str) -> String {
    let parts: Vec<String> = text
        .split('`')
        .enumerate()
        .map(|(at, part)| {
            if at % 2 == 1 {
                part.replace(name, "NAME")
            } else {
                part.to_owned()
            }
        })
        .collect();
    parts.join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_places_do_not_tell_effects_apart() {
        assert_eq!(
            placeless("disks[10].Name 'a' [b] x[1"),
            "disks[].Name 'a' [b] x[1"
        );
        assert_eq!(
            nameless("data volume `a-root` of a", "a"),
            "data volume `NAME-root` of a"
        );
    }

    #[test]
    fn a_directory_holds_what_is_below_it() {
        assert!(is_under("a/b.yaml", "a") && is_under("b.yaml", ""));
        assert!(!is_under("ab/c.yaml", "a"));
    }
}
