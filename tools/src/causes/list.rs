//! The list of causes in `docs/admission-coverage.md`. The headings, which say the rule or the reason, are written by
//! hand; the rows under them are held to the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context as _, bail};

use super::Cause;
use crate::ranges::ranges;
use crate::release::Release;

/// The heading that new causes are put under, until somebody puts them where they belong.
const NEW: &str = "### New: to be put under a rule or a reason";

/// The section whose end they are put at.
const SECTION: &str = "## Not mirrored";

/// The list, line by line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    lines: Vec<Line>,
    releases: BTreeMap<Cause, BTreeSet<Release>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Line {
    Text(String),
    /// The row, or the rows, of a cause.
    Row(Cause),
}

/// The heading of the part of the document that is about CDI's webhooks.
const CDI: &str = "\n# What CDI's webhooks can refuse";

/// The parts of the document: KubeVirt's causes, and CDI's.
pub fn parts(text: &str) -> (&str, &str) {
    text.split_at(text.find(CDI).map_or(text.len(), |at| at + 1))
}

impl List {
    /// Reads the list.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let mut list = Self::default();
        for line in text.lines() {
            let Some((releases, cause)) = row(line)? else {
                list.lines.push(Line::Text(line.to_owned()));
                continue;
            };
            // A cause that went and came back has a row a range.
            let of = list.releases.entry(cause.clone()).or_default();
            if of.is_empty() {
                list.lines.push(Line::Row(cause));
            } else if list.lines.last() != Some(&Line::Row(cause)) {
                bail!("two rows are of one cause: {line}");
            }
            of.extend(releases);
        }
        Ok(list)
    }

    /// The oldest release that the list says anything of.
    pub fn oldest(&self) -> Option<Release> {
        self.releases.values().flatten().min().copied()
    }

    /// Puts the causes of a release in the place of what the list says of it, and says what that changes.
    pub fn replace(&mut self, release: Release, causes: &BTreeSet<Cause>) -> Vec<String> {
        let mut differences = Vec::new();
        for (cause, releases) in &mut self.releases {
            if causes.contains(cause) {
                if releases.insert(release) {
                    differences.push(format!("{release} has it too: {cause}"));
                }
            } else if releases.remove(&release) {
                differences.push(format!("{release} does not have it: {cause}"));
            }
        }
        self.releases.retain(|_, releases| !releases.is_empty());
        let known = &self.releases;
        self.lines.retain(|line| match line {
            Line::Row(cause) => known.contains_key(cause),
            Line::Text(_) => true,
        });
        let new: Vec<_> = causes
            .iter()
            .filter(|cause| !self.releases.contains_key(*cause))
            .cloned()
            .collect();
        for cause in &new {
            differences.push(format!("{release} has it new: {cause}"));
            self.releases.insert(cause.clone(), [release].into());
        }
        self.append(new);
        differences
    }

    fn append(&mut self, causes: Vec<Cause>) {
        if causes.is_empty() {
            return;
        }
        let is = |line: &Line, text: &str| matches!(line, Line::Text(known) if known == text);
        let heading = self.lines.iter().position(|line| is(line, NEW));
        let at = heading.unwrap_or_else(|| {
            let section = self.lines.iter().position(|line| is(line, SECTION));
            let after = section.map_or(self.lines.len(), |at| at + 1);
            let rest = &self.lines[after..];
            let next = rest
                .iter()
                .position(|line| matches!(line, Line::Text(text) if text.starts_with("## ")));
            let at = next.map_or(self.lines.len(), |next| after + next);
            let table = [NEW, "", "| releases | where | words |", "|---|---|---|", ""];
            let table = table.map(|line| Line::Text(line.to_owned()));
            self.lines.splice(at..at, table);
            at
        });
        // After the heading, an empty line, and the table's own heading.
        let rows = self.lines[at + 4..]
            .iter()
            .take_while(|line| matches!(line, Line::Row(_)))
            .count();
        let at = at + 4 + rows;
        self.lines.splice(at..at, causes.into_iter().map(Line::Row));
    }

    /// The list as Markdown.
    pub fn write(&self) -> String {
        let mut out = String::new();
        for line in &self.lines {
            match line {
                Line::Text(text) => {
                    out.push_str(text);
                    out.push('\n');
                }
                Line::Row(cause) => {
                    let releases = self.releases.get(cause).into_iter().flatten();
                    for (range, ()) in ranges(releases.map(|release| (*release, ()))) {
                        let _ = writeln!(out, "| {range} | {cause} |");
                    }
                }
            }
        }
        out
    }
}

/// A row of a table of causes: its releases and its cause.
fn row(line: &str) -> anyhow::Result<Option<(Vec<Release>, Cause)>> {
    let Some(rest) = line.strip_prefix("| ") else {
        return Ok(None);
    };
    if !rest.starts_with(|first: char| first.is_ascii_digit()) {
        return Ok(None);
    }
    let wrong = || format!("this row is not `| releases | `file` `function` | `words` |`: {line}");
    let (releases, rest) = rest.split_once(" | ").with_context(wrong)?;
    let (place, words) = rest.split_once(" | ").with_context(wrong)?;
    let words = words.strip_suffix(" |").with_context(wrong)?;
    let (file, function) = place
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'))
        .and_then(|rest| rest.split_once("` `"))
        .with_context(wrong)?;
    let cause = Cause {
        file: file.to_owned(),
        function: function.to_owned(),
        words: uncode(words).with_context(wrong)?,
    };
    let (first, last) = releases.split_once('–').unwrap_or((releases, releases));
    let (first, last): (Release, Release) = (first.parse()?, last.parse()?);
    Ok(Some((first.through(last).collect(), cause)))
}

