//! Tokens of one YAML document, by libyaml's grammar as go-yaml reads it: byte offsets, borrowed text, comments kept.

mod block;
mod indicators;
mod scalars;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::VecDeque;

use super::problem::YamlProblem;

/// How deep flow collections may nest, and how many indentation levels may be open: go-yaml's own limits.
const MAX_DEPTH: usize = 10_000;

/// How a scalar was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Quoted,
    Block,
}

/// What a token is.
#[derive(Debug)]
pub(super) enum TokenKind<'a> {
    Version { major: u8, minor: u8 },
    TagDirective { handle: &'a str, prefix: String },
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(&'a str),
    Anchor(&'a str),
    Tag { handle: &'a str, suffix: String },
    Scalar { text: Cow<'a, str>, style: Style },
    StreamEnd,
}

/// A token and its bytes.
#[derive(Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind<'a>,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Why scanning or parsing stopped, and where.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) problem: YamlProblem,
}

/// A place in the text as the grammar counts: columns and the length of keys are in characters.
#[derive(Clone, Copy, Debug, Default)]
struct ScanPosition {
    pos: usize,
    index: usize,
    line: usize,
    column: i64,
}

/// A token that turns out to be a key without `?` once its `:` is met.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// How many flow collections are around it; each has one candidate at most.
    level: usize,
    /// Its number among the tokens of the text.
    token: usize,
    mark: ScanPosition,
    /// Whether only a key is allowed there.
    must: bool,
}

/// Gives the tokens of one text, one at a time.
#[allow(clippy::struct_excessive_bools, reason = "each is a state of its own")]
pub(super) struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    mark: ScanPosition,
    tokens: VecDeque<Token<'a>>,
    taken: usize,
    ready: bool,
    flow: usize,
    indent: i64,
    indents: Vec<i64>,
    key_allowed: bool,
    /// By level, and so by token.
    candidates: VecDeque<Candidate>,
    comments: Vec<(usize, usize)>,
    json: bool,
    /// No character is longer than a byte, so characters need not be counted.
    ascii: bool,
    touched_end: Cell<bool>,
}

type Scanned<T = ()> = Result<T, Fault>;

impl<'a> Scanner<'a> {
    /// A scanner at the start of `text`. `json` reads what JSON allows and YAML does not: `\/`, surrogate pairs, long keys.
    pub(super) fn new(text: &'a str, json: bool) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            mark: ScanPosition::default(),
            tokens: VecDeque::with_capacity(16),
            taken: 0,
            ready: false,
            flow: 0,
            indent: -1,
            indents: Vec::new(),
            key_allowed: true,
            candidates: VecDeque::new(),
            comments: Vec::new(),
            json,
            ascii: text.is_ascii(),
            touched_end: Cell::new(false),
        }
    }

    /// Whether anything past the last byte was asked for.
    pub(super) fn touched_end(&self) -> bool {
        self.touched_end.get()
    }

    /// The comments met so far, from `#` to the end of their line.
    pub(super) fn into_comments(self) -> Vec<(usize, usize)> {
        self.comments
    }

    /// The next token, left in place.
    pub(super) fn peek(&mut self) -> Scanned<&mut Token<'a>> {
        if !self.ready {
            while self.needs_more()? {
                self.read_next()?;
            }
            self.ready = true;
        }
        Ok(self.tokens.front_mut().expect("a token was read above"))
    }

    /// Takes the next token away; it was peeked at before.
    pub(super) fn skip(&mut self) {
        self.ready = false;
        self.taken += 1;
        self.tokens.pop_front();
    }

    /// More tokens are needed while the first one may still turn out to be a key.
    fn needs_more(&mut self) -> Scanned<bool> {
        if self.tokens.is_empty() {
            return Ok(true);
        }
        match self.candidates.front().copied() {
            Some(first) if first.token == self.taken => {
                let lapsed = self.has_lapsed(&first)?;
                if lapsed {
                    self.candidates.pop_front();
                }
                Ok(!lapsed)
            }
            _ => Ok(false),
        }
    }

    /// Reads the next text into one token, or several where a block begins or ends.
    fn read_next(&mut self) -> Scanned {
        self.skip_to_token();
        self.close_blocks(self.mark.column);
        let at = self.mark.pos;
        let byte = self.at(at);
        if at >= self.bytes.len() {
            return self.end();
        }
        if self.mark.column == 0 {
            if byte == b'%' {
                return self.directive();
            }
            if self.is_document_indicator() {
                let kind = if byte == b'-' {
                    TokenKind::DocumentStart
                } else {
                    TokenKind::DocumentEnd
                };
                return self.document_mark(kind);
            }
        }
        let blank_after = |scanner: &Self| scanner.is_blankz(at + 1);
        match byte {
            b'[' => self.flow_start(TokenKind::FlowSequenceStart),
            b'{' => self.flow_start(TokenKind::FlowMappingStart),
            b']' => self.flow_end(TokenKind::FlowSequenceEnd),
            b'}' => self.flow_end(TokenKind::FlowMappingEnd),
            b',' => self.comma(),
            b'-' if blank_after(self) => self.dash(),
            b'?' if self.flow > 0 || blank_after(self) => self.question_mark(),
            b':' if self.flow > 0 || blank_after(self) => self.colon(),
            b'*' | b'&' => self.anchor(byte == b'*'),
            b'!' => self.tag(),
            b'|' | b'>' if self.flow == 0 => self.block_scalar(byte == b'>'),
            b'\'' | b'"' => self.quoted(byte == b'\''),
            b'\t' | b'#' | b'|' | b'>' | b'%' | b'@' | b'`' => {
                self.fault(at, YamlProblem::NotAToken)
            }
            _ => self.plain(),
        }
    }

    // Reading bytes.

    fn at(&self, at: usize) -> u8 {
        if let Some(byte) = self.bytes.get(at) {
            *byte
        } else {
            self.touched_end.set(true);
            0
        }
    }

    /// The length of the line break at `at`; zero where there is none.
    fn break_len(&self, at: usize) -> usize {
        match self.at(at) {
            b'\r' if self.at(at + 1) == b'\n' => 2,
            b'\n' | b'\r' => 1,
            0xC2 if self.at(at + 1) == 0x85 => 2,
            0xE2 if self.at(at + 1) == 0x80 && matches!(self.at(at + 2), 0xA8 | 0xA9) => 3,
            _ => 0,
        }
    }

    fn is_blank(&self, at: usize) -> bool {
        matches!(self.at(at), b' ' | b'\t')
    }

    fn is_breakz(&self, at: usize) -> bool {
        at >= self.bytes.len() || self.break_len(at) > 0
    }

    fn is_blankz(&self, at: usize) -> bool {
        self.is_blank(at) || self.is_breakz(at)
    }

    fn is_document_indicator(&self) -> bool {
        let at = self.mark.pos;
        self.mark.column == 0
            && matches!(self.bytes.get(at..at + 3), Some(b"---" | b"..."))
            && self.is_blankz(at + 3)
    }

    /// Passes over characters of one line, up to `to`.
    fn advance(&mut self, to: usize) {
        let passed = &self.bytes[self.mark.pos..to];
        let count = if self.ascii {
            passed.len()
        } else {
            passed.iter().filter(|byte| (**byte & 0xC0) != 0x80).count()
        };
        self.mark.pos = to;
        self.mark.index += count;
        self.mark.column += i64::try_from(count).unwrap_or(i64::MAX);
    }

    /// Passes over the line break at the current place, if there is one.
    fn skip_break(&mut self) {
        let length = self.break_len(self.mark.pos);
        if length > 0 {
            self.mark.index += if self.at(self.mark.pos) == b'\r' {
                length
            } else {
                1
            };
            self.mark.pos += length;
            self.mark.line += 1;
            self.mark.column = 0;
        }
    }

    /// Passes over a line break and gives what it means: a Unicode separator itself, anything else a line feed.
    fn read_break(&mut self) -> char {
        let at = self.mark.pos;
        let character = match (self.at(at), self.at(at + 2)) {
            (0xE2, 0xA8) => '\u{2028}',
            (0xE2, _) => '\u{2029}',
            _ => '\n',
        };
        self.skip_break();
        character
    }

    /// Where the current line ends.
    fn line_end(&self) -> usize {
        let mut at = self.mark.pos;
        while let Some(byte) = self.bytes.get(at) {
            if matches!(byte, b'\n' | b'\r' | 0xC2 | 0xE2) && self.break_len(at) > 0 {
                break;
            }
            at += 1;
        }
        if at == self.bytes.len() {
            self.touched_end.set(true);
        }
        at
    }

    fn skip_comment(&mut self) {
        if self.at(self.mark.pos) == b'#' {
            let end = self.line_end();
            self.comments.push((self.mark.pos, end));
            self.advance(end);
        }
    }

    fn skip_blanks(&mut self) {
        let mut at = self.mark.pos;
        while self.is_blank(at) {
            at += 1;
        }
        self.advance(at);
    }

    fn skip_to_token(&mut self) {
        loop {
            let tabs = self.flow > 0 || !self.key_allowed;
            let mut at = self.mark.pos;
            while self.at(at) == b' ' || tabs && self.at(at) == b'\t' {
                at += 1;
            }
            self.advance(at);
            self.skip_comment();
            if self.break_len(self.mark.pos) == 0 {
                break;
            }
            self.skip_break();
            if self.flow == 0 {
                self.key_allowed = true;
            }
        }
    }

    #[allow(clippy::unused_self, reason = "reads as a step of the scanner")]
    fn fault<T>(&self, at: usize, problem: YamlProblem) -> Scanned<T> {
        Err(Fault { at, problem })
    }

    // Keys without `?`: known only at their `:`.

    /// Whether it is too late for a candidate to become a key: a key ends on its line, within 1024 characters.
    fn has_lapsed(&self, candidate: &Candidate) -> Scanned<bool> {
        let (from, here) = (candidate.mark, self.mark);
        let late = !self.json && (from.line < here.line || from.index + 1024 < here.index);
        if late && candidate.must {
            return self.fault(from.pos, YamlProblem::NoColonAfterKey);
        }
        Ok(late)
    }

    /// What begins here may be a key.
    fn expect_key(&mut self) -> Scanned {
        if self.key_allowed {
            self.drop_candidate()?;
            self.candidates.push_back(Candidate {
                level: self.flow,
                token: self.taken + self.tokens.len(),
                mark: self.mark,
                must: self.flow == 0 && self.indent == self.mark.column,
            });
        }
        Ok(())
    }

    /// The candidate of the current flow collection, which is then none any more.
    fn take_candidate(&mut self) -> Option<Candidate> {
        let last = self.candidates.back().copied()?;
        if last.level != self.flow {
            return None;
        }
        self.candidates.pop_back()
    }

    /// What was met since makes the candidate no key.
    fn drop_candidate(&mut self) -> Scanned {
        match self.take_candidate() {
            Some(candidate) if candidate.must => {
                self.fault(candidate.mark.pos, YamlProblem::NoColonAfterKey)
            }
            _ => Ok(()),
        }
    }

    // Indentation.

    /// Opens a block collection that begins at `at`, where that is deeper than the open ones. Its token goes before the
    /// queued one at `place`. Says how many tokens were put there.
    fn open_block(
        &mut self,
        kind: TokenKind<'a>,
        at: ScanPosition,
        place: usize,
    ) -> Scanned<usize> {
        if self.flow > 0 || at.column <= self.indent {
            return Ok(0);
        }
        if self.indents.len() == MAX_DEPTH {
            return self.fault(at.pos, YamlProblem::TooDeep);
        }
        self.indents
            .push(std::mem::replace(&mut self.indent, at.column));
        let (start, end) = (at.pos, at.pos);
        self.tokens.insert(place, Token { kind, start, end });
        Ok(1)
    }

    /// Closes the block collections that are deeper than `column`.
    fn close_blocks(&mut self, column: i64) {
        let (start, end) = (self.mark.pos, self.mark.pos);
        while self.flow == 0 && self.indent > column {
            let kind = TokenKind::BlockEnd;
            self.tokens.push_back(Token { kind, start, end });
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }
}
