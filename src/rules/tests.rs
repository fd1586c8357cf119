//! What must hold for every rule of the list.

use super::*;

#[test]
fn ids_are_unique_kebab_case_and_sorted_by_family() {
    let order: Vec<_> = ALL
        .iter()
        .map(|rule| (rule.info.family, rule.info.id))
        .collect();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert_eq!(order, sorted, "list.rs is sorted by family, then id");
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
fn every_page_has_its_headings_and_both_examples() {
    for rule in ALL {
        let page = rule.info.page();
        for heading in ["What it does", "Why it matters", "Example", "Limits"] {
            assert!(
                rule.info
                    .section(heading)
                    .is_some_and(|text| !text.is_empty()),
                "{}: `## {heading}` is missing",
                rule.info.id
            );
        }
        for fence in ["```yaml,bad", "```yaml,good"] {
            assert!(page.contains(fence), "{}: {fence} is missing", rule.info.id);
        }
        assert!(
            !rule.info.summary.ends_with('.') && !rule.info.summary.is_empty(),
            "{}: summary",
            rule.info.id
        );
    }
}
