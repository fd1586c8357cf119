//! For people: each finding with the line it is about, repeats folded into a count, 80 columns.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Report, subject};
use crate::finding::{Applicability, Finding, Location};
use crate::rule::Severity;
use crate::shown::{self, source};

/// How text is laid out.
#[derive(Clone, Copy, Debug)]
pub struct TextLayout {
    /// ANSI colors.
    pub color: bool,
    /// Columns to fit.
    pub width: usize,
    /// Whether repeats are folded.
    pub fold: bool,
    /// Whether the page of each rule that was hit is added.
    pub explain: bool,
}

impl Default for TextLayout {
    fn default() -> Self {
        Self {
            color: false,
            width: 80,
            fold: true,
            explain: false,
        }
    }
}

/// Findings of one rule shown in full for one file.
const PER_FILE: usize = 3;
/// Places shown that explain a finding.
const RELATED: usize = 5;
/// Findings of one rule shown in full.
const PER_RULE: usize = 10;

pub(super) fn write(report: &Report<'_>, text: TextLayout) -> String {
    let mut out = FindingsWriter {
        text,
        out: String::new(),
    };
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    let mut shown_in_file: BTreeMap<(&str, String), usize> = BTreeMap::new();
    let mut folded: BTreeMap<(&str, Severity), Folded> = BTreeMap::new();
    for finding in report.findings {
        let path = report.path(&finding.primary);
        let of_rule = shown.entry(finding.rule.id).or_default();
        let in_file = shown_in_file
            .entry((finding.rule.id, path.clone()))
            .or_default();
        if text.fold && (*of_rule >= PER_RULE || *in_file >= PER_FILE) {
            let folded = folded
                .entry((finding.rule.id, finding.severity))
                .or_default();
            folded.count += 1;
            *folded.files.entry(path).or_default() += 1;
            continue;
        }
        *of_rule += 1;
        *in_file += 1;
        out.finding(report, finding, &path);
    }
    out.folded(&folded);
    if text.explain {
        out.pages(report);
    }
    out.summary(report);
    out.out
}

/// Findings that are only counted.
#[derive(Debug, Default)]
struct Folded {
    count: usize,
    files: BTreeMap<String, usize>,
}

struct FindingsWriter {
    text: TextLayout,
    out: String,
}

impl FindingsWriter {
    fn finding(&mut self, report: &Report<'_>, finding: &Finding, path: &str) {
        let severity = finding.severity;
        let head = format!("{severity}[{}]", finding.rule.id);
        let mut first = true;
        for line in wrap(
            &format!("{head}: {}", shown::line(&finding.message)),
            self.text.width,
            4,
        ) {
            if first {
                let rest = line.strip_prefix(&head).unwrap_or_default();
                let painted = self.paint(&head, color(severity));
                let _ = writeln!(self.out, "{painted}{rest}");
            } else {
                let _ = writeln!(self.out, "{line}");
            }
            first = false;
        }
        let (start, _) = report.positions(&finding.primary);
        let margin = " ".repeat(start.line.to_string().len());
        let arrow = self.paint("-->", BLUE);
        let place = if path.is_empty() {
            String::new()
        } else {
            format!(" {path}:{}:{}", start.line, start.column)
        };
        let about = match (subject(finding), &finding.field) {
            (Some(subject), Some(field)) => {
                format!("{subject}, {}", shown::line(&field.to_string()))
            }
            (Some(subject), None) => subject,
            (None, _) => String::new(),
        };
        let _ = writeln!(self.out, "{margin}{arrow}{place}");
        self.excerpt(report, finding, &margin);
        if !about.is_empty() {
            self.remark(&margin, "in", &about);
        }
        if let Some(cause) = &finding.kubevirt {
            let speaker = finding.rule.family.speaker();
            self.remark(&margin, speaker, &shown::line(&cause.message));
        }
        if let Some(help) = &finding.help {
            self.remark(&margin, "help", &shown::line(help));
        }
        for location in finding.related.iter().take(RELATED) {
            let place = report.path(location);
            let (at, _) = report.positions(location);
            let note = shown::line(&location.note);
            let text = if place.is_empty() {
                note
            } else {
                format!("{place}:{}:{}: {note}", at.line, at.column)
            };
            self.remark(&margin, "see", &text);
        }
        let more = finding.related.len().saturating_sub(RELATED);
        if more > 0 {
            self.remark(&margin, "see", &format!("{more} more places"));
        }
        self.out.push('\n');
    }

