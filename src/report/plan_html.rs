//! The plan as one page that needs no server: groups, filters, search, and the expanded VM of both sides beside each other.
//!
//! Tests drive it by `#search`, `#shown`, `#expand`, `.filters button[data-filter]`, `.group[data-action]` and
//! `.vm[data-name]`.

use askama::Template;
use indexmap::IndexMap;
use rayon::prelude::*;
use similar::{ChangeTag, TextDiff};

use super::plan_view::{LinePart, PlanView};
use crate::plan::{Plan, VmPlan};
use crate::shown;
use crate::shown::secret::{mark_changed, redacted};
use crate::yaml::emit;

#[cfg(test)]
mod tests;

/// Lines of context around a difference.
const CONTEXT: usize = 3;
/// Causes that the first screen names.
const LISTED: usize = 8;
/// Most rows one comparison may take.
const MOST_ROWS: usize = 600;
/// Most rows all comparisons may take.
const MOST_ON_PAGE: usize = 60_000;

/// The plan as an HTML page. `links` is a URL in which `{path}` and `{line}` stand for a place.
pub fn report(plan: &Plan, links: Option<&str>) -> String {
    let view = PlanView::new(plan, links);
    let rows: Vec<Vec<DiffRow>> = plan.virtual_machines.par_iter().map(compare).collect();
    let mut room = MOST_ON_PAGE;
    let diffs = view.groups.iter().map(|group| {
        let mut of_group: IndexMap<&[DiffRow], Vec<&str>> = IndexMap::new();
        for vm in group.vms().filter(|vm| !rows[vm.row].is_empty()) {
            of_group.entry(&rows[vm.row]).or_default().push(&vm.full);
        }
        of_group.retain(|rows, _| {
            room = room.saturating_sub(rows.len());
            room > 0
        });
        of_group
    });
    let diffs = diffs.collect();
    let page = HtmlPage {
        view: &view,
        diffs,
        is_cut: room == 0,
    };
    page.render().unwrap_or_default()
}

#[derive(Template)]
#[template(path = "plan_html/page.html")]
struct HtmlPage<'a> {
    view: &'a PlanView,
    /// The comparisons of each group, and the VMs that each is the same for.
    diffs: Vec<IndexMap<&'a [DiffRow], Vec<&'a str>>>,
    /// Whether some comparisons are left out.
    is_cut: bool,
}

/// A row of a comparison.
#[derive(Debug, PartialEq, Eq, Hash)]
enum DiffRow {
    /// Lines are left out.
    Gap,
    Same(String),
    Differs(Option<String>, Option<String>),
}

/// The expanded VM of both sides beside each other, only around what differs.
fn compare(vm: &VmPlan) -> Vec<DiffRow> {
    let (Some(before), Some(after)) = (&vm.before, &vm.after) else {
        return Vec::new();
    };
    let mut marked = redacted(after);
    mark_changed(before, after, &mut marked);
    let (before, after) = (emit::to_string(&redacted(before)), emit::to_string(&marked));
    let diff = TextDiff::from_lines(before.as_str(), after.as_str());
    let mut rows = Vec::new();
    for group in diff.grouped_ops(CONTEXT) {
        if !rows.is_empty() {
            rows.push(DiffRow::Gap);
        }
        for op in group {
            let (mut left, mut right) = (Vec::new(), Vec::new());
            for change in diff.iter_changes(&op) {
                let line = shown::line(change.value().trim_end_matches('\n'));
                match change.tag() {
                    ChangeTag::Equal => rows.push(DiffRow::Same(line)),
                    ChangeTag::Delete => left.push(line),
                    ChangeTag::Insert => right.push(line),
                }
            }
            let (mut left, mut right) = (left.into_iter(), right.into_iter());
            rows.extend(std::iter::from_fn(|| match (left.next(), right.next()) {
                (None, None) => None,
                (before, after) => Some(DiffRow::Differs(before, after)),
            }));
        }
    }
    if rows.len() > MOST_ROWS {
        rows.truncate(MOST_ROWS);
        rows.push(DiffRow::Gap);
    }
    rows
}
