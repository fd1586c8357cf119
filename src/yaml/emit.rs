//! A tree as YAML text, in the style of `kubectl get -o yaml`, quoted so that YAML 1.1 and 1.2 readers see the same.

use std::fmt::Write as _;

use super::resolver;
use super::{Map, Node, Value};

/// The surroundings of a scalar: flow collections reserve more characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EmitContext {
    /// In a block mapping or list.
    Block,
    /// Between brackets or braces.
    Flow,
}

/// How far new lines are indented.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// A mapping below its key.
    pub(super) step: usize,
    /// A list below its key.
    pub(super) lists: usize,
}

impl Default for Layout {
    fn default() -> Self {
        Self { step: 2, lists: 0 }
    }
}

/// Keys longer than this are written with `?`; a reader gives up looking for the colon after 1024 characters.
const LONGEST_KEY: usize = 1000;

/// One document in block style, without a `---` line, ending in a line feed.
///
/// Reading the text gives the value back.
///
/// ```
/// # use driftless::yaml::{emit, Node};
/// let node = Node::from_json(&serde_json::json!({"on": "yes", "list": ["a", {}]}));
/// assert_eq!(emit::to_string(&node), "\"on\": \"yes\"\nlist:\n- a\n- {}\n");
/// ```
pub fn to_string(node: &Node) -> String {
    let mut out = String::new();
    let layout = Layout::default();
    match &node.value {
        Value::Map(map) if !map.is_empty() => mapping(&mut out, map, 0, layout),
        Value::Seq(items) if !items.is_empty() => sequence(&mut out, items, 0, layout),
        _ => leaf(&mut out, node, 0),
    }
    out
}

/// A value as it follows a key at `indent`, from the character after the colon; ends in a line feed.
pub(super) fn value_after_key(out: &mut String, node: &Node, indent: usize, layout: Layout) {
    match &node.value {
        Value::Map(map) if !map.is_empty() => {
            out.push('\n');
            spaces(out, indent + layout.step);
            mapping(out, map, indent + layout.step, layout);
        }
        Value::Seq(items) if !items.is_empty() => {
            out.push('\n');
            spaces(out, indent + layout.lists);
            sequence(out, items, indent + layout.lists, layout);
        }
        _ => {
            out.push(' ');
            leaf(out, node, indent);
        }
    }
}

/// A value as it follows the `- ` of a list at `indent`; ends in a line feed.
pub(super) fn value_after_dash(out: &mut String, node: &Node, indent: usize, layout: Layout) {
    match &node.value {
        Value::Map(map) if !map.is_empty() => mapping(out, map, indent + 2, layout),
        Value::Seq(items) if !items.is_empty() => sequence(out, items, indent + 2, layout),
        _ => leaf(out, node, indent),
    }
}

/// The entries of a mapping whose first key's indentation is written already.
fn mapping(out: &mut String, map: &Map, indent: usize, layout: Layout) {
    for (at, entry) in map.entries().iter().enumerate() {
        if at > 0 {
            spaces(out, indent);
        }
        self::entry(out, &entry.key, &entry.node, indent, layout);
    }
}

/// One entry of a block mapping, its indentation written already; ends in a line feed.
pub(super) fn entry(out: &mut String, key: &str, node: &Node, indent: usize, layout: Layout) {
    let key = text(key, EmitContext::Block);
    if key.len() > LONGEST_KEY {
        out.push_str("? ");
        out.push_str(&key);
        out.push('\n');
        spaces(out, indent);
    } else {
        out.push_str(&key);
    }
    out.push(':');
    value_after_key(out, node, indent, layout);
}

/// The items of a list whose first item's indentation is written already.
fn sequence(out: &mut String, items: &[Node], indent: usize, layout: Layout) {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            spaces(out, indent);
        }
        out.push_str("- ");
        value_after_dash(out, item, indent, layout);
    }
}

fn leaf(out: &mut String, node: &Node, indent: usize) {
    match &node.value {
        Value::String(text) if is_literal(text) => literal(out, text, indent),
        _ => {
            flow(out, node, EmitContext::Block);
            out.push('\n');
        }
    }
}

/// A value on one line, collections in brackets.
pub(super) fn flow(out: &mut String, node: &Node, context: EmitContext) {
    match &node.value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Int(value) => _ = write!(out, "{value}"),
        Value::UInt(value) => _ = write!(out, "{value}"),
        Value::Float(value) => float(out, *value),
        Value::String(string) => out.push_str(&text(string, context)),
        Value::Seq(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                flow(out, item, EmitContext::Flow);
            }
            out.push(']');
        }
        Value::Map(map) => {
            out.push('{');
            for (at, entry) in map.entries().iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                let key = text(&entry.key, EmitContext::Flow);
                if key.len() > LONGEST_KEY {
                    out.push_str("? ");
                }
                out.push_str(&key);
                out.push_str(": ");
                flow(out, &entry.node, EmitContext::Flow);
            }
            out.push('}');
        }
    }
}

