//! Lines of a document: where they start and end, what is on them, and which entry each comment belongs to.

use super::rewrite::Rewriter;

impl Rewriter<'_> {
    /// Where the line of `at` starts; a byte order mark is no part of it.
    pub(super) fn line_start(&self, at: usize) -> usize {
        self.bytes[self.start..at]
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(self.start, |newline| self.start + newline + 1)
    }

    /// Where the line after that of `at` starts, or the document ends.
    pub(super) fn next_line(&self, at: usize) -> usize {
        self.bytes[at..self.end]
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(self.end, |newline| at + newline + 1)
    }

    /// Where the text of the line of `at` ends, before its line end.
    pub(super) fn text_end(&self, at: usize) -> usize {
        let next = self.next_line(at);
        let line = &self.bytes[at..next];
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        at + line.strip_suffix(b"\r").unwrap_or(line).len()
    }

    /// Whether only spaces are between the start of the line and `at`.
    pub(super) fn starts_line(&self, at: usize) -> bool {
        self.bytes[self.line_start(at)..at]
            .iter()
            .all(|byte| *byte == b' ')
    }

    /// Whether only spaces and dashes are between the start of the line and `at`.
    pub(super) fn follows_dashes(&self, at: usize) -> bool {
        self.bytes[self.line_start(at)..at]
            .iter()
            .all(|byte| matches!(byte, b' ' | b'-'))
    }

    pub(super) fn column(&self, at: usize) -> usize {
        at - self.line_start(at)
    }

    /// The column of the comment that fills the line starting at `line`.
    fn comment_line(&self, line: usize) -> Option<usize> {
        let text = &self.bytes[line..self.text_end(line)];
        let column = text.len() - text.trim_ascii_start().len();
        let at = u32::try_from(line + column).unwrap_or(u32::MAX);
        self.document
            .comments
            .binary_search_by_key(&at, |comment| comment.start)
            .is_ok()
            .then_some(column)
    }

    /// Where the comments directly above the line at `line` start, as far as they begin in `column`.
    pub(super) fn above(&self, line: usize, column: usize) -> usize {
        let mut from = line;
        while from > self.start {
            let previous = self.line_start(from - 1);
            if self.comment_line(previous) != Some(column) {
                break;
            }
            from = previous;
        }
        from
    }

    /// Where the lines of an entry that ends at `end` stop: comments below belong to it when they are indented deeper.
    pub(super) fn below(&self, end: usize, column: usize) -> usize {
        let mut next = self.next_line(end);
        while next < self.end && self.comment_line(next).is_some_and(|other| other > column) {
            next = self.next_line(next);
        }
        next
    }

    /// The next byte from `at` on that is neither blank nor part of a comment.
    pub(super) fn skip_trivia(&self, mut at: usize) -> usize {
        while at < self.end {
            match self.bytes[at] {
                b' ' | b'\t' | b'\r' | b'\n' => at += 1,
                b'#' => at = self.next_line(at),
                _ => break,
            }
        }
        at
    }
}