    /// The source line with what is wrong underlined. What may be a secret is cut off.
    fn excerpt(&mut self, report: &Report<'_>, finding: &Finding, margin: &str) {
        let Some(line) = excerpt(report, finding, &finding.primary) else {
            return;
        };
        let room = self.text.width.saturating_sub(margin.len() + 4).max(20);
        let chars: Vec<char> = line.text.chars().collect();
        let skip = if line.end <= room {
            0
        } else {
            line.start.saturating_sub(8).min(chars.len())
        };
        let mut shown: String = chars[skip..].iter().collect();
        let mut from = line.start - skip.min(line.start);
        if skip > 0 {
            shown.insert(0, '…');
            from += 1;
        }
        if shown.chars().count() > room {
            shown = shown.chars().take(room - 1).collect::<String>() + "…";
        }
        let from = from.min(room - 1);
        let length = (line.end.saturating_sub(line.start)).clamp(1, room - from);
        let bar = self.paint("|", BLUE);
        let number = self.paint(&line.number.to_string(), BLUE);
        let carets = self.paint(&"^".repeat(length), color(finding.severity));
        let _ = writeln!(self.out, "{margin} {bar}");
        let _ = writeln!(self.out, "{number} {bar} {shown}");
        let _ = writeln!(self.out, "{margin} {bar} {}{carets}", " ".repeat(from));
    }

    fn remark(&mut self, margin: &str, title: &str, text: &str) {
        let equals = self.paint("=", BLUE);
        let indent = margin.len() + 3 + title.len() + 2;
        let width = self.text.width.saturating_sub(indent).max(30);
        for (at, line) in wrap(text, width, 0).into_iter().enumerate() {
            if at == 0 {
                let _ = writeln!(self.out, "{margin} {equals} {title}: {line}");
            } else {
                let _ = writeln!(self.out, "{}{line}", " ".repeat(indent));
            }
        }
    }

    fn folded(&mut self, folded: &BTreeMap<(&str, Severity), Folded>) {
        if folded.is_empty() {
            return;
        }
        let mut rows: Vec<_> = folded.iter().collect();
        rows.sort_by_key(|((rule, severity), folded)| {
            (
                std::cmp::Reverse(*severity),
                std::cmp::Reverse(folded.count),
                *rule,
            )
        });
        let _ = writeln!(self.out, "and more of the same (-v shows all):");
        for ((rule, severity), folded) in rows {
            let where_ = match folded.files.len() {
                1 => folded.files.keys().next().cloned().unwrap_or_default(),
                many => format!("{many} files"),
            };
            let head = self.paint(&format!("{severity}[{rule}]"), color(*severity));
            let line = format!(": {} more in {where_}", folded.count);
            let _ = writeln!(self.out, "  {head}{line}");
        }
        self.out.push('\n');
    }

    fn pages(&mut self, report: &Report<'_>) {
        let mut rules: Vec<_> = report.findings.iter().map(|finding| finding.rule).collect();
        rules.sort_by_key(|rule| rule.id);
        rules.dedup();
        for rule in rules {
            let title = self.paint(rule.id, BOLD);
            let _ = writeln!(self.out, "{title}: {}\n\n{}\n", rule.summary, rule.page());
        }
    }

