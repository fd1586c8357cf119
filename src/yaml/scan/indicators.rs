//! What each indicator begins or ends: documents, collections, entries, keys, anchors, tags, directives.

use super::{MAX_DEPTH, Scanned, Scanner, Token, TokenKind};
use crate::yaml::problem::YamlProblem;

impl<'a> Scanner<'a> {
    fn push(&mut self, kind: TokenKind<'a>, length: usize) {
        let start = self.mark.pos;
        self.advance(start + length);
        self.tokens.push_back(Token {
            kind,
            start,
            end: self.mark.pos,
        });
    }

    /// Ends what is open outside flow collections.
    fn end_blocks(&mut self) -> Scanned {
        self.close_blocks(-1);
        self.drop_candidate()?;
        self.key_allowed = false;
        Ok(())
    }

    /// The text is over.
    pub(super) fn end(&mut self) -> Scanned {
        self.mark.column = 0;
        self.end_blocks()?;
        self.candidates.clear();
        self.push(TokenKind::StreamEnd, 0);
        Ok(())
    }

    /// `---` or `...`.
    pub(super) fn document_mark(&mut self, kind: TokenKind<'a>) -> Scanned {
        self.end_blocks()?;
        self.push(kind, 3);
        Ok(())
    }

    /// `[` or `{`: the whole collection may be a key.
    pub(super) fn flow_start(&mut self, kind: TokenKind<'a>) -> Scanned {
        self.expect_key()?;
        if self.flow == MAX_DEPTH {
            return self.fault(self.mark.pos, YamlProblem::TooDeep);
        }
        self.flow += 1;
        self.key_allowed = true;
        self.push(kind, 1);
        Ok(())
    }

    /// `]` or `}`.
    pub(super) fn flow_end(&mut self, kind: TokenKind<'a>) -> Scanned {
        self.drop_candidate()?;
        self.flow = self.flow.saturating_sub(1);
        self.key_allowed = false;
        self.push(kind, 1);
        Ok(())
    }

    /// `,`.
    pub(super) fn comma(&mut self) -> Scanned {
        self.drop_candidate()?;
        self.key_allowed = true;
        self.push(TokenKind::FlowEntry, 1);
        Ok(())
    }

    /// Outside flow collections an indicator is allowed where a key is, and opens a block unless it continues one.
    fn begin_entry(&mut self, block: TokenKind<'a>, problem: YamlProblem) -> Scanned {
        if self.flow == 0 && !self.key_allowed {
            return self.fault(self.mark.pos, problem);
        }
        self.open_block(block, self.mark, self.tokens.len())?;
        Ok(())
    }

    /// `-`.
    pub(super) fn dash(&mut self) -> Scanned {
        self.begin_entry(TokenKind::BlockSequenceStart, YamlProblem::ItemNotAllowed)?;
        self.drop_candidate()?;
        self.key_allowed = true;
        self.push(TokenKind::BlockEntry, 1);
        Ok(())
    }

    /// `?`.
    pub(super) fn question_mark(&mut self) -> Scanned {
        self.begin_entry(TokenKind::BlockMappingStart, YamlProblem::KeyNotAllowed)?;
        self.drop_candidate()?;
        self.key_allowed = self.flow == 0;
        self.push(TokenKind::Key, 1);
        Ok(())
    }

    /// `:`, which makes a key of the candidate before it, or is the second half of `?`.
    pub(super) fn colon(&mut self) -> Scanned {
        let key = match self.take_candidate() {
            Some(candidate) if !self.has_lapsed(&candidate)? => Some(candidate),
            _ => None,
        };
        if let Some(key) = key {
            let place = key.token - self.taken;
            let opened = self.open_block(TokenKind::BlockMappingStart, key.mark, place)?;
            let token = Token {
                kind: TokenKind::Key,
                start: key.mark.pos,
                end: key.mark.pos,
            };
            self.tokens.insert(place + opened, token);
        } else {
            self.begin_entry(TokenKind::BlockMappingStart, YamlProblem::ValueNotAllowed)?;
        }
        self.key_allowed = key.is_none() && self.flow == 0;
        self.push(TokenKind::Value, 1);
        Ok(())
    }

