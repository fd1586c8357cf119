//! The rules' pages as one document, `docs/rules.md`.

use std::fmt::Write as _;

use super::ALL;
use crate::rule::{Family, Level, RuleInfo, Status};

/// The text of `docs/rules.md`.
pub fn markdown() -> String {
    let mut out = String::from(
        "# Rules\n\n\
         Generated from the rules' own pages in `src/rules`; a test keeps it in step. `driftless explain RULE` prints one page.\n\n\
         A level is set in driftless.yaml (`levels: {rule: off}`); `profile: strict` turns everything on. One line is kept\n\
         quiet with `# driftless: ignore[rule] reason` on it or above it, a path with `ignores:` in driftless.yaml.\n",
    );
    for family in Family::ALL {
        let mut rules = ALL
            .iter()
            .map(|rule| &rule.info)
            .filter(|rule| rule.family == family)
            .peekable();
        if rules.peek().is_none() {
            continue;
        }
        let _ = write!(
            out,
            "\n**{}**: {}\n\n| rule | level | |\n|---|---|---|\n",
            family.as_str(),
            family.question()
        );
        for rule in rules {
            let summary = rule.summary.replace('|', "\\|");
            let _ = writeln!(
                out,
                "| [`{0}`](#{0}) | {1} | {summary} |",
                rule.id,
                level(rule)
            );
        }
    }
    for rule in ALL {
        let info = &rule.info;
        let _ = write!(out, "\n## {}\n\n{}", info.id, head(info));
        let _ = write!(out, "\n\n{}\n", page(info));
    }
    out
}

/// The page of one rule as `explain` prints it.
pub fn explanation(rule: &RuleInfo) -> String {
    format!("# {}\n\n{}\n\n{}\n", rule.id, head(rule), rule.page())
}

fn head(rule: &RuleInfo) -> String {
    let since = match rule.status {
        Status::Stable { since } => format!("Since {since}."),
        Status::Preview { since } => format!("Preview since {since}: it may still change."),
    };
    format!("{}. Level: {}. {since}", capital(rule.summary), level(rule))
}

/// The page one level down.
fn page(rule: &RuleInfo) -> String {
    rule.page()
        .replace("\n## ", "\n### ")
        .replacen("## ", "### ", 1)
}

fn level(rule: &RuleInfo) -> String {
    match rule.level {
        Level::Off => format!("off ({} with `profile: strict`)", rule.strict),
        level if level != rule.strict => {
            format!("{level} ({} with `profile: strict`)", rule.strict)
        }
        level => level.to_string(),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first: String = chars
        .next()
        .map(|first| first.to_uppercase().collect())
        .unwrap_or_default();
    first + chars.as_str()
}
