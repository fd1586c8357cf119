//! The table of every cause the webhooks can construct names the rules that exist, and all of them.

use std::collections::BTreeSet;

use crate::rule::Family;
use crate::rules::ALL;

#[test]
fn the_coverage_table_and_the_rules_name_each_other() {
    let table = include_str!("../../../docs/admission-coverage.md");
    let named: BTreeSet<&str> = table
        .lines()
        .skip_while(|line| *line != "## Mirrored")
        .take_while(|line| *line != "## Not mirrored")
        .filter_map(|line| line.strip_prefix("### "))
        .flat_map(|ids| ids.split(", "))
        .collect();
    let known = |id: &str| ALL.iter().any(|rule| rule.info.id == id);
    for id in &named {
        assert!(known(id) || *id == "wrong-type", "{id} is no rule");
    }
    for rule in ALL {
        let id = rule.info.id;
        if rule.info.family == Family::Admission {
            assert!(named.contains(id), "{id} mirrors nothing in the table");
        }
    }
}
