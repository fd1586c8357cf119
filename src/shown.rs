//! What is shown of a manifest: the one place that knows which characters are hostile and which values are secret.
//!
//! Reports, diffs, messages and fingerprints go through it. What `render`, `expand` and `upgrade` print as manifests does
//! not: that is the user's data, byte for byte.

pub(crate) mod secret;
pub mod source;

use std::borrow::Cow;
use std::fmt::{self, Display};

use serde_json::Value as Json;

/// What stands in the place of a hostile character, and before a colon that would start a workflow command.
const REPLACEMENT: char = '\u{fffd}';
/// Characters of a word that is shown whole. No name or key that a cluster accepts is longer.
const LONGEST_WORD: usize = 320;
/// Characters of a line that is shown whole.
const LONGEST_LINE: usize = 4096;

/// A value of a manifest as it is shown: see [`line()`].
#[derive(Clone, Copy, Debug)]
pub struct Shown<T>(pub T);

impl<T: Display> Display for Shown<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&line(&self.0.to_string()))
    }
}

/// The text on one line, without anything a terminal, a log or an XML reader would act on. Words over 320 characters and
/// lines over 4,096 are cut in the middle.
pub fn line(text: &str) -> String {
    let text = whole(text);
    if text.len() <= LONGEST_WORD {
        return text;
    }
    let words: Vec<Cow<'_, str>> = text
        .split(' ')
        .map(|word| cut(word, LONGEST_WORD))
        .collect();
    cut(&words.join(" "), LONGEST_LINE).into_owned()
}

/// As [`line()`], however long: for paths, which have to stay usable.
pub fn whole(text: &str) -> String {
    inert(text, |c| matches!(c, '\n' | '\r' | '\t').then_some(' '))
}

/// A text of several lines, each as [`whole`] makes it, with its tabs. No line starts a workflow command.
pub fn lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    page(inert(&text, |c| matches!(c, '\n' | '\t').then_some(c)))
}

/// A text made of shown parts, where no line starts a workflow command: runners ignore the space before `::`.
pub fn page(text: String) -> String {
    let starts = |line: &str| line.trim_start().starts_with("::");
    if !text.contains("::") || !text.split('\n').any(starts) {
        return text;
    }
    let guarded = text.split('\n').map(|line| {
        if starts(line) {
            line.replacen("::", "\u{fffd}::", 1)
        } else {
            line.to_owned()
        }
    });
    guarded.collect::<Vec<_>>().join("\n")
}

/// A JSON value whose keys and texts are as [`lines`] makes them; a text keeps its line breaks, which JSON escapes.
#[must_use]
pub fn json(value: Json) -> Json {
    let text = |text: &str| inert(text, |c| matches!(c, '\n' | '\t').then_some(c));
    match value {
        Json::String(value) => text(&value).into(),
        Json::Array(items) => items.into_iter().map(json).collect(),
        Json::Object(map) => map
            .into_iter()
            .map(|(key, value)| (text(&key), json(value)))
            .collect(),
        value => value,
    }
}

/// The text without hostile characters; `kept` says what becomes of white space.
fn inert(text: &str, kept: impl Fn(char) -> Option<char>) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match kept(c) {
            Some(c) => out.push(c),
            None if is_hostile(c) => out.push(REPLACEMENT),
            None => {
                if c == '[' && opens_command(out.as_bytes()) {
                    out.push(REPLACEMENT);
                }
                out.push(c);
            }
        }
    }
    out
}

/// Whether a bracket after these bytes opens a workflow command: `##[group]` and `##vso[task]` are read wherever they
/// stand in a line.
fn opens_command(before: &[u8]) -> bool {
    let head = match before.split_last_chunk::<3>() {
        Some((head, last)) if last.eq_ignore_ascii_case(b"vso") => head,
        _ => before,
    };
    head.ends_with(b"##")
}

/// Control characters, those that turn the direction of text, those that take no room, and those XML does not allow.
fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{fffe}'..='\u{ffff}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// The text with its middle left out where it has more than `most` characters.
fn cut(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most || text.chars().count() <= most {
        return text.into();
    }
    let half = most / 2;
    let head: String = text.chars().take(half).collect();
    let tail = text.char_indices().rev().nth(most - half - 2);
    format!("{head}…{}", tail.map_or("", |(at, _)| &text[at..])).into()
}

#[cfg(test)]
mod tests;
