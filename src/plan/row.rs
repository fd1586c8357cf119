//! A row of the plan before anything is said of it.

use super::overlaid::Overlaid;
use super::{Action, Cause, Change, Power, VmPlan};
use crate::change::Sided;
use crate::resource::Resource;
use crate::source::Sources;

/// A plan for a VM that says nothing yet.
pub(super) fn blank(subject: &Sided, change: Change) -> VmPlan {
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
        start_was_refused: false,
        rejected: None,
        accepted: None,
        reasons: Vec::new(),
        loses: Vec::new(),
        assumptions: Vec::new(),
        volumes: Vec::new(),
        fields: Vec::new(),
        causes: Vec::new(),
        shared: Vec::new(),
        overlaid: Overlaid::of(subject),
        before: None,
        after: None,
    }
}

/// Where resources stand, the base's before the head's: of a file that both sides have, the head's line.
pub(super) fn causes<'a>(
    sources: &Sources,
    resources: impl IntoIterator<Item = &'a Resource, IntoIter: DoubleEndedIterator>,
) -> Vec<Cause> {
    let causes = resources.into_iter().rev().filter_map(|resource| {
        let span = resource.node.origin.span();
        Some(Cause {
            file: sources.file(resource.file?).path().to_owned(),
            line: span.map(|span| sources.file(span.file).position(span.start).line),
        })
    });
    Cause::once(causes.collect())
}
