//! A row of the plan before anything is said of it.

use std::collections::BTreeSet;

use super::{Action, Change, Power, VmPlan};
use crate::change::Subject;
use crate::resource::Resource;
use crate::source::Sources;

/// A plan for a VM that says nothing yet.
pub(super) fn blank(subject: &Subject, change: Change) -> VmPlan {
    let target = &subject.resolver.target().name;
    VmPlan {
        target: (!target.is_empty()).then(|| target.clone()),
        kind: subject.resource.id.kind.to_string(),
        namespace: subject.namespace().to_owned(),
        name: subject.resource.id.name.to_string(),
        was: None,
        change,
        action: Action::None,
        also: Vec::new(),
        power: Power::Unchanged,
        down: 0,
        condition_only: false,
        start_refused: false,
        rejected: None,
        accepted: None,
        reasons: Vec::new(),
        loses: Vec::new(),
        assumptions: Vec::new(),
        volumes: Vec::new(),
        fields: Vec::new(),
        causes: Vec::new(),
        shared: Vec::new(),
        before: None,
        after: None,
    }
}

/// The files of resources, in order and once each.
pub(super) fn causes<const N: usize>(sources: &Sources, resources: [&Resource; N]) -> Vec<String> {
    let files: BTreeSet<String> = resources
        .iter()
        .filter_map(|resource| resource.file)
        .map(|file| sources.file(file).path().to_owned())
        .collect();
    files.into_iter().collect()
}
