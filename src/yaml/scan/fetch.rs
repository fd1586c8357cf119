//! One function a kind of token, scalars aside.

use super::{Kind, MAX_DEPTH, Scanned, Scanner, SimpleKey, TOO_DEEP, Token};

impl<'a> Scanner<'a> {
    fn push(&mut self, kind: Kind<'a>, length: usize) {
        let start = self.mark.pos;
        self.advance(start + length);
        self.tokens.push_back(Token {
            kind,
            start,
            end: self.mark.pos,
        });
    }

    pub(super) fn fetch_stream_end(&mut self) -> Scanned {
        self.mark.column = 0;
        self.unroll_indent(-1);
        self.remove_key()?;
        for key in &mut self.keys {
            key.possible = false;
        }
        self.key_allowed = false;
        self.push(Kind::StreamEnd, 0);
        Ok(())
    }

    pub(super) fn fetch_document_indicator(&mut self, kind: Kind<'a>) -> Scanned {
        self.unroll_indent(-1);
        self.remove_key()?;
        self.key_allowed = false;
        self.push(kind, 3);
        Ok(())
    }

    pub(super) fn fetch_flow_start(&mut self, kind: Kind<'a>) -> Scanned {
        self.save_key()?;
        self.keys.push(SimpleKey {
            possible: false,
            required: false,
            token: self.taken + self.tokens.len(),
            mark: self.mark,
        });
        self.flow += 1;
        if self.flow > MAX_DEPTH {
            return self.fault(self.mark.pos, TOO_DEEP);
        }
        self.key_allowed = true;
        self.push(kind, 1);
        Ok(())
    }

    pub(super) fn fetch_flow_end(&mut self, kind: Kind<'a>) -> Scanned {
        self.remove_key()?;
        if self.flow > 0 {
            self.flow -= 1;
            self.keys.pop();
        }
        self.key_allowed = false;
        self.push(kind, 1);
        Ok(())
    }

    pub(super) fn fetch_flow_entry(&mut self) -> Scanned {
        self.remove_key()?;
        self.key_allowed = true;
        self.push(Kind::FlowEntry, 1);
        Ok(())
    }

    pub(super) fn fetch_block_entry(&mut self) -> Scanned {
        let at = self.mark.pos;
        if self.flow == 0 {
            if !self.key_allowed {
                return self.fault(at, "block sequence entries are not allowed in this context");
            }
            self.roll_indent(self.mark.column, None, Kind::BlockSequenceStart, at)?;
        }
        self.remove_key()?;
        self.key_allowed = true;
        self.push(Kind::BlockEntry, 1);
        Ok(())
    }

    pub(super) fn fetch_key(&mut self) -> Scanned {
        let at = self.mark.pos;
        if self.flow == 0 {
            if !self.key_allowed {
                return self.fault(at, "mapping keys are not allowed in this context");
            }
            self.roll_indent(self.mark.column, None, Kind::BlockMappingStart, at)?;
        }
        self.remove_key()?;
        self.key_allowed = self.flow == 0;
        self.push(Kind::Key, 1);
        Ok(())
    }

    pub(super) fn fetch_value(&mut self) -> Scanned {
        let last = self.keys.len() - 1;
        let at = self.mark.pos;
        if self.key_is_valid(last)? {
            let key = self.keys[last];
            let token = Token {
                kind: Kind::Key,
                start: key.mark.pos,
                end: key.mark.pos,
            };
            self.tokens.insert(key.token - self.taken, token);
            self.roll_indent(
                key.mark.column,
                Some(key.token),
                Kind::BlockMappingStart,
                key.mark.pos,
            )?;
            self.keys[last].possible = false;
            self.key_allowed = false;
        } else {
            if self.flow == 0 {
                if !self.key_allowed {
                    return self.fault(at, "mapping values are not allowed in this context");
                }
                self.roll_indent(self.mark.column, None, Kind::BlockMappingStart, at)?;
            }
            self.key_allowed = self.flow == 0;
        }
        self.push(Kind::Value, 1);
        Ok(())
    }

