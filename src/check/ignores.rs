//! What is kept quiet: `# driftless: ignore[rule] reason` in a source, and `ignores:` in the configuration.

use std::collections::BTreeSet;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::{default_level, settle};
use crate::catalog::side::Side;
use crate::config::{Config, did_you_mean};
use crate::finding::{Finding, Location};
use crate::rule::Level;
use crate::rules;
use crate::rules::input::unused_ignore;
use crate::source::{FileId, Sources, Span};

/// One `# driftless: ignore[…]` comment.
#[derive(Debug, PartialEq, Eq)]
struct IgnoreComment {
    rules: Vec<String>,
    reason: String,
}

/// Takes out what is ignored, adds `unused-ignore` where a comment hits nothing, and says how many were taken out.
pub(super) fn apply(
    findings: &mut Vec<Finding>,
    sources: &Sources,
    side: &Side,
    config: &Config,
    reported: &BTreeSet<FileId>,
) -> usize {
    let paths = Paths::new(config);
    let before = findings.len();
    findings.retain(|finding| {
        let path = finding.primary.file.map(|file| sources.file(file).path());
        !path.is_some_and(|path| paths.ignore(&config.relative(path), finding.rule.id))
    });
    let mut taken = before - findings.len();
    let mut unused = Vec::new();
    let documents = side.files.iter().flat_map(|file| &file.documents);
    for (span, document) in documents.flat_map(|document| {
        document
            .comments
            .iter()
            .map(move |span| (span, document.index))
    }) {
        if !reported.contains(&span.file) {
            continue;
        }
        let bytes = &sources.file(span.file).bytes()[span.range()];
        let Some(comment) = parse(&String::from_utf8_lossy(bytes)) else {
            continue;
        };
        let before = findings.len();
        let said = match comment {
            Err(said) => Some(said.to_owned()),
            Ok(comment) => {
                let line = target_line(sources, *span);
                let mut quiet = vec![0_usize; comment.rules.len()];
                findings.retain(|finding| {
                    let rule = comment
                        .rules
                        .iter()
                        .position(|rule| rule == finding.rule.id);
                    match rule {
                        Some(rule) if stands_on(finding, *span, line, sources) => {
                            quiet[rule] += 1;
                            false
                        }
                        _ => true,
                    }
                });
                unused_rule(&comment, &quiet, config)
            }
        };
        taken += before - findings.len();
        if let Some(said) = said {
            let mut finding = Finding::new(
                &unused_ignore::RULE.info,
                Location::span(*span, document),
                said,
            );
            if settle(&mut finding, config) {
                unused.push(finding);
            }
        }
    }
    findings.extend(unused);
    taken
}

/// What to say about the first rule of a comment that kept nothing quiet.
fn unused_rule(comment: &IgnoreComment, quiet: &[usize], config: &Config) -> Option<String> {
    let (id, _) = comment
        .rules
        .iter()
        .zip(quiet)
        .find(|(_, hits)| **hits == 0)?;
    match rules::find(id) {
        Some(rule) if default_level(&rule.info, config) == Level::Off => None,
        Some(_) => Some(format!("nothing here to ignore for `{id}`")),
        None => Some(match did_you_mean(id, rules::ids()) {
            Some(meant) => format!("there is no rule `{id}`; did you mean `{meant}`?"),
            None => format!("there is no rule `{id}`"),
        }),
    }
}

/// Reads a comment; `None` where it is not for us, an error where it is and cannot be used.
fn parse(text: &str) -> Option<Result<IgnoreComment, &'static str>> {
    let text = text.trim_start_matches('#').trim();
    let rest = text.strip_prefix("driftless:")?.trim_start();
    let parsed = rest
        .strip_prefix("ignore[")
        .and_then(|rest| rest.split_once(']'))
        .map(|(rules, reason)| IgnoreComment {
            rules: rules
                .split(',')
                .map(|rule| rule.trim().to_owned())
                .filter(|rule| !rule.is_empty())
                .collect(),
            reason: reason
                .trim()
                .trim_start_matches([':', '-'])
                .trim()
                .to_owned(),
        });
    Some(match parsed {
        None => Err("write `# driftless: ignore[rule] reason`"),
        Some(comment) if comment.rules.is_empty() => {
            Err("name the rule: `# driftless: ignore[rule] reason`")
        }
        Some(comment) if comment.reason.is_empty() => {
            Err("say why: `# driftless: ignore[rule] reason`; without a reason nothing is ignored")
        }
        Some(comment) => Ok(comment),
    })
}

/// The line a comment speaks of: its own, or the next one with content where it stands alone.
fn target_line(sources: &Sources, comment: Span) -> u32 {
    let file = sources.file(comment.file);
    let own = file.position(comment.start);
    let before = &file.bytes()[..comment.start as usize];
    let line_start = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    if !before[line_start..].iter().all(u8::is_ascii_whitespace) {
        return own.line;
    }
    let after = &file.bytes()[comment.end as usize..];
    let mut line = own.line;
    for text in after.split(|byte| *byte == b'\n').skip(1) {
        line += 1;
        let text = text.trim_ascii();
        if !text.is_empty() && !text.starts_with(b"#") {
            break;
        }
    }
    line
}

fn stands_on(finding: &Finding, comment: Span, line: u32, sources: &Sources) -> bool {
    let Some(span) = finding
        .primary
        .span
        .filter(|span| span.file == comment.file)
    else {
        return false;
    };
    let file = sources.file(span.file);
    file.position(span.start).line <= line && line <= file.position(span.end).line
}

/// The globs of `ignores:`, compiled.
struct Paths<'a> {
    entries: Vec<(GlobSet, Vec<&'a str>)>,
}

impl<'a> Paths<'a> {
    fn new(config: &'a Config) -> Self {
        let entries = config
            .ignores
            .iter()
            .map(|ignore| {
                let mut set = GlobSetBuilder::new();
                for path in &ignore.paths {
                    let path = path.trim_start_matches("./").trim_end_matches('/');
                    for glob in [path.to_owned(), format!("{path}/**")] {
                        if let Ok(glob) = GlobBuilder::new(&glob).literal_separator(true).build() {
                            set.add(glob);
                        }
                    }
                }
                let rules = ignore.rules.iter().map(|rule| rule.text.as_str()).collect();
                (set.build().unwrap_or_default(), rules)
            })
            .collect();
        Self { entries }
    }

    fn ignore(&self, path: &str, rule: &str) -> bool {
        self.entries
            .iter()
            .any(|(set, rules)| (rules.is_empty() || rules.contains(&rule)) && set.is_match(path))
    }
}

#[cfg(test)]
mod tests;
