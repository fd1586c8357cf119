//! Objects that kustomizations of named targets build on. What a cluster gets is what those make of them, so that a row
//! about such an object as it is written would be about no cluster: the file is told as not judged instead.

use super::{Action, Change, Unjudged, VmPlan};
use crate::change::{Pair, Sided};

/// What to do about files that a program builds objects from.
pub const COMPARE_BUILT: &str =
    "compare what it builds from both sides: `driftless plan BUILT --base-dir BUILT-BEFORE`";
/// Most overlays that a reason names.
const MOST_NAMED: usize = 3;

/// An object as targets do not get it.
#[derive(Clone, Debug)]
pub struct Overlaid {
    /// The file it stands in.
    place: String,
    /// Directories of the kustomizations of named targets that build on it.
    overlays: Vec<String>,
}

impl Overlaid {
    /// Whether kustomizations of named targets build on an object of none, and which.
    pub(super) fn of(subject: &Sided<'_>) -> Option<Self> {
        (!subject.overlays.is_empty()).then(|| Self {
            place: subject.place.to_owned(),
            overlays: subject.overlays.to_vec(),
        })
    }
}

/// Whether a form of the pair is only built on.
pub(super) fn is_overlaid(pair: &Pair<'_>) -> bool {
    let mut sides = [pair.base, pair.head].into_iter().flatten();
    sides.any(|subject| !subject.overlays.is_empty())
}

/// The rows about what a cluster gets, and the files that cause the others.
pub(super) fn split(judged: Vec<VmPlan>) -> (Vec<VmPlan>, Vec<Unjudged>) {
    let mut rows = Vec::new();
    let mut unjudged = Vec::new();
    for row in judged {
        match &row.overlaid {
            None => rows.push(row),
            Some(overlaid) if says_something(&row) => not_judged(overlaid, &row, &mut unjudged),
            Some(_) => {}
        }
    }
    unjudged.sort_by(|a, b| (&a.file, &a.kind, &a.reason).cmp(&(&b.file, &b.kind, &b.reason)));
    unjudged.dedup();
    (rows, unjudged)
}

/// Whether a row tells of more than another spelling or place.
fn says_something(row: &VmPlan) -> bool {
    row.action != Action::None || row.change != Change::Unchanged || !row.reasons.is_empty()
}

fn not_judged(overlaid: &Overlaid, row: &VmPlan, unjudged: &mut Vec<Unjudged>) {
    let overlays = &overlaid.overlays;
    let mut named = overlays
        .iter()
        .take(MOST_NAMED)
        .cloned()
        .collect::<Vec<_>>();
    if overlays.len() > MOST_NAMED {
        named.push(format!("{} more", overlays.len() - MOST_NAMED));
    }
    let reason = format!(
        "targets get what their kustomizations make of {} `{}` ({}), and no build runs here; {COMPARE_BUILT}",
        row.kind,
        row.name,
        named.join(", ")
    );
    unjudged.extend(row.causes.iter().map(|cause| Unjudged {
        file: cause.file.clone(),
        kind: (cause.file == overlaid.place).then(|| row.kind.clone()),
        reason: reason.clone(),
        accepted: None,
    }));
}
