//! What may be printed: no control characters, no secrets.

use crate::finding::SECRET_KEYS;

/// Text on one line without anything a terminal, a log or an XML parser would act on.
pub(super) fn line(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\r' | '\t' => ' ',
            c if is_hostile(c) => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// Text that keeps its line ends.
pub(super) fn block(text: &str) -> String {
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Control characters, and those that turn the direction of text or hide in it.
fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{2069}'
                | '\u{feff}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{fffe}'..='\u{ffff}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// A source line without what follows a key that may hold a secret.
pub(super) fn source(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let cut = [secret_at(&lower), lower.find("enc[")]
        .into_iter()
        .flatten()
        .min();
    match cut {
        Some(at) => format!("{}…", line(&text[..at])),
        None => line(text),
    }
}

/// A source line around the characters `from..to`, and where they are in it. Of a line that holds several values only the
/// one in question is shown; after a key whose value is not to be shown, nothing.
pub(super) fn around(text: &str, from: usize, to: usize, is_key: bool) -> (String, usize, usize) {
    let chars: Vec<char> = text.chars().collect();
    let (from, to) = (
        from.min(chars.len()),
        to.clamp(from.min(chars.len()), chars.len()),
    );
    let part = |range: std::ops::Range<usize>| chars[range].iter().collect::<String>();
    let opens = |c: &char| matches!(c, '{' | '[');
    let mut head = part(0..from);
    let first = chars[..from].iter().position(opens);
    let last = chars[..from].iter().rposition(|c| opens(c) || *c == ',');
    if let (Some(first), Some(last)) = (first, last)
        && first < last
    {
        head = format!("{}…{}", part(0..first + 1), part(last..from));
    }
    let rest = part(to..chars.len());
    let tail = if is_key && rest.trim().len() > 1 {
        ": …".to_owned()
    } else if first.is_some() && !rest.trim().is_empty() {
        " …".to_owned()
    } else if let Some(at) = rest
        .find(['{', '['])
        .filter(|at| !matches!(rest[*at..].trim_end(), "{}" | "[]"))
    {
        format!("{}…", &rest[..at])
    } else {
        rest
    };
    let start = head.chars().count();
    let end = start + (to - from);
    (
        source(&format!("{head}{}{tail}", part(from..to))),
        start,
        end,
    )
}

/// A source line of a document that could not be read: only keys are sure not to be secrets.
pub(super) fn broken_source(text: &str) -> String {
    let body = text.trim_start();
    let indent = &text[..text.len() - body.len()];
    let dash = if body.starts_with("- ") { "- " } else { "" };
    let rest = &body[dash.len()..];
    let key = rest.split_once(':').map(|(key, _)| key).filter(|key| {
        key.len() <= 40
            && key
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-.\"'/".contains(c))
    });
    match key {
        Some(key) if rest.len() == key.len() + 1 => line(text),
        Some(key) => format!("{}{dash}{}: …", line(indent), line(key)),
        None if ["---", "...", "<<<<<<<", "=======", ">>>>>>>"]
            .iter()
            .any(|mark| body.starts_with(mark)) =>
        {
            line(text)
        }
        None => format!("{}{dash}…", line(indent)),
    }
}

/// Where the value of the first key that may hold a secret starts.
fn secret_at(lower: &str) -> Option<usize> {
    const WORDS: [&str; 8] = [
        "passw",
        "secret",
        "token",
        "credential",
        "private",
        "apikey",
        "api_key",
        "ssh-",
    ];
    let mut from = 0;
    while let Some(colon) = lower[from..].find([':', '=']).map(|at| from + at) {
        let key_start = lower[..colon]
            .rfind([' ', '{', ',', '\t', '?', '&'])
            .map_or(0, |at| at + 1);
        let key = lower[key_start..colon].trim_matches(['"', '\'']);
        let secret = SECRET_KEYS
            .iter()
            .any(|known| known.eq_ignore_ascii_case(key))
            || WORDS.iter().any(|word| key.contains(word));
        // The names of secrets are no secrets.
        let reference = key.ends_with("ref") || key.ends_with("name");
        let rest = lower[colon + 1..].trim();
        let no_value = rest.is_empty() || (rest.len() <= 3 && rest.starts_with(['|', '>']));
        if secret && !reference && !no_value {
            return Some(colon + 1);
        }
        from = colon + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_characters_go() {
        assert_eq!(
            line("a\u{1b}[31mb\r\nc\u{202e}"),
            "a\u{fffd}[31mb  c\u{fffd}"
        );
    }

    #[test]
    fn secrets_are_cut() {
        assert_eq!(
            source("  userData: \"#cloud-config\\npassword: x\""),
            "  userData:…"
        );
        assert_eq!(source("  a: {b: 1, passwd: x}"), "  a: {b: 1, passwd:…");
        assert_eq!(source("  secretRef: {name: a}"), "  secretRef: {name: a}");
        assert_eq!(source("  size: ENC[AES256_GCM,data:x]"), "  size: …");
        assert_eq!(source("  cores: 2"), "  cores: 2");
        assert_eq!(source("  userData: |-"), "  userData: |-");
    }

    #[test]
    fn of_a_line_with_several_values_one_is_shown() {
        let line = "  a: {b: secret, c: 2, d: secret}";
        let (text, start, end) = around(line, 20, 21, false);
        assert_eq!(text, "  a: {…, c: 2 …");
        assert_eq!(
            text.chars()
                .skip(start)
                .take(end - start)
                .collect::<String>(),
            "2"
        );
        assert_eq!(around(line, 2, 3, false).0, "  a: …");
        assert_eq!(around("  devices: {}", 2, 9, false).0, "  devices: {}");
        assert_eq!(around("  a: secret", 2, 3, true).0, "  a: …");
        assert_eq!(around("  a: 2 # two", 5, 6, false).0, "  a: 2 # two");
    }

    #[test]
    fn of_a_broken_line_only_the_key_stays() {
        assert_eq!(broken_source("   pass: 'a"), "   pass: …");
        assert_eq!(broken_source("  - ssh-rsa AAAA"), "  - …");
        assert_eq!(broken_source("spec:"), "spec:");
        assert_eq!(broken_source("<<<<<<< HEAD"), "<<<<<<< HEAD");
    }
}
