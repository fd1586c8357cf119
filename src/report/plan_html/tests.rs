//! What a comparison of two forms of a VM shows, and where it is cut.

use serde_json::{Value as Json, json};

use super::{CONTEXT, DiffRow, MOST_ROWS, compare};
use crate::plan::{Change, VmPlan};
use crate::yaml::Node;

fn compared(before: &Json, after: &Json) -> Vec<DiffRow> {
    compare(&VmPlan {
        before: Some(Node::from_json(before)),
        after: Some(Node::from_json(after)),
        ..VmPlan::new("VirtualMachine", "vms", "web", Change::Modified)
    })
}

/// A list of numbers, some of them made others.
fn numbers(count: usize, changed: &[usize]) -> Json {
    let number = |at: usize| {
        if changed.contains(&at) {
            at + 10_000
        } else {
            at
        }
    };
    (0..count).map(number).collect()
}

fn same(row: &DiffRow) -> bool {
    matches!(row, DiffRow::Same(_))
}

#[test]
fn a_changed_line_stands_between_lines_of_context() {
    let rows = compared(&numbers(20, &[]), &numbers(20, &[10]));
    let line = |number: usize| Some(format!("- {number}"));
    assert_eq!(rows.len(), 2 * CONTEXT + 1);
    assert_eq!(rows[CONTEXT], DiffRow::Differs(line(10), line(10_010)));
    assert!(rows[..CONTEXT].iter().chain(&rows[CONTEXT + 1..]).all(same));
    assert_eq!(rows[0], DiffRow::Same("- 7".to_owned()));
}

#[test]
fn a_gap_stands_between_differences_and_nowhere_else() {
    let rows = compared(&numbers(60, &[]), &numbers(60, &[10, 40]));
    let gaps: Vec<usize> = (0..rows.len())
        .filter(|at| rows[*at] == DiffRow::Gap)
        .collect();
    assert_eq!(gaps, [2 * CONTEXT + 1]);
    assert_eq!(rows.len(), 2 * (2 * CONTEXT + 1) + 1);
}

#[test]
fn what_only_one_side_has_stands_alone() {
    let added = compared(&json!({"a": 1}), &json!({"a": 1, "b": 2}));
    let removed = compared(&json!({"a": 1, "b": 2}), &json!({"a": 1}));
    let line = || Some("b: 2".to_owned());
    assert_eq!(added[1..], [DiffRow::Differs(None, line())]);
    assert_eq!(removed[1..], [DiffRow::Differs(line(), None)]);
}

#[test]
fn a_comparison_has_600_rows_at_most() {
    let all = |count: usize| {
        let changed: Vec<usize> = (0..count).collect();
        compared(&numbers(count, &[]), &numbers(count, &changed))
    };
    for count in [MOST_ROWS - 1, MOST_ROWS] {
        let rows = all(count);
        assert_eq!(rows.len(), count);
        assert!(!rows.contains(&DiffRow::Gap), "{count}");
    }
    let cut = all(MOST_ROWS + 1);
    assert_eq!(cut.len(), MOST_ROWS + 1);
    assert_eq!(cut.last(), Some(&DiffRow::Gap));
}

#[test]
fn a_vm_that_is_the_same_or_has_one_side_is_not_compared() {
    assert!(compared(&numbers(9, &[]), &numbers(9, &[])).is_empty());
    let mut vm = VmPlan::new("VirtualMachine", "vms", "web", Change::Removed);
    vm.before = Some(Node::from_json(&json!({"a": 1})));
    assert!(compare(&vm).is_empty());
}
