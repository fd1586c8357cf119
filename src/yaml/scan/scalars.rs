//! Scalars on a line or folded over several: plain and quoted. Text is borrowed from the source unless folding or an escape changed it.

use std::borrow::Cow;

use super::{Scanned, Scanner, Style, Token, TokenKind};
use crate::yaml::problem::YamlProblem;

/// Bytes at which a plain scalar, or a part of it, may end.
const MAY_END_PLAIN: [bool; 256] = {
    let mut table = [false; 256];
    let ends = b" \t\n\r:,?[]{}\xC2\xE2";
    let mut at = 0;
    while at < ends.len() {
        table[ends[at] as usize] = true;
        at += 1;
    }
    table
};

/// Text put together from pieces of the source; one piece alone stays borrowed.
struct Pieces<'a> {
    text: &'a str,
    owned: Option<String>,
    start: usize,
}

impl<'a> Pieces<'a> {
    const fn new(text: &'a str, start: usize) -> Self {
        Self {
            text,
            owned: None,
            start,
        }
    }

    /// Takes the piece up to `end`, gives the text to add to, and goes on at `next`.
    fn cut(&mut self, end: usize, next: usize) -> &mut String {
        let piece = &self.text[self.start..end];
        self.start = next;
        let owned = self.owned.get_or_insert_default();
        owned.push_str(piece);
        owned
    }

    fn finish(self, end: usize) -> Cow<'a, str> {
        let piece = &self.text[self.start..end];
        match self.owned {
            None => Cow::Borrowed(piece),
            Some(mut owned) => {
                owned.push_str(piece);
                Cow::Owned(owned)
            }
        }
    }
}

/// The line breaks between two lines of a flow scalar, folded: one becomes a space, more lose the first.
#[derive(Default)]
struct Breaks {
    any: bool,
    escaped: bool,
    leading: Option<char>,
    trailing: String,
}

impl Breaks {
    fn fold(&self, out: &mut String) {
        match self.leading {
            Some('\n') if self.trailing.is_empty() => out.push(' '),
            Some('\n') | None => {}
            Some(separator) => out.push(separator),
        }
        out.push_str(&self.trailing);
    }
}

impl<'a> Scanner<'a> {
    pub(super) fn push_scalar(
        &mut self,
        text: Cow<'a, str>,
        style: Style,
        start: usize,
        end: usize,
    ) {
        self.tokens.push_back(Token {
            kind: TokenKind::Scalar { text, style },
            start,
            end,
        });
    }