    pub(super) fn fetch_anchor(&mut self, alias: bool) -> Scanned {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.mark.pos + 1;
        let end = self.word_end(start);
        let follows = self.is_blankz(end)
            || matches!(
                self.at(end),
                b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`'
            );
        if start == end || !follows {
            return self.fault(
                self.mark.pos,
                "did not find expected alphabetic or numeric character",
            );
        }
        let name = &self.text[start..end];
        let kind = if alias {
            Kind::Alias(name)
        } else {
            Kind::Anchor(name)
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

    pub(super) fn fetch_tag(&mut self) -> Scanned {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.mark.pos;
        let (kind, end) = if self.at(start + 1) == b'<' {
            let (suffix, end) = self.tag_uri(start + 2, "", false)?;
            if self.at(end) != b'>' {
                return self.fault(start, "did not find the expected '>'");
            }
            (Kind::Tag { handle: "", suffix }, end + 1)
        } else {
            let (handle, after) = self.tag_handle(start, false)?;
            if handle.len() > 1 && handle.ends_with('!') {
                let (suffix, end) = self.tag_uri(after, "", false)?;
                (Kind::Tag { handle, suffix }, end)
            } else {
                let (suffix, end) = self.tag_uri(after, &handle[1..], true)?;
                if suffix.is_empty() {
                    let suffix = "!".to_owned();
                    (Kind::Tag { handle: "", suffix }, end)
                } else {
                    (
                        Kind::Tag {
                            handle: "!",
                            suffix,
                        },
                        end,
                    )
                }
            }
        };
        if !self.is_blankz(end) {
            return self.fault(start, "did not find expected whitespace or line break");
        }
        self.push(kind, end - start);
        Ok(())
    }

    fn tag_handle(&self, start: usize, directive: bool) -> Scanned<(&'a str, usize)> {
        if self.at(start) != b'!' {
            return self.fault(start, "did not find expected '!'");
        }
        let mut end = self.word_end(start + 1);
        if self.at(end) == b'!' {
            end += 1;
        } else if directive && end != start + 1 {
            return self.fault(start, "did not find expected '!'");
        }
        Ok((&self.text[start..end], end))
    }

    fn tag_uri(&self, start: usize, head: &str, may_be_empty: bool) -> Scanned<(String, usize)> {
        let mut uri = head.as_bytes().to_vec();
        let mut at = start;
        loop {
            match self.at(at) {
                b'%' => {
                    let mut width = 0;
                    loop {
                        let hex = |at| char::from(self.at(at)).to_digit(16);
                        let (Some(high), Some(low), b'%') = (hex(at + 1), hex(at + 2), self.at(at))
                        else {
                            return self.fault(at, "did not find URI escaped octet");
                        };
                        let octet = u8::try_from(high * 16 + low).unwrap_or_default();
                        if width == 0 {
                            width = match octet {
                                0..0x80 => 1,
                                0xC0..0xE0 => 2,
                                0xE0..0xF0 => 3,
                                0xF0..0xF8 => 4,
                                _ => {
                                    return self
                                        .fault(at, "found an incorrect leading UTF-8 octet");
                                }
                            };
                        } else if octet & 0xC0 != 0x80 {
                            return self.fault(at, "found an incorrect trailing UTF-8 octet");
                        }
                        uri.push(octet);
                        at += 3;
                        width -= 1;
                        if width == 0 {
                            break;
                        }
                    }
                }
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
            return self.fault(start, "did not find expected tag URI");
        }
        Ok((String::from_utf8_lossy(&uri).into_owned(), at))
    }

    pub(super) fn fetch_directive(&mut self) -> Scanned {
        self.unroll_indent(-1);
        self.remove_key()?;
        self.key_allowed = false;
        let start = self.mark.pos;
        let name_end = self.word_end(start + 1);
        let name = &self.text[start + 1..name_end];
        if name.is_empty() {
            return self.fault(start, "could not find expected directive name");
        }
        if !self.is_blankz(name_end) {
            return self.fault(start, "found unexpected non-alphabetical character");
        }
        let mut at = name_end;
        while self.is_blank(at) {
            at += 1;
        }
        let (kind, end) = match name {
            "YAML" => {
                let (major, after) = self.version_number(at)?;
                if self.at(after) != b'.' {
                    return self.fault(start, "did not find expected digit or '.' character");
                }
                let (minor, after) = self.version_number(after + 1)?;
                (Kind::Version { major, minor }, after)
            }
            "TAG" => {
                let (handle, mut after) = self.tag_handle(at, true)?;
                if !self.is_blank(after) {
                    return self.fault(start, "did not find expected whitespace");
                }
                while self.is_blank(after) {
                    after += 1;
                }
                let (prefix, after) = self.tag_uri(after, "", false)?;
                if !self.is_blankz(after) {
                    return self.fault(start, "did not find expected whitespace or line break");
                }
                (Kind::TagDirective { handle, prefix }, after)
            }
            _ => return self.fault(start, "found unknown directive name"),
        };
        self.push(kind, end - start);
        self.skip_blanks();
        self.skip_comment();
        if !self.is_breakz(self.mark.pos) {
            return self.fault(start, "did not find expected comment or line break");
        }
        self.skip_break();
        Ok(())
    }

    fn version_number(&self, start: usize) -> Scanned<(u8, usize)> {
        let mut at = start;
        let mut value = 0;
        while self.at(at).is_ascii_digit() {
            if at - start == 2 {
                return self.fault(start, "found extremely long version number");
            }
            value = value * 10 + (self.at(at) - b'0');
            at += 1;
        }
        if at == start {
            return self.fault(start, "did not find expected version number");
        }
        Ok((value, at))
    }
}
