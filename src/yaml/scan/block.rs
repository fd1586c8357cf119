//! Literal and folded scalars: a header, then every line that is indented enough.

use std::borrow::Cow;

use super::{Scanned, Scanner, Style};
use crate::yaml::problem::YamlProblem;

/// What becomes of the line breaks at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tail {
    Clip,
    Strip,
    Keep,
}

/// What is between two lines of text: empty lines, and the indentation of the next.
#[derive(Default)]
struct Gap {
    breaks: String,
    /// Where the last empty line ends, its break aside.
    end: Option<usize>,
    /// The deepest indentation seen.
    deepest: i64,
}

/// The value, put together a line at a time.
struct Body {
    folded: bool,
    text: String,
    /// The break after the last line: a space or nothing once a line follows that it folds with.
    pending: Option<char>,
    /// Whether the last line began with a blank: such lines are not folded.
    was_spaced: bool,
}

impl Body {
    fn line(&mut self, gap: &Gap, line: &str, ended_by: Option<char>) {
        let is_spaced = line.starts_with([' ', '\t']);
        let folds = self.folded && !is_spaced && !self.was_spaced && self.pending == Some('\n');
        if !folds {
            self.text.extend(self.pending);
        } else if gap.breaks.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(&gap.breaks);
        self.text.push_str(line);
        self.pending = ended_by;
        self.was_spaced = is_spaced;
    }

    fn finish(mut self, gap: &Gap, tail: Tail) -> String {
        if tail != Tail::Strip {
            self.text.extend(self.pending);
        }
        if tail == Tail::Keep {
            self.text.push_str(&gap.breaks);
        }
        self.text
    }
}

impl Scanner<'_> {
    /// `|` or `>`.
    pub(super) fn block_scalar(&mut self, folded: bool) -> Scanned {
        self.drop_candidate()?;
        self.key_allowed = true;
        let start = self.mark.pos;
        let (tail, deeper) = self.block_header()?;
        let mut end = self.mark.pos;
        self.skip_break();
        let given = deeper.map(|deeper| self.indent.max(0) + deeper);
        let mut gap = self.gap(given.unwrap_or(i64::MAX))?;
        let indent = given.unwrap_or_else(|| gap.deepest.max(self.indent + 1).max(1));
        let mut body = Body {
            folded,
            text: String::new(),
            pending: None,
            was_spaced: false,
        };
        while self.mark.column == indent && self.mark.pos < self.bytes.len() {
            let line = self.mark.pos;
            end = self.line_end();
            self.advance(end);
            let ended_by = (self.break_len(end) > 0).then(|| self.read_break());
            body.line(&gap, &self.text[line..end], ended_by);
            gap = self.gap(indent)?;
        }
        if self.mark.pos >= self.bytes.len() {
            self.touched_end.set(true);
        }
        if tail == Tail::Keep {
            end = gap.end.unwrap_or(end);
        }
        let text = Cow::Owned(body.finish(&gap, tail));
        self.push_scalar(text, Style::Block, start, end);
        Ok(())
    }

    /// The indicator, what becomes of the breaks at the end, and how much deeper the text is than what holds it, in
    /// either order; then blanks and a comment.
    fn block_header(&mut self) -> Scanned<(Tail, Option<i64>)> {
        let (mut tail, mut deeper) = (None, None);
        let mut at = self.mark.pos + 1;
        loop {
            match self.at(at) {
                b'+' if tail.is_none() => tail = Some(Tail::Keep),
                b'-' if tail.is_none() => tail = Some(Tail::Strip),
                b'0' if deeper.is_none() => {
                    return self.fault(at, YamlProblem::IndentOfZero);
                }
                digit @ b'1'..=b'9' if deeper.is_none() => deeper = Some(i64::from(digit - b'0')),
                _ => break,
            }
            at += 1;
        }
        self.advance(at);
        self.skip_blanks();
        self.skip_comment();
        if !self.is_breakz(self.mark.pos) {
            return self.fault(self.mark.pos, YamlProblem::TextAfterHeader);
        }
        Ok((tail.unwrap_or(Tail::Clip), deeper))
    }

    /// Passes over empty lines and the next line's spaces, `limit` columns of them at most.
    fn gap(&mut self, limit: i64) -> Scanned<Gap> {
        let mut gap = Gap::default();
        loop {
            let room = usize::try_from(limit.saturating_sub(self.mark.column)).unwrap_or(0);
            let rest = self.bytes[self.mark.pos..].iter().take(room);
            let spaces = rest.take_while(|byte| **byte == b' ').count();
            self.advance(self.mark.pos + spaces);
            gap.deepest = gap.deepest.max(self.mark.column);
            let at = self.mark.pos;
            if self.at(at) == b'\t' && self.mark.column < limit {
                return self.fault(at, YamlProblem::TabInIndentation);
            }
            if self.break_len(at) == 0 {
                return Ok(gap);
            }
            gap.end = Some(at);
            gap.breaks.push(self.read_break());
        }
    }
}