    /// Passes over spaces, tabs and line breaks inside a flow scalar. `tab_limit` is the column before which a tab after a
    /// line break is refused.
    fn scalar_blanks(&mut self, breaks: &mut Breaks, tab_limit: Option<i64>) -> Scanned {
        loop {
            let at = self.mark.pos;
            match self.at(at) {
                b'\t' if breaks.any && tab_limit.is_some_and(|limit| self.mark.column < limit) => {
                    return self.fault(at, YamlProblem::TabBreaksIndentation);
                }
                b' ' | b'\t' => self.advance(at + 1),
                _ if self.break_len(at) > 0 => {
                    let character = self.read_break();
                    if breaks.any {
                        breaks.trailing.push(character);
                    } else {
                        breaks.leading = Some(character);
                        breaks.any = true;
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    pub(super) fn plain(&mut self) -> Scanned {
        self.expect_key()?;
        self.key_allowed = false;
        let start = self.mark.pos;
        let limit = self.indent + 1;
        let mut pieces = Pieces::new(self.text, start);
        let mut end = start;
        let mut breaks = Breaks::default();
        loop {
            if self.is_document_indicator() || self.at(self.mark.pos) == b'#' {
                break;
            }
            let line = self.plain_end(self.mark.pos);
            if line > self.mark.pos {
                if breaks.any {
                    breaks.fold(pieces.cut(end, self.mark.pos));
                    breaks = Breaks::default();
                }
                self.advance(line);
                end = line;
            }
            if !(self.is_blank(self.mark.pos) || self.break_len(self.mark.pos) > 0) {
                break;
            }
            self.scalar_blanks(&mut breaks, Some(limit))?;
            if self.flow == 0 && self.mark.column < limit {
                break;
            }
        }
        if breaks.any {
            self.key_allowed = true;
        }
        self.push_scalar(pieces.finish(end), Style::Plain, start, end);
        Ok(())
    }

    /// Where the characters of a plain scalar without blanks end.
    fn plain_end(&self, from: usize) -> usize {
        let mut at = from;
        while let Some(byte) = self.bytes.get(at) {
            if MAY_END_PLAIN[usize::from(*byte)] {
                match byte {
                    b':' if !self.is_blankz(at + 1) => {}
                    b',' | b'?' | b'[' | b']' | b'{' | b'}' if self.flow == 0 => {}
                    0xC2 | 0xE2 if self.break_len(at) == 0 => {}
                    _ => return at,
                }
            }
            at += 1;
        }
        self.touched_end.set(true);
        at
    }

    pub(super) fn quoted(&mut self, single: bool) -> Scanned {
        self.expect_key()?;
        self.key_allowed = false;
        let quote = if single { b'\'' } else { b'"' };
        let start = self.mark.pos;
        self.advance(start + 1);
        let mut pieces = Pieces::new(self.text, start + 1);
        loop {
            if self.is_document_indicator() {
                return self.fault(self.mark.pos, YamlProblem::DocumentMarkInQuotes);
            }
            if self.mark.pos >= self.bytes.len() {
                self.touched_end.set(true);
                return self.fault(start, YamlProblem::OpenQuote);
            }
            let mut breaks = self.quoted_line(&mut pieces, quote, start)?;
            if !breaks.any && self.at(self.mark.pos) == quote {
                break;
            }
            let end = self.mark.pos;
            if breaks.escaped && self.at(end) == quote {
                break;
            }
            self.scalar_blanks(&mut breaks, None)?;
            if breaks.any {
                let next = self.mark.pos;
                let from = if breaks.escaped { pieces.start } else { end };
                breaks.fold(pieces.cut(from, next));
            }
        }
        let end = self.mark.pos;
        self.advance(end + 1);
        self.push_scalar(pieces.finish(end), Style::Quoted, start, end + 1);
        Ok(())
    }

    /// Reads quoted characters up to a blank, a line break or the closing quote. An escaped line break is taken along.
    fn quoted_line(&mut self, pieces: &mut Pieces<'a>, quote: u8, start: usize) -> Scanned<Breaks> {
        loop {
            let at = self.mark.pos;
            let byte = self.at(at);
            match byte {
                b'\'' if quote == b'\'' && self.at(at + 1) == b'\'' => {
                    self.advance(at + 2);
                    pieces.cut(at + 1, at + 2);
                }
                b'"' | b'\'' if byte == quote => break,
                b'\\' if quote == b'"' => {
                    if self.break_len(at + 1) > 0 {
                        self.advance(at + 1);
                        self.skip_break();
                        pieces.cut(at, self.mark.pos);
                        return Ok(Breaks {
                            any: true,
                            escaped: true,
                            ..Breaks::default()
                        });
                    }
                    self.escape(pieces, start)?;
                }
                0 | b' ' | b'\t' | b'\n' | b'\r' => break,
                0xC2 | 0xE2 if self.break_len(at) > 0 => break,
                _ => {
                    let mut next = at + 1;
                    while !matches!(
                        self.at(next),
                        0 | b' ' | b'\t' | b'\n' | b'\r' | b'\'' | b'"' | b'\\' | 0xC2 | 0xE2
                    ) {
                        next += 1;
                    }
                    self.advance(next);
                }
            }
        }
        Ok(Breaks::default())
    }

    fn escape(&mut self, pieces: &mut Pieces<'a>, start: usize) -> Scanned {
        let at = self.mark.pos;
        let mut next = at + 2;
        let digits = match self.at(at + 1) {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => 0,
        };
        let character = if digits > 0 {
            let mut value = self.hex(next, digits)?;
            next += digits;
            if self.json
                && (0xD800..0xDC00).contains(&value)
                && self.at(next) == b'\\'
                && self.at(next + 1) == b'u'
            {
                let low = self.hex(next + 2, 4)?;
                if (0xDC00..0xE000).contains(&low) {
                    value = 0x1_0000 + ((value - 0xD800) << 10) + (low - 0xDC00);
                    next += 6;
                }
            }
            match char::from_u32(value) {
                Some(character) => character,
                None if self.json => char::REPLACEMENT_CHARACTER,
                None => return self.fault(at, YamlProblem::NotACharacter),
            }
        } else {
            match self.at(at + 1) {
                b'0' => '\0',
                b'a' => '\u{7}',
                b'b' => '\u{8}',
                b't' | b'\t' => '\t',
                b'n' => '\n',
                b'v' => '\u{b}',
                b'f' => '\u{c}',
                b'r' => '\r',
                b'e' => '\u{1b}',
                b' ' => ' ',
                b'"' => '"',
                b'\'' => '\'',
                b'\\' => '\\',
                b'N' => '\u{85}',
                b'_' => '\u{a0}',
                b'L' => '\u{2028}',
                b'P' => '\u{2029}',
                b'/' if self.json => '/',
                0 => return self.fault(start, YamlProblem::OpenQuote),
                _ => return self.fault(at, YamlProblem::UnknownEscape),
            }
        };
        pieces.cut(at, next).push(character);
        self.advance(next);
        Ok(())
    }

    fn hex(&self, at: usize, digits: usize) -> Scanned<u32> {
        let mut value = 0;
        for place in at..at + digits {
            match char::from(self.at(place)).to_digit(16) {
                Some(digit) => value = value << 4 | digit,
                None => return self.fault(place, YamlProblem::NotHexadecimal),
            }
        }
        Ok(value)
    }
}