/// As Go writes it: the fewest digits, an exponent only for the very large and very small.
fn float(out: &mut String, value: f64) {
    if value.is_nan() {
        out.push_str(".nan");
    } else if value.is_infinite() {
        out.push_str(if value > 0.0 { ".inf" } else { "-.inf" });
    } else if value != 0.0 && !(1e-6..1e21).contains(&value.abs()) {
        let text = format!("{value:e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(exponent) => ('-', exponent),
            None => ('+', exponent),
        };
        _ = write!(out, "{mantissa}e{sign}{exponent:0>2}");
    } else {
        _ = write!(out, "{value}");
    }
}

pub(super) fn spaces(out: &mut String, count: usize) {
    out.extend(std::iter::repeat_n(' ', count));
}

/// Whether text of several lines can be written as it is.
pub(super) fn is_literal(text: &str) -> bool {
    text.contains('\n')
        && !text.trim_matches('\n').is_empty()
        && text
            .chars()
            .all(|character| matches!(character, '\n' | '\t') || is_printable(character))
}

fn literal(out: &mut String, text: &str, indent: usize) {
    out.push('|');
    // Without the digit a reader takes the first line's own spaces for indentation, and refuses a tab there.
    if text.trim_start_matches('\n').starts_with([' ', '\t']) {
        out.push('2');
    }
    match text.strip_suffix('\n') {
        None => out.push('-'),
        Some(rest) if rest.ends_with('\n') => out.push('+'),
        Some(_) => {}
    }
    out.push('\n');
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        if !line.is_empty() {
            spaces(out, indent + 2);
            out.push_str(line);
        }
        out.push('\n');
    }
}

/// Text on one line, quoted where it must be.
pub(super) fn text(text: &str, context: EmitContext) -> String {
    if !text
        .chars()
        .all(|character| is_printable(character) && character != '\t')
    {
        return double_quoted(text);
    }
    if reads_otherwise(text) {
        return double_quoted(text);
    }
    if is_plain(text, context) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "''"))
}

pub(super) fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\0' => out.push_str("\\0"),
            '\u{1b}' => out.push_str("\\e"),
            character if is_printable(character) => out.push(character),
            character if u32::from(character) < 0x100 => {
                _ = write!(out, "\\x{:02X}", u32::from(character));
            }
            character if u32::from(character) < 0x1_0000 => {
                _ = write!(out, "\\u{:04X}", u32::from(character));
            }
            character => _ = write!(out, "\\U{:08X}", u32::from(character)),
        }
    }
    out.push('"');
    out
}

/// Characters that need no escape and that no reader takes for a line end.
const fn is_printable(character: char) -> bool {
    matches!(character, ' '..='~' | '\u{a0}'..='\u{2027}' | '\u{202a}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}'
        | '\u{ff00}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}')
}

/// Whether some reader of YAML 1.1 or 1.2 would take unquoted text for something else than text.
fn reads_otherwise(text: &str) -> bool {
    const WORDS: [&str; 13] = [
        "y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", ".inf", ".nan", "",
    ];
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    WORDS.iter().any(|word| {
        word.eq_ignore_ascii_case(text)
            || word.starts_with('.') && word.eq_ignore_ascii_case(unsigned)
    }) || matches!(text, "=" | "<<")
        || resolver::looks_like_number(text)
        || is_sexagesimal(unsigned)
        || is_date(text)
}

/// `12:30:45`, `190:20:30.15`, and a MAC address of nothing but digits.
fn is_sexagesimal(text: &str) -> bool {
    text.contains(':')
        && text.starts_with(|first: char| first.is_ascii_digit())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b":_.".contains(&byte))
}

/// `2024-01-02` and whatever follows it.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 8 && bytes[..4].iter().all(u8::is_ascii_digit) && bytes[4] == b'-' && {
        let day = text[5..].find('-').map(|dash| 5 + dash);
        day.is_some_and(|dash| {
            bytes[5..dash].iter().all(u8::is_ascii_digit)
                && bytes.get(dash + 1).is_some_and(u8::is_ascii_digit)
        })
    }
}

fn is_plain(text: &str, context: EmitContext) -> bool {
    let bytes = text.as_bytes();
    let Some(first) = bytes.first() else {
        return false;
    };
    let dash = *first == b'-' && bytes.get(1).is_some_and(|second| *second != b' ');
    let starts = dash || !b"-?:,[]{}#&*!|>'\"%@`".contains(first);
    starts
        && !text.starts_with("---")
        && !text.starts_with("...")
        && !text.starts_with(char::is_whitespace)
        && !text.ends_with(char::is_whitespace)
        && !text.ends_with(':')
        && !text.contains(": ")
        && !text.contains(" #")
        && (context == EmitContext::Block || !text.contains([',', '?', '[', ']', '{', '}']))
}

#[cfg(test)]
mod tests;
