//! What must hold for every rule of the list.

mod examples;

use std::collections::BTreeSet;

use super::*;
use crate::rule::Family;

#[test]
fn ids_are_unique_kebab_case_and_sorted_by_family() {
    let order: Vec<_> = ALL
        .iter()
        .map(|rule| (rule.info.family, rule.info.id))
        .collect();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert_eq!(order, sorted, "the list is sorted by family, then id");
    let mut ids: Vec<_> = order.iter().map(|(_, id)| *id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), ALL.len(), "ids are unique");
    for id in ids {
        assert!(
            id.chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
                && !id.starts_with("no-"),
            "{id}"
        );
    }
}

#[test]
fn every_page_has_its_headings() {
    for rule in ALL {
        for heading in ["What it does", "Why it matters", "Example"] {
            assert!(
                rule.info
                    .section(heading)
                    .is_some_and(|text| !text.is_empty()),
                "{}: `## {heading}` is missing",
                rule.info.id
            );
        }
        assert!(
            !rule.info.summary.ends_with('.') && !rule.info.summary.is_empty(),
            "{}: summary",
            rule.info.id
        );
    }
}

#[test]
fn the_coverage_table_and_the_rules_name_each_other() {
    let table = include_str!("../../docs/admission-coverage.md");
    let named: BTreeSet<&str> = table
        .lines()
        .scan(false, |is_mirrored, line| {
            if let Some(part) = line.strip_prefix("## ") {
                *is_mirrored = ["Mirrored", "The API server's own checks"].contains(&part);
            }
            Some(line.strip_prefix("### ").filter(|_| *is_mirrored))
        })
        .flatten()
        .flat_map(|ids| ids.split(", "))
        .collect();
    let known = |id: &str| ALL.iter().any(|rule| rule.info.id == id);
    for id in &named {
        assert!(known(id) || *id == "wrong-type", "{id} is no rule");
    }
    for rule in ALL {
        let id = rule.info.id;
        if matches!(
            rule.info.family,
            Family::Admission | Family::Start | Family::Cdi
        ) {
            assert!(named.contains(id), "{id} mirrors nothing in the table");
        }
    }
}