    pub(super) fn anchor(&mut self, alias: bool) -> Scanned {
        self.expect_key()?;
        self.key_allowed = false;
        let start = self.mark.pos + 1;
        let end = self.word_end(start);
        let follows = self.is_blankz(end)
            || matches!(
                self.at(end),
                b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`'
            );
        if start == end || !follows {
            return self.fault(self.mark.pos, YamlProblem::EmptyAnchorName);
        }
        let name = &self.text[start..end];
        let kind = if alias {
            TokenKind::Alias(name)
        } else {
            TokenKind::Anchor(name)
        };
        self.push(kind, end - self.mark.pos);
        Ok(())
    }

    /// Where a run of letters, digits, `_` and `-` ends.
    fn word_end(&self, mut at: usize) -> usize {
        while self.at(at).is_ascii_alphanumeric() || matches!(self.at(at), b'_' | b'-') {
            at += 1;
        }
        at
    }

    pub(super) fn tag(&mut self) -> Scanned {
        self.expect_key()?;
        self.key_allowed = false;
        let start = self.mark.pos;
        let (kind, end) = if self.at(start + 1) == b'<' {
            let (suffix, end) = self.tag_uri(start + 2, "", false)?;
            if self.at(end) != b'>' {
                return self.fault(start, YamlProblem::OpenTag);
            }
            (TokenKind::Tag { handle: "", suffix }, end + 1)
        } else {
            let (handle, after) = self.tag_handle(start, false)?;
            if handle.len() > 1 && handle.ends_with('!') {
                let (suffix, end) = self.tag_uri(after, "", false)?;
                (TokenKind::Tag { handle, suffix }, end)
            } else {
                let (suffix, end) = self.tag_uri(after, &handle[1..], true)?;
                if suffix.is_empty() {
                    let suffix = "!".to_owned();
                    (TokenKind::Tag { handle: "", suffix }, end)
                } else {
                    (
                        TokenKind::Tag {
                            handle: "!",
                            suffix,
                        },
                        end,
                    )
                }
            }
        };
        if !self.is_blankz(end) {
            return self.fault(start, YamlProblem::TextAfterTag);
        }
        self.push(kind, end - start);
        Ok(())
    }

    fn tag_handle(&self, start: usize, directive: bool) -> Scanned<(&'a str, usize)> {
        if self.at(start) != b'!' {
            return self.fault(start, YamlProblem::NoTagMark);
        }
        let mut end = self.word_end(start + 1);
        if self.at(end) == b'!' {
            end += 1;
        } else if directive && end != start + 1 {
            return self.fault(start, YamlProblem::NoTagMark);
        }
        Ok((&self.text[start..end], end))
    }

    fn tag_uri(&self, start: usize, head: &str, may_be_empty: bool) -> Scanned<(String, usize)> {
        let mut uri = head.as_bytes().to_vec();
        let mut at = start;
        loop {
            match self.at(at) {
                b'%' => at = self.escaped_character(at, &mut uri)?,
                byte if byte.is_ascii_alphanumeric()
                    || b"_-;/?:@&=+$,.!~*'()[]".contains(&byte) =>
                {
                    uri.push(byte);
                    at += 1;
                }
                _ => break,
            }
        }
        if at == start && !may_be_empty {
            return self.fault(start, YamlProblem::EmptyTag);
        }
        Ok((String::from_utf8_lossy(&uri).into_owned(), at))
    }

    /// One character of a tag as `%` and the hexadecimal digits of each of its UTF-8 bytes; gives where it ends.
    fn escaped_character(&self, start: usize, uri: &mut Vec<u8>) -> Scanned<usize> {
        let first = self.escaped_byte(start)?;
        let width = match first.leading_ones() {
            0 => 1,
            ones @ 2..=4 => ones as usize,
            _ => return self.fault(start, YamlProblem::BadFirstOctet),
        };
        uri.push(first);
        let end = start + 3 * width;
        for at in (start + 3..end).step_by(3) {
            let byte = self.escaped_byte(at)?;
            if byte.leading_ones() != 1 {
                return self.fault(at, YamlProblem::BadLaterOctet);
            }
            uri.push(byte);
        }
        Ok(end)
    }

    fn escaped_byte(&self, at: usize) -> Scanned<u8> {
        let digits = self.text.get(at + 1..at + 3);
        let byte = digits
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte {
            Some(byte) if self.at(at) == b'%' => Ok(byte),
            _ => self.fault(at, YamlProblem::NotAnOctet),
        }
    }

    pub(super) fn directive(&mut self) -> Scanned {
        self.end_blocks()?;
        let start = self.mark.pos;
        let name_end = self.word_end(start + 1);
        let name = &self.text[start + 1..name_end];
        if name.is_empty() {
            return self.fault(start, YamlProblem::EmptyDirective);
        }
        if !self.is_blankz(name_end) {
            return self.fault(start, YamlProblem::BadDirectiveName);
        }
        let mut at = name_end;
        while self.is_blank(at) {
            at += 1;
        }
        let (kind, end) = match name {
            "YAML" => {
                let (major, after) = self.version_number(at)?;
                if self.at(after) != b'.' {
                    return self.fault(start, YamlProblem::NotAVersion);
                }
                let (minor, after) = self.version_number(after + 1)?;
                (TokenKind::Version { major, minor }, after)
            }
            "TAG" => {
                let (handle, mut after) = self.tag_handle(at, true)?;
                if !self.is_blank(after) {
                    return self.fault(start, YamlProblem::NoSpaceInDirective);
                }
                while self.is_blank(after) {
                    after += 1;
                }
                let (prefix, after) = self.tag_uri(after, "", false)?;
                if !self.is_blankz(after) {
                    return self.fault(start, YamlProblem::TextAfterTag);
                }
                (TokenKind::TagDirective { handle, prefix }, after)
            }
            _ => return self.fault(start, YamlProblem::UnknownDirective),
        };
        self.push(kind, end - start);
        self.skip_blanks();
        self.skip_comment();
        if !self.is_breakz(self.mark.pos) {
            return self.fault(start, YamlProblem::TextAfterHeader);
        }
        self.skip_break();
        Ok(())
    }

    fn version_number(&self, start: usize) -> Scanned<(u8, usize)> {
        let mut at = start;
        let mut value = 0;
        while self.at(at).is_ascii_digit() {
            if at - start == 2 {
                return self.fault(start, YamlProblem::LongVersion);
            }
            value = value * 10 + (self.at(at) - b'0');
            at += 1;
        }
        if at == start {
            return self.fault(start, YamlProblem::NoVersionNumber);
        }
        Ok((value, at))
    }
}
