//! How the items of two lists are paired, without any text.

use serde_json::{Value as Json, json};

use super::{EditPlan, sequence};
use crate::source::FileId;
use crate::yaml::{Node, parse};

/// Three items with places in a source.
fn old() -> Vec<Node> {
    let text = b"- {name: a, n: 1}\n- {name: b, n: 2}\n- {name: c, n: 3}\n";
    let document = parse(FileId(0), text)
        .documents
        .pop()
        .expect("one document");
    document.expect("sound YAML").root.items().to_vec()
}

fn fresh(value: &Json) -> Node {
    Node::from_json(value)
}

/// Where the old items go, and which new ones follow which old one.
type Paired = (Vec<Option<usize>>, Vec<(Option<usize>, usize)>);

fn paired(new: &[Node]) -> Paired {
    let plan = sequence(&old(), new).expect("the order stays");
    (plan.kept, plan.inserted)
}

#[test]
fn items_of_the_source_stay_and_new_ones_follow_their_neighbours() {
    let was = old();
    let item = |at: usize| was[at].clone();
    let new = || fresh(&json!("new"));
    assert_eq!(paired(&was), (vec![Some(0), Some(1), Some(2)], vec![]));
    assert_eq!(
        paired(&[new(), item(0), new(), item(1), item(2), new()]),
        (
            vec![Some(1), Some(3), Some(4)],
            vec![(None, 0), (Some(0), 2), (Some(2), 5)]
        )
    );
    assert_eq!(
        paired(&[item(0), item(2)]),
        (vec![Some(0), None, Some(1)], vec![]),
        "the one between is removed"
    );
}

#[test]
fn another_order_is_no_edit() {
    let (a, b) = (old()[0].clone(), old()[1].clone());
    assert!(sequence(&old(), &[b.clone(), a.clone()]).is_none());
    assert!(
        sequence(&old(), &[a.clone(), a]).is_none(),
        "one item twice"
    );
    assert!(
        sequence(&old(), &[b.clone(), b]).is_none(),
        "one item twice"
    );
}

#[test]
fn items_without_a_place_are_paired_by_value_then_by_name() {
    let b = fresh(&json!({"name": "b", "n": 2}));
    assert_eq!(
        paired(std::slice::from_ref(&b)),
        (vec![None, Some(0), None], vec![])
    );
    let named = fresh(&json!({"name": "c", "n": 9}));
    assert_eq!(paired(&[b, named]), (vec![None, Some(0), Some(1)], vec![]));
    let nameless = fresh(&json!({"n": 9}));
    assert_eq!(
        paired(&[nameless]),
        (vec![None, None, None], vec![(None, 0)]),
        "three old ones and one new one are no pair"
    );
}

#[test]
fn as_many_new_items_as_old_ones_in_a_gap_are_the_old_ones_changed() {
    let (a, c) = (old()[0].clone(), old()[2].clone());
    let (x, y) = (fresh(&json!("x")), fresh(&json!("y")));
    assert_eq!(
        paired(&[a.clone(), x.clone(), c.clone()]),
        (vec![Some(0), Some(1), Some(2)], vec![])
    );
    assert_eq!(
        paired(&[x.clone(), y.clone(), c.clone()]),
        (vec![Some(0), Some(1), Some(2)], vec![])
    );
    assert_eq!(
        paired(&[a, x, y, c]),
        (
            vec![Some(0), None, Some(3)],
            vec![(Some(0), 1), (Some(0), 2)]
        )
    );
}

#[test]
fn parts_that_go_are_taken_out_in_runs() {
    let removed = |kept: &[bool]| {
        let kept = kept.iter().map(|stays| stays.then_some(0)).collect();
        EditPlan {
            kept,
            inserted: Vec::new(),
        }
        .removed()
    };
    assert_eq!(removed(&[true, true]), []);
    assert_eq!(removed(&[false, true, false]), [(0, 0), (2, 2)]);
    assert_eq!(
        removed(&[true, false, false, true, false]),
        [(1, 2), (4, 4)]
    );
    assert_eq!(removed(&[false, false, false]), [(0, 2)]);
}
