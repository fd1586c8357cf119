//! Bytes to text: UTF-8, or UTF-16 with its mark, without characters YAML does not allow.

use std::borrow::Cow;

use crate::yaml::problem::YamlProblem;

/// go-yaml decodes blocks of this many bytes, and refuses a bad character when it decodes its block.
const BLOCK: usize = 512;

/// The text of a document up to the first bad character.
pub(super) struct DecodedText<'a> {
    pub(super) text: Cow<'a, str>,
    /// For each byte of the text the byte of the source, where the two differ by more than the mark at the start.
    pub(super) map: Option<Vec<usize>>,
    pub(super) bad: Option<BadBytes>,
    skipped: usize,
}

/// Bytes that are not a character that YAML allows.
pub(super) struct BadBytes {
    pub(super) at: usize,
    pub(super) len: usize,
    pub(super) problem: YamlProblem,
}

impl DecodedText<'_> {
    /// The place in the source of a byte of the text.
    pub(super) fn offset(&self, at: usize) -> usize {
        self.map
            .as_ref()
            .map_or(at + self.skipped, |map| map[at.min(map.len() - 1)])
    }
}

/// Decodes; `json` text was checked already and may hold what YAML does not allow.
pub(super) fn decode(bytes: &[u8], json: bool) -> DecodedText<'_> {
    match bytes {
        [0xFF, 0xFE, rest @ ..] => return utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => return utf16(rest, u16::from_be_bytes),
        _ => {}
    }
    let skipped = if bytes.starts_with(b"\xEF\xBB\xBF") {
        3
    } else {
        0
    };
    let bytes = &bytes[skipped..];
    let (text, mut bad) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let at = error.valid_up_to();
            let bad = BadBytes {
                at,
                len: error.error_len().unwrap_or(bytes.len() - at),
                problem: YamlProblem::NotUtf8,
            };
            (
                std::str::from_utf8(&bytes[..at]).unwrap_or_default(),
                Some(bad),
            )
        }
    };
    if !json && let Some((at, len)) = control(text) {
        bad = Some(BadBytes {
            at,
            len,
            problem: YamlProblem::ControlCharacter,
        });
    }
    let text = match &bad {
        None => text,
        // Counted from the mark, as the blocks are.
        Some(bad) => {
            let mut start = (bad.at + skipped) / BLOCK * BLOCK;
            start = start.saturating_sub(skipped).min(bad.at);
            while !text.is_char_boundary(start) {
                start -= 1;
            }
            &text[..start]
        }
    };
    let bad = bad.map(|bad| BadBytes {
        at: bad.at + skipped,
        ..bad
    });
    DecodedText {
        text: Cow::Borrowed(text),
        map: None,
        bad,
        skipped,
    }
}

/// The first character YAML does not allow unescaped.
fn control(text: &str) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        // Most of a manifest is printable ASCII: a block at a time.
        if let Some(block) = bytes.get(at..at + 32) {
            let plain = |byte: &u8| matches!(byte, 0x20..0x7F | b'\n');
            if block.iter().all(plain) {
                at += 32;
                continue;
            }
        }
        let len = match bytes[at] {
            b'\t' | b'\n' | b'\r' => 0,
            0..0x20 | 0x7F => 1,
            0xC2 if bytes[at + 1] < 0xA0 && bytes[at + 1] != 0x85 => 2,
            0xEF if bytes[at + 1] == 0xBF && bytes[at + 2] >= 0xBE => 3,
            _ => 0,
        };
        if len > 0 {
            return Some((at, len));
        }
        at += 1;
    }
    None
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> DecodedText<'static> {
    let mut text = String::with_capacity(bytes.len());
    let mut map = Vec::with_capacity(bytes.len());
    let mut at = 2;
    let mut bad = None;
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    for character in char::decode_utf16(units) {
        let problem = match character {
            Ok(character) if control(character.encode_utf8(&mut [0; 4])).is_none() => {
                text.push(character);
                map.resize(text.len(), at);
                at += character.len_utf16() * 2;
                continue;
            }
            Ok(_) => YamlProblem::ControlCharacterInUtf16,
            Err(_) => YamlProblem::NotUtf16,
        };
        bad = Some(problem);
        break;
    }
    if bytes.len() % 2 == 1 {
        bad = bad.or(Some(YamlProblem::NotUtf16));
    }
    map.push(at);
    DecodedText {
        text: Cow::Owned(text),
        map: Some(map),
        bad: bad.map(|problem| BadBytes {
            at,
            len: 2,
            problem,
        }),
        skipped: 0,
    }
}
