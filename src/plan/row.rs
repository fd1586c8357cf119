//! A row of the plan before anything is said of it.

use super::overlaid::Overlaid;
use super::{CauseLocation, Change, VmPlan};
use crate::change::Sided;
use crate::resource::Resource;
use crate::source::Sources;

/// A plan for a VM that says nothing yet.
pub(super) fn blank(subject: &Sided, change: Change) -> VmPlan {
    let target = &subject.resolver.target().name;
    VmPlan {
        target: (!target.is_empty()).then(|| target.clone()),
        overlaid: Overlaid::of(subject),
        ..VmPlan::new(
            subject.resource.id.kind.as_str(),
            subject.namespace(),
            subject.resource.id.name.as_str(),
            change,
        )
    }
}

/// Where resources stand, the base's before the head's: of a file that both sides have, the head's line.
pub(super) fn causes<'a>(
    sources: &Sources,
    resources: impl IntoIterator<Item = &'a Resource, IntoIter: DoubleEndedIterator>,
) -> Vec<CauseLocation> {
    let causes = resources.into_iter().rev().filter_map(|resource| {
        let span = resource.node.origin.span();
        Some(CauseLocation {
            file: sources.file(resource.file?).path().to_owned(),
            line: span.map(|span| sources.file(span.file).position(span.start).line),
        })
    });
    CauseLocation::once(causes.collect())
}