    fn summary(&mut self, report: &Report<'_>) {
        let summary = report.summary;
        let counted = |count: usize, one: &str, many: &str| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {many}"),
        };
        let files = counted(summary.files, "file", "files");
        let vms = counted(
            summary.virtual_machines,
            "virtual machine",
            "virtual machines",
        );
        let mut parts = Vec::new();
        for (count, one, many) in [
            (summary.errors, "error", "errors"),
            (summary.warnings, "warning", "warnings"),
            (summary.notes, "note", "notes"),
        ] {
            if count > 0 {
                parts.push(counted(count, one, many));
            }
        }
        let found = if parts.is_empty() {
            "nothing found".to_owned()
        } else {
            parts.join(", ")
        };
        let rest = format!(
            " in {files} with {vms}, judged as KubeVirt {}{}",
            report.kubevirt,
            match report.openshift {
                "" => String::new(),
                openshift => format!(" (OpenShift {openshift})"),
            }
        );
        let lines = wrap(&format!("{found}{rest}"), self.text.width, 2);
        for (at, line) in lines.iter().enumerate() {
            match line.strip_prefix(&found).filter(|_| at == 0) {
                Some(rest) => {
                    let found = self.paint(&found, BOLD);
                    let _ = writeln!(self.out, "{found}{rest}");
                }
                None => {
                    let _ = writeln!(self.out, "{line}");
                }
            }
        }
        let can_be_mended = |finding: &&Finding| {
            let fix = finding.fix.as_ref();
            fix.is_some_and(|fix| fix.applicability == Applicability::Safe)
        };
        let mended = report.findings.iter().filter(can_be_mended).count();
        if mended > 0 {
            let _ = writeln!(self.out, "`driftless fix` mends {mended} of them");
        }
        if summary.suppressed > 0 {
            let _ = writeln!(
                self.out,
                "{} ignored",
                counted(summary.suppressed, "finding", "findings")
            );
        }
        if summary.not_judged > 0 {
            let _ = writeln!(
                self.out,
                "{} not judged: nothing is known of the kind",
                counted(summary.not_judged, "object", "objects")
            );
        }
        if !summary.skipped.is_empty() {
            let _ = writeln!(
                self.out,
                "{} left out",
                counted(
                    summary.skipped.len(),
                    "file or document",
                    "files or documents"
                )
            );
        }
        for assumption in report.assumptions {
            for line in wrap(&shown::line(assumption), self.text.width, 2) {
                let _ = writeln!(self.out, "{line}");
            }
        }
    }

    fn paint(&self, text: &str, color: &str) -> String {
        if self.text.color {
            format!("{color}{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}

const BOLD: &str = "\u{1b}[1m";
const BLUE: &str = "\u{1b}[1;34m";

const fn color(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "\u{1b}[1;31m",
        Severity::Warning => "\u{1b}[1;33m",
        Severity::Note => "\u{1b}[1;36m",
    }
}

/// A source line with the characters to underline.
struct Excerpt {
    number: u32,
    text: String,
    start: usize,
    end: usize,
}

fn excerpt(report: &Report<'_>, finding: &Finding, location: &Location) -> Option<Excerpt> {
    let span = location.span?;
    let file = report.sources.file(span.file);
    let (start, end) = (file.position(span.start), file.position(span.end));
    let raw = file.line(start.line);
    let from = start.column.saturating_sub(1) as usize;
    let to = if end.line == start.line {
        end.column.saturating_sub(1) as usize
    } else {
        raw.chars().count()
    };
    let unreadable = matches!(
        finding.rule.id,
        "invalid-yaml" | "not-utf8" | "templated-file"
    );
    let (text, from, to) = if unreadable {
        (source::broken_source(&raw), from, to)
    } else {
        source::around(&raw, from, to, location.is_key)
    };
    let length = text.chars().count();
    let first = from.min(length.saturating_sub(1));
    Some(Excerpt {
        number: start.line,
        start: first,
        end: to.min(length).max(first + 1),
        text,
    })
}

/// Lines of at most `width` characters, broken at spaces; lines after the first are indented.
pub(super) fn wrap(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        let word_length = word.chars().count();
        let starts = line.trim_start().is_empty();
        if !starts && length + 1 + word_length > width {
            lines.push(std::mem::take(&mut line));
            line.push_str(&" ".repeat(indent));
            length = indent;
        } else if !starts {
            line.push(' ');
            length += 1;
        }
        line.push_str(word);
        length += word_length;
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_wrapped_at_spaces() {
        assert_eq!(wrap("one two three", 8, 2), ["one two", "  three"]);
        assert_eq!(wrap("", 8, 2), [""]);
        assert_eq!(wrap("incomprehensible", 8, 0), ["incomprehensible"]);
    }
}