/// Text as code in a cell of a table.
fn code(text: &str) -> String {
    let text = text.replace('\n', "\\n").replace('|', "\\|");
    if text.contains('`') {
        format!("`` {text} ``")
    } else {
        format!("`{text}`")
    }
}

/// The text of code in a cell.
fn uncode(cell: &str) -> Option<String> {
    let inner = cell
        .strip_prefix("`` ")
        .and_then(|rest| rest.strip_suffix(" ``"))
        .or_else(|| cell.strip_prefix('`')?.strip_suffix('`'))?;
    Some(inner.replace("\\|", "|").replace("\\n", "\n"))
}

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words = code(&self.words);
        write!(f, "`{}` `{}` | {words}", self.file, self.function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Causes\n\n## Mirrored\n\n### a-rule\n\n| releases | where | words |\n|---|---|---|\n\
        | 1.5–1.6 | `a.go` `check` | `%s is wrong` |\n| 1.6 | `a.go` `check` | `` use `x` \\| `y` `` |\n\n\
        ## Not mirrored\n\n### A reason\n\n| releases | where | words |\n|---|---|---|\n| 1.5 | `b.go` `look` | `gone` |\n\n\
        ## Beside\n\n- text\n";

    fn cause(file: &str, function: &str, words: &str) -> Cause {
        Cause {
            file: file.to_owned(),
            function: function.to_owned(),
            words: words.to_owned(),
        }
    }

    fn release(text: &str) -> Release {
        text.parse().unwrap()
    }

    #[test]
    fn a_list_is_written_as_it_was_read() {
        let list = List::parse(TEXT).unwrap();
        assert_eq!(list.write(), TEXT);
        assert_eq!(list.oldest(), Some(release("1.5")));
        let known = cause("a.go", "check", "use `x` | `y`");
        assert_eq!(list.releases[&known].len(), 1);
    }

    #[test]
    fn a_release_lengthens_shortens_and_adds_rows() {
        let mut list = List::parse(TEXT).unwrap();
        let new = cause("c.go", "check", "new\nline");
        let causes = [cause("a.go", "check", "%s is wrong"), new.clone()].into();
        let said = list.replace(release("1.7"), &causes);
        assert_eq!(
            said,
            [
                "1.7 has it too: `a.go` `check` | `%s is wrong`",
                "1.7 has it new: `c.go` `check` | `new\\nline`"
            ]
        );
        let text = list.write();
        assert!(text.contains("| 1.5–1.7 | `a.go` `check` | `%s is wrong` |\n"));
        let expected = format!(
            "| 1.5 | `b.go` `look` | `gone` |\n\n{NEW}\n\n| releases | where | words |\n|---|---|---|\n\
             | 1.7 | `c.go` `check` | `new\\nline` |\n\n## Beside\n"
        );
        assert!(text.contains(&expected), "{text}");
        // Once there, nothing more changes, and another new one joins it.
        assert!(list.replace(release("1.7"), &causes).is_empty());
        let more = [new, cause("d.go", "check", "more")].into();
        list.replace(release("1.8"), &more);
        let text = list.write();
        let expected = "| 1.7–1.8 | `c.go` `check` | `new\\nline` |\n| 1.8 | `d.go` `check` | `more` |\n\n## Beside\n";
        assert!(text.contains(expected), "{text}");
        assert_eq!(List::parse(&text).unwrap(), list);
    }

    #[test]
    fn a_cause_that_no_release_has_loses_its_row() {
        let mut list = List::parse(TEXT).unwrap();
        let said = list.replace(
            release("1.5"),
            &[cause("a.go", "check", "%s is wrong")].into(),
        );
        assert_eq!(said, ["1.5 does not have it: `b.go` `look` | `gone`"]);
        assert!(!list.write().contains("gone"));
    }

    #[test]
    fn a_cause_that_comes_back_has_two_rows() {
        let mut list = List::parse(TEXT).unwrap();
        list.replace(release("1.7"), &BTreeSet::new());
        list.replace(
            release("1.8"),
            &[cause("a.go", "check", "%s is wrong")].into(),
        );
        let text = list.write();
        assert!(
            text.contains("| 1.5–1.6 | `a.go` `check` | `%s is wrong` |\n| 1.8 | `a.go` `check` |")
        );
        assert_eq!(List::parse(&text).unwrap(), list);
    }

    #[test]
    fn a_row_that_is_none_is_an_error() {
        let text = TEXT.replace("`b.go` `look`", "b.go look");
        let error = List::parse(&text).unwrap_err().to_string();
        assert!(error.contains("b.go look"), "{error}");
        let twice = TEXT.replace("`b.go` `look` | `gone`", "`a.go` `check` | `%s is wrong`");
        assert!(List::parse(&twice).is_err());
    }
}
